// cli/validation.h: the validation rows of --validation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/ensemble/ensemble.h"
#include "examples_reader.h"
#include "training_examples.h"

namespace bootfold::cli {

/// Rows with the columns, classes and weights of the training, found by name.
class ValidationExamples {
 public:
  /// Reads the file; `arguments` and `rows` are those of the training. Throws InvalidArgument and
  /// DataError.
  ValidationExamples(const std::string& file, const ExampleArguments& arguments,
                     const TrainingExamples& rows);
  ValidationExamples(const ValidationExamples&) = delete;  // examples() point into it
  ValidationExamples& operator=(const ValidationExamples&) = delete;

  [[nodiscard]] const ensemble::Examples& examples() const noexcept { return examples_; }
  [[nodiscard]] const std::optional<ColumnView>& score_weights() const noexcept {
    return rows_.weights();
  }
  [[nodiscard]] std::size_t omitted() const noexcept { return rows_.omitted(); }
  [[nodiscard]] const std::string& note() const noexcept { return rows_.note(); }

 private:
  ModelExamples rows_;
  data::Labels classes_;
  std::vector<double> weights_;
  ensemble::Examples examples_;
};

}  // namespace bootfold::cli
