// cli/said.h: what an ensemble says of rows, some rows at a time, column by column.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bootfold/conformal.h"
#include "bootfold/ensemble.h"
#include "bootfold/evaluation.h"

namespace bootfold::cli {

/// Where targets are expected.
struct IntervalRequest {
  double confidence = 0.95;
  /// For jackknife+: the rows of the training; of a normal law there are none.
  const ensemble::Examples* learned_from = nullptr;
};

/// Goes through the rows of a file: next(), then its columns row by row.
class Said {
 public:
  /// Holds what is said of as many rows as `memory` has room for, at least 64. All must outlive it.
  Said(const ensemble::Ensemble& ensemble, const DataView& inputs, const IntervalRequest& intervals,
       std::size_t memory, Execution execution);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// In all.
  [[nodiscard]] std::size_t rows() const noexcept { return inputs_.rows(); }

  /// Asks about the next rows; false when there are none. Throws InvalidArgument, Cancelled.
  bool next();
  /// Rows that it was just asked about.
  [[nodiscard]] std::size_t count() const noexcept { return said_.rows; }
  /// The name of the class, if the first column is one.
  [[nodiscard]] const std::string* chosen(std::size_t row) const;
  /// All columns of a row of those as numbers; a class is its number from 0.
  [[nodiscard]] std::vector<double> numbers(std::size_t row) const;

 private:
  const ensemble::Ensemble& ensemble_;
  const DataView& inputs_;
  IntervalRequest intervals_;
  std::size_t memory_;
  Execution execution_;
  std::vector<std::string> names_;
  std::size_t at_once_;
  std::size_t first_ = 0;  // of the rows to come
  ensemble::Prediction said_;
  std::vector<ensemble::Limits> limits_;
};

}  // namespace bootfold::cli
