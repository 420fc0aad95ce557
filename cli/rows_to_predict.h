// cli/rows_to_predict.h: the rows of files that a model predicts, some at a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/tables.h"
#include "examples_reader.h"

namespace bootfold::cli {

/// Files that are read twice: now, to check and to count the rows, so that nothing is written if
/// one of them cannot be used; and once more to predict them. Memory is that of a table.
class RowsToPredict {
 public:
  /// Finds the inputs of the model by name. Throws InvalidArgument and DataError.
  RowsToPredict(const ExampleArguments& arguments, const ensemble::Ensemble::Frame& frame,
                std::size_t table_bytes);

  /// The inputs as numbers and the columns of --keep as texts.
  [[nodiscard]] const data::Tables& tables() const noexcept { return tables_; }
  /// The names of the columns of --keep.
  [[nodiscard]] const std::vector<std::string>& kept_names() const noexcept { return kept_; }
  /// All rows of the files, with those that have no prediction.
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t omitted() const noexcept { return omitted_; }
  /// The first of the omitted rows, counted from 0.
  [[nodiscard]] const std::vector<std::size_t>& first_omitted() const noexcept {
    return first_omitted_;
  }
  /// Rows that --where left out.
  [[nodiscard]] std::size_t filtered() const noexcept { return filtered_; }

  /// Columns of the files that the model does not know, in words; empty if there are none.
  [[nodiscard]] const std::string& note() const noexcept { return note_; }

  static constexpr std::size_t kListed = 5;  ///< of first_omitted()

 private:
  data::Tables tables_;
  std::vector<std::string> kept_;
  std::string note_;
  std::size_t rows_ = 0;
  std::size_t omitted_ = 0;
  std::size_t filtered_ = 0;
  std::vector<std::size_t> first_omitted_;
};

}  // namespace bootfold::cli
