// The mean loss of one member over rows.
#pragma once

#include "ensemble/prediction/prediction_sums.h"
#include "ensemble/training/training_matrix.h"

namespace bootfold::ensemble {

class MeanLoss {
 public:
  /// Adds `row` of the matrix, which is point row % kPoints of the last prediction in `sums`.
  void add(const TrainingMatrix& matrix, std::size_t row, const BlockSums& sums);
  /// NaN if no rows were added.
  [[nodiscard]] double mean() const noexcept { return sum_ / weight_; }

 private:
  double sum_ = 0;
  double weight_ = 0;
};

}  // namespace bootfold::ensemble
