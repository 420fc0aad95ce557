// cli/prediction_rows.h: the predictions of an ensemble for the rows of a file, in batches of rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/evaluation.h"

namespace bootfold::cli {

/// Prediction intervals of a regression.
struct IntervalRequest {
  double confidence = 0.95;
  /// The training rows, which jackknife+ needs; null selects the normal interval.
  const ensemble::Examples* training_examples = nullptr;
};

/// Predicts the rows of a file batch by batch: call next(), then read the columns row by row.
class PredictionRows {
 public:
  /// A batch has as many rows as fit in `memory`, at least 64. All arguments must outlive it.
  PredictionRows(const ensemble::Ensemble& ensemble, const DataView& inputs,
                 const IntervalRequest& intervals, std::size_t memory, Execution execution);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// Rows of the file.
  [[nodiscard]] std::size_t rows() const noexcept { return inputs_.rows(); }

  /// Predicts the next batch; false if there are no more rows. Throws InvalidArgument, Cancelled.
  bool next();
  /// Rows of the current batch.
  [[nodiscard]] std::size_t count() const noexcept { return prediction_.rows; }
  /// The name of the predicted class of a row of the batch; null for a regression.
  [[nodiscard]] const std::string* class_name(std::size_t row) const;
  /// All columns of a row of the batch as numbers; a class is its number from 0.
  [[nodiscard]] std::vector<double> values(std::size_t row) const;

 private:
  const ensemble::Ensemble& ensemble_;
  const DataView& inputs_;
  IntervalRequest intervals_;
  std::size_t memory_;
  Execution execution_;
  std::vector<std::string> names_;
  std::size_t at_once_;
  std::size_t first_ = 0;  // first row of the next batch
  ensemble::Prediction prediction_;
  std::vector<ensemble::Limits> limits_;
};

}  // namespace bootfold::cli
