#include "ensemble/selection/loss_numbers.h"

#include <algorithm>
#include <cmath>

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

constexpr double kSmallestProbability = 1e-38;  // as in the held-out loss of members

/// Numbers of one target.
std::size_t numbers_of(const Head& head) { return head.loss == Loss::gaussian ? 2 : head.answers; }

double probability_of_one(double output) {
  const double lower = std::exp(-std::abs(output));
  return (output < 0 ? lower : 1.0) / (1 + lower);
}

double minus_log(double probability) {
  return -std::log(std::max(probability, kSmallestProbability));
}

/// The loss of one target.
double loss_of_means(const Head& head, const simd::HeadLoss& loss, const double* means,
                     double target) {
  const double error = means[0] - target;
  switch (head.loss) {
    case Loss::gaussian: {  // of a normal distribution with the moments of the mixture
      const double variance =
          std::max(means[1] - means[0] * means[0], std::numeric_limits<double>::min());
      return 0.5 * (std::log(variance) + error * error / variance);
    }
    case Loss::huber: {
      const double held = std::clamp<double>(error, -loss.parameter, loss.parameter);
      return held * (error - 0.5 * held);
    }
    case Loss::pinball: {
      double sum = 0;
      for (std::size_t i = 0; i < loss.quantiles.size(); ++i) {
        const double above = target - means[i];
        sum += std::max(loss.quantiles[i] * above, (loss.quantiles[i] - 1.0) * above);
      }
      return sum / static_cast<double>(loss.quantiles.size());
    }
    case Loss::poisson:
      return means[0] - target * std::log(std::max(means[0], std::numeric_limits<double>::min()));
    case Loss::binary:
      return (target == 1 ? loss.parameter : 1.0) * minus_log(means[0]);
    default:
      return error * error;
  }
}

}  // namespace

LossNumbers::LossNumbers(const Heads& heads) : heads_(heads), size_(heads.classifies() ? 1 : 0) {
  if (!heads.classifies())
    for (const Head& head : heads.targets()) size_ += numbers_of(head);
}

void LossNumbers::write(const BlockSums& sums, std::size_t point, const float* targets,
                        float* out) const {
  if (heads_.classifies()) {
    *out = sums.last_probabilities()[static_cast<std::size_t>(targets[0]) * kPoints + point];
    return;
  }
  const float* const outputs = sums.last_outputs() + point;
  for (std::size_t t = 0; t < heads_.targets().size(); ++t) {
    const Head& head = heads_.targets()[t];
    const double output = outputs[head.output * kPoints];
    if (head.loss == Loss::binary) {
      *out++ = static_cast<float>(probability_of_one(targets[t] == 1 ? output : -output));
    } else if (head.loss == Loss::poisson) {
      *out++ = static_cast<float>(std::exp(output));
    } else if (head.loss == Loss::gaussian) {
      *out++ = static_cast<float>(output);
      *out++ = static_cast<float>(output * output +
                                  std::exp(static_cast<double>(outputs[head.spread * kPoints])));
    } else {
      for (std::size_t i = 0; i < head.answers; ++i) *out++ = outputs[(head.output + i) * kPoints];
    }
  }
}

double LossNumbers::loss(const double* means, const float* targets) const {
  if (heads_.classifies()) {
    const double factor =
        heads_.losses().empty() || targets[0] == 0 ? 1.0 : heads_.losses()[0].parameter;
    return factor * minus_log(means[0]);
  }
  double sum = 0;
  for (std::size_t t = 0; t < heads_.targets().size(); ++t) {
    const Head& head = heads_.targets()[t];
    sum += loss_of_means(head, heads_.losses()[t], means, static_cast<double>(targets[t]));
    means += numbers_of(head);
  }
  return sum / static_cast<double>(heads_.targets().size());
}

}  // namespace bootfold::ensemble
