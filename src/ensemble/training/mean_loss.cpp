#include "ensemble/training/mean_loss.h"

#include <algorithm>
#include <cmath>

namespace bootfold::ensemble {

using simd::kPoints;

void MeanLoss::add(Loss loss, const TrainingMatrix& matrix, std::size_t row,
                   const BlockSums& sums) {
  const std::size_t point = row % kPoints;
  const double weight = matrix.weights.empty() ? 1 : matrix.weights[row];
  weight_ += weight;
  if (loss == Loss::cross_entropy) {
    const auto label = static_cast<std::size_t>(matrix.targets[row]);
    sum_ -= weight *
            std::log(std::max(
                static_cast<double>(sums.last_probabilities()[label * kPoints + point]), 1e-38));
    return;
  }
  double own = 0;
  for (std::size_t t = 0; t < matrix.targets_each; ++t) {
    const double error = sums.last_outputs()[t * kPoints + point] -
                         static_cast<double>(matrix.targets[row * matrix.targets_each + t]);
    if (loss == Loss::squared_error) {
      own += error * error;
    } else {
      const double spread = sums.last_outputs()[(matrix.targets_each + t) * kPoints + point];
      own += 0.5 * (spread + error * error * std::exp(-spread));
    }
  }
  sum_ += weight * (own / static_cast<double>(matrix.targets_each));
}

}  // namespace bootfold::ensemble
