#include "ensemble/prediction/noise.h"

#include <algorithm>
#include <cmath>

namespace bootfold::ensemble {

double total_deviation(double epistemic, double noise) noexcept {
  return std::sqrt(epistemic * epistemic + noise);
}

std::vector<double> noise_of(const Prediction& out_of_bag, const DataView& targets) {
  std::vector<double> noise(out_of_bag.outputs);
  for (std::size_t t = 0; t < out_of_bag.outputs; ++t) {
    double sum = 0;
    double count = 0;
    for (std::size_t row = 0; row < out_of_bag.rows; ++row) {
      if (out_of_bag.members[row] == 0) continue;
      const double error = targets.column(t)[row] - out_of_bag.mean[row * out_of_bag.outputs + t];
      const double spread = out_of_bag.epistemic[row * out_of_bag.outputs + t];
      sum += error * error - spread * spread / static_cast<double>(out_of_bag.members[row]);
      count += 1;
    }
    noise[t] = count > 0 ? std::max(0.0, sum / count) : 0;
  }
  return noise;
}

void estimate_noise(Ensemble::Frame& frame, const DataView& targets, Prediction& out_of_bag) {
  if (frame.loss != Loss::squared_error) return;
  frame.noise = noise_of(out_of_bag, targets);
  for (std::size_t i = 0; i < out_of_bag.mean.size(); ++i) {
    const double noise = frame.noise[i % out_of_bag.outputs];
    out_of_bag.aleatoric[i] = std::sqrt(noise);
    out_of_bag.total[i] = total_deviation(out_of_bag.epistemic[i], noise);
  }
}

}  // namespace bootfold::ensemble
