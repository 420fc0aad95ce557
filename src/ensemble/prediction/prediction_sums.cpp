#include "ensemble/prediction/prediction_sums.h"

#include <algorithm>
#include <cmath>

#include "ensemble/calibration/temperature.h"

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

/// Standard deviation of what members and noise do together.
double total_of(double epistemic, double noise) { return std::sqrt(epistemic * epistemic + noise); }

}  // namespace

Fold::Fold(Loss loss, std::size_t outputs)
    : loss_(loss),
      answers_(loss == Loss::gaussian ? outputs / 2 : outputs),
      outputs_(outputs * kPoints),
      counts_(kPoints) {
  if (loss == Loss::cross_entropy) {
    last_.resize((answers_ + 1) * kPoints);
    sums_.resize(last_.size());
    return;
  }
  sums_.resize(answers_ * kPoints);
  squares_.resize(sums_.size());
  if (loss == Loss::gaussian) spreads_.resize(sums_.size());
}

void Fold::add(const simd::Kernels& kernels, const Shape& shape, const float* parameters,
               const float* inputs, const float* weights, std::vector<float>& scratch) {
  scratch.resize(std::max(scratch.size(), simd::points_scratch_size(shape)));
  kernels.at_points(shape, parameters, inputs, scratch.data(), outputs_.data());
  for (std::size_t p = 0; p < kPoints; ++p) counts_[p] += weights[p];
  if (loss_ == Loss::cross_entropy) {
    std::ranges::fill(last_, 0.0F);
    kernels.fold_classes(outputs_.data(), answers_, weights, last_.data());
    for (std::size_t i = 0; i < last_.size(); ++i) sums_[i] += last_[i];
    return;
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const double weight = weights[i % kPoints];
    const double value = outputs_[i];
    sums_[i] += weight * value;
    squares_[i] += weight * value * value;
  }
  for (std::size_t i = 0; i < spreads_.size(); ++i)
    spreads_[i] += weights[i % kPoints] * std::exp(static_cast<double>(outputs_[sums_.size() + i]));
}

void Fold::merge(const Fold& later) {
  const auto add_all = [](std::vector<double>& to, const std::vector<double>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  add_all(sums_, later.sums_);
  add_all(squares_, later.squares_);
  add_all(spreads_, later.spreads_);
  add_all(counts_, later.counts_);
}

void Fold::finish(const Ensemble::Frame& frame, std::size_t first, std::size_t points,
                  Prediction& out) const {
  for (std::size_t p = 0; p < points; ++p) {
    const std::size_t row = first + p;
    const double count = counts_[p];
    out.members[row] = static_cast<std::uint64_t>(count);
    if (loss_ == Loss::cross_entropy) {
      double total = 0;
      double entropy = 0;
      for (std::size_t c = 0; c < answers_; ++c) total += sums_[c * kPoints + p];
      for (std::size_t c = 0; c < answers_; ++c) {
        // Divided by their own sum: then they add up to 1 though members round.
        const double share = sums_[c * kPoints + p] / total;
        out.mean[row * answers_ + c] = share;
        if (share > 0) entropy -= share * std::log(share);
      }
      const double own = sums_[answers_ * kPoints + p] / count;
      out.total[row] = count > 0 ? entropy : Member::kUnknown;
      out.aleatoric[row] = std::min(own, out.total[row]);
      out.epistemic[row] = out.total[row] - out.aleatoric[row];
      temper(out, row, frame.temperature);
      continue;
    }
    for (std::size_t t = 0; t < answers_; ++t) {
      const std::size_t at = t * kPoints + p;
      const double scale = frame.target_scaling.scale[t];
      const double mean = sums_[at] / count;
      const double spread = std::max(0.0, squares_[at] / count - mean * mean) *
                            (count > 1 ? count / (count - 1) : 1.0);
      double noise = frame.noise.empty() ? 0 : frame.noise[t];
      if (!spreads_.empty()) noise = spreads_[at] / count * scale * scale;
      const std::size_t to = row * answers_ + t;
      out.mean[to] = mean * scale + frame.target_scaling.mean[t];
      out.epistemic[to] = std::sqrt(spread) * scale;
      out.aleatoric[to] = std::sqrt(noise);
      out.total[to] = total_of(out.epistemic[to], noise);
    }
  }
}

std::size_t outputs_of(const Ensemble::Frame& frame) noexcept {
  return frame.classes.size() * (frame.loss == Loss::gaussian ? 2 : 1);
}

Prediction empty_prediction(Loss loss, std::size_t rows, std::size_t answers) {
  Prediction out;
  out.rows = rows;
  out.outputs = answers;
  out.mean.resize(rows * answers);
  const std::size_t each = loss == Loss::cross_entropy ? 1 : answers;
  for (auto* list : {&out.total, &out.aleatoric, &out.epistemic}) list->resize(rows * each);
  out.members.resize(rows);
  return out;
}

std::vector<double> noise_of(const Prediction& said, const DataView& targets) {
  std::vector<double> noise(said.outputs);
  for (std::size_t t = 0; t < said.outputs; ++t) {
    double sum = 0;
    double count = 0;
    for (std::size_t row = 0; row < said.rows; ++row) {
      if (said.members[row] == 0) continue;
      const double error = targets.column(t)[row] - said.mean[row * said.outputs + t];
      const double spread = said.epistemic[row * said.outputs + t];
      sum += error * error - spread * spread / static_cast<double>(said.members[row]);
      count += 1;
    }
    noise[t] = count > 0 ? std::max(0.0, sum / count) : 0;
  }
  return noise;
}

void find_noise(Ensemble::Frame& frame, const DataView& targets, Prediction& said) {
  if (frame.loss != Loss::squared_error) return;
  frame.noise = noise_of(said, targets);
  for (std::size_t i = 0; i < said.mean.size(); ++i) {
    const double noise = frame.noise[i % said.outputs];
    said.aleatoric[i] = std::sqrt(noise);
    said.total[i] = total_of(said.epistemic[i], noise);
  }
}

void transpose_points(const float* rows, std::size_t count, std::size_t columns, float* out) {
  for (std::size_t first = 0; first < count; first += kPoints)
    for (std::size_t p = 0; p < kPoints; ++p) {
      const float* row = rows + std::min(first + p, count - 1) * columns;
      for (std::size_t c = 0; c < columns; ++c) out[first * columns + c * kPoints + p] = row[c];
    }
}

}  // namespace bootfold::ensemble
