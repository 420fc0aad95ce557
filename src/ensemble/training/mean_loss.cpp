#include "ensemble/training/mean_loss.h"

#include <algorithm>
#include <cmath>

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

/// The loss of a target, given its head and the outputs of a network at a point, kPoints apart.
double loss_of_head(const Head& head, const simd::HeadLoss& loss, const float* outputs,
                    double target) {
  const double output = outputs[head.output * kPoints];
  const double error = output - target;
  switch (head.loss) {
    case Loss::gaussian: {
      const double spread = outputs[head.spread * kPoints];
      return 0.5 * (spread + error * error * std::exp(-spread));
    }
    case Loss::huber: {
      const double held = std::clamp<double>(error, -loss.parameter, loss.parameter);
      return held * (error - 0.5 * held);
    }
    case Loss::pinball: {
      double sum = 0;
      for (std::size_t i = 0; i < loss.quantiles.size(); ++i) {
        const double above = target - outputs[(head.output + i) * kPoints];
        sum += std::max(loss.quantiles[i] * above, (loss.quantiles[i] - 1.0) * above);
      }
      return sum / static_cast<double>(loss.quantiles.size());
    }
    case Loss::poisson:
      return std::exp(output) - target * output;
    case Loss::binary: {
      const double off = target == 1 ? -output : output;
      return (target == 1 ? loss.parameter : 1.0) *
             (std::max(off, 0.0) + std::log1p(std::exp(-std::abs(off))));
    }
    default:
      return error * error;
  }
}

}  // namespace

void MeanLoss::add(const TrainingMatrix& matrix, std::size_t row, const BlockSums& sums) {
  const Heads& heads = sums.heads();
  const std::size_t point = row % kPoints;
  const double weight = matrix.weights.empty() ? 1 : matrix.weights[row];
  weight_ += weight;
  if (heads.classifies()) {
    const auto label = static_cast<std::size_t>(matrix.targets[row]);
    const double factor = heads.losses().empty() || label == 0 ? 1.0 : heads.losses()[0].parameter;
    sum_ -= weight * factor *
            std::log(std::max(
                static_cast<double>(sums.last_probabilities()[label * kPoints + point]), 1e-38));
    return;
  }
  double own = 0;
  for (std::size_t t = 0; t < matrix.targets_each; ++t)
    own += loss_of_head(heads.targets()[t], heads.losses()[t], sums.last_outputs() + point,
                        static_cast<double>(matrix.targets[row * matrix.targets_each + t]));
  sum_ += weight * (own / static_cast<double>(matrix.targets_each));
}

}  // namespace bootfold::ensemble
