#include "ensemble/prediction/noise.h"

#include <algorithm>
#include <cmath>

namespace bootfold::ensemble {

namespace {

/// Whether the noise of a target is estimated from residuals.
bool has_residual_noise(const Head& head) {
  return head.loss == Loss::squared_error || head.loss == Loss::huber;
}

}  // namespace

double total_deviation(double epistemic, double noise) noexcept {
  return std::sqrt(epistemic * epistemic + noise);
}

void set_noise(const Head& head, std::size_t at, double noise, Prediction& prediction) {
  double& aleatoric = prediction.aleatoric[at];
  aleatoric = std::sqrt(noise);
  if (head.transform != nullptr) {
    const double mean = prediction.transformed_mean[at];
    prediction.transformed_total[at] = total_deviation(prediction.transformed_epistemic[at], noise);
    aleatoric = (head.inverse(mean + aleatoric) - head.inverse(mean - aleatoric)) / 2;
    noise = aleatoric * aleatoric;
  }
  prediction.total[at] = total_deviation(prediction.epistemic[at], noise);
}

std::vector<double> noise_of(const Heads& heads, const Prediction& out_of_bag,
                             const DataView& targets) {
  std::vector<double> noise(heads.targets().size());
  for (std::size_t t = 0; t < noise.size(); ++t) {
    const Head& head = heads.targets()[t];
    if (!has_residual_noise(head)) continue;
    const bool inner = head.transform != nullptr;
    double sum = 0;
    double count = 0;
    for (std::size_t row = 0; row < out_of_bag.rows; ++row) {
      if (out_of_bag.members[row] == 0) continue;
      const std::size_t at = row * out_of_bag.outputs + head.answer;
      const double target = targets.column(t)[row];
      const double error = inner ? (*head.transform)(target)-out_of_bag.transformed_mean[at]
                                 : target - out_of_bag.mean[at];
      const double spread = inner ? out_of_bag.transformed_epistemic[at] : out_of_bag.epistemic[at];
      sum += error * error - spread * spread / static_cast<double>(out_of_bag.members[row]);
      count += 1;
    }
    noise[t] = count > 0 ? std::max(0.0, sum / count) : 0;
  }
  return noise;
}

void estimate_noise(Ensemble::Frame& frame, const DataView& targets, Prediction& out_of_bag) {
  const Heads heads(frame);
  if (std::ranges::none_of(heads.targets(), has_residual_noise)) return;
  frame.noise = noise_of(heads, out_of_bag, targets);
  for (std::size_t t = 0; t < heads.targets().size(); ++t) {
    const Head& head = heads.targets()[t];
    if (!has_residual_noise(head)) continue;
    for (std::size_t row = 0; row < out_of_bag.rows; ++row)
      set_noise(head, row * out_of_bag.outputs + head.answer, frame.noise[t], out_of_bag);
  }
}

}  // namespace bootfold::ensemble
