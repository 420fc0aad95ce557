#include "ensemble/prediction/prediction_sums.h"

#include <algorithm>
#include <cmath>

#include "ensemble/calibration/temperature.h"
#include "ensemble/prediction/noise.h"

namespace bootfold::ensemble {

using simd::kPoints;

BlockSums::BlockSums(Loss loss, std::size_t outputs)
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
  if (loss == Loss::gaussian) variances_.resize(sums_.size());
}

void BlockSums::add(const simd::Kernels& kernels, const Shape& shape, const float* parameters,
                    const float* inputs, const float* weights, std::vector<float>& scratch) {
  scratch.resize(std::max(scratch.size(), simd::points_scratch_size(shape)));
  kernels.predict_points(shape, parameters, inputs, scratch.data(), network_outputs());
  add_predicted(kernels, weights);
}

void BlockSums::add_predicted(const simd::Kernels& kernels, const float* weights) {
  if (loss_ == Loss::cross_entropy)
    return kernels.sum_classes(outputs_.data(), answers_, weights,
                               {last_.data(), sums_.data(), counts_.data()});
  for (std::size_t p = 0; p < kPoints; ++p) counts_[p] += weights[p];
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const double weight = weights[i % kPoints];
    const double value = outputs_[i];
    sums_[i] += weight * value;
    squares_[i] += weight * value * value;
  }
  for (std::size_t i = 0; i < variances_.size(); ++i)
    variances_[i] +=
        weights[i % kPoints] * std::exp(static_cast<double>(outputs_[sums_.size() + i]));
}

void BlockSums::merge(const BlockSums& later) {
  const auto add_all = [](std::vector<double>& to, const std::vector<double>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  add_all(sums_, later.sums_);
  add_all(squares_, later.squares_);
  add_all(variances_, later.variances_);
  add_all(counts_, later.counts_);
}

void BlockSums::finish(const Ensemble::Frame& frame, std::size_t first, std::size_t points,
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
        // Divided by their own sum, so that they add up to 1 despite the rounding of members.
        const double share = sums_[c * kPoints + p] / total;
        out.mean[row * answers_ + c] = share;
        if (share > 0) entropy -= share * std::log(share);
      }
      const double own = sums_[answers_ * kPoints + p] / count;
      out.total[row] = count > 0 ? entropy : Member::kUnknown;
      out.aleatoric[row] = std::min(own, out.total[row]);
      out.epistemic[row] = out.total[row] - out.aleatoric[row];
      apply_temperature(out, row, frame.temperature);
      continue;
    }
    for (std::size_t t = 0; t < answers_; ++t) {
      const std::size_t at = t * kPoints + p;
      const double scale = frame.target_scaling.scale[t];
      const double mean = sums_[at] / count;
      const double spread = std::max(0.0, squares_[at] / count - mean * mean) *
                            (count > 1 ? count / (count - 1) : 1.0);
      double noise = frame.noise.empty() ? 0 : frame.noise[t];
      if (!variances_.empty()) noise = variances_[at] / count * scale * scale;
      const std::size_t to = row * answers_ + t;
      out.mean[to] = mean * scale + frame.target_scaling.mean[t];
      out.epistemic[to] = std::sqrt(spread) * scale;
      out.aleatoric[to] = std::sqrt(noise);
      out.total[to] = total_deviation(out.epistemic[to], noise);
    }
  }
}

std::size_t network_inputs(const Ensemble::Frame& frame) noexcept {
  return frame.encoding.columns(frame.inputs.size());
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

void merge(PredictionSums& sums, PredictionSums&& later) {
  if (sums.empty()) {
    sums = std::move(later);
    return;
  }
  for (std::size_t b = 0; b < later.size(); ++b) sums[b].merge(later[b]);
}

void finish(const PredictionSums& sums, const Ensemble::Frame& frame, std::size_t first,
            Prediction& prediction) {
  for (std::size_t b = 0; b < sums.size(); ++b) {
    const std::size_t row = first + b * kPoints;
    sums[b].finish(frame, row, std::min(kPoints, prediction.rows - row), prediction);
  }
}

Prediction finish(const PredictionSums& sums, const Ensemble::Frame& frame, std::size_t rows) {
  Prediction prediction = empty_prediction(frame.loss, rows, frame.classes.size());
  const PredictionSums none(sums.empty() ? (rows + kPoints - 1) / kPoints : 0,
                            BlockSums(frame.loss, outputs_of(frame)));
  finish(sums.empty() ? none : sums, frame, 0, prediction);
  return prediction;
}

}  // namespace bootfold::ensemble
