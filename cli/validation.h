// cli/validation.h: the rows of --validation, which judge all members.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/ensemble.h"
#include "rows.h"

namespace bootfold::cli {

/// Has the columns of the training by name, its classes, and its weights, if it has some.
class ValidationRows {
 public:
  /// Reads the file; `arguments` and `rows` are those of the training. Throws InvalidArgument and
  /// DataError.
  ValidationRows(const std::string& file, const RowArguments& arguments, const Rows& rows);
  ValidationRows(const ValidationRows&) = delete;  // examples() point into it
  ValidationRows& operator=(const ValidationRows&) = delete;

  [[nodiscard]] const ensemble::Examples& examples() const noexcept { return examples_; }
  [[nodiscard]] const std::optional<ColumnView>& score_weights() const noexcept {
    return rows_.weights();
  }
  [[nodiscard]] std::size_t omitted() const noexcept { return rows_.omitted(); }

 private:
  NewRows rows_;
  data::Labels classes_;
  std::vector<double> weights_;
  ensemble::Examples examples_;
};

}  // namespace bootfold::cli
