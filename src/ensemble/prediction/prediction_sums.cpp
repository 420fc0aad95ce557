#include "ensemble/prediction/prediction_sums.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "ensemble/calibration/temperature.h"
#include "ensemble/prediction/noise.h"

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

double sigmoid(double output) {
  const double lower = std::exp(-std::abs(output));
  return (output < 0 ? lower : 1.0) / (1 + lower);
}

/// Means of quantiles may cross; in ascending order they do not, and are closer to the truth.
void sort_quantiles(const Head& head, std::size_t first, Prediction& out) {
  std::vector<std::pair<double, double>> order;  // means and their deviations between members
  for (std::size_t i = first; i < first + head.answers; ++i)
    order.emplace_back(out.mean[i], out.epistemic[i]);
  if (std::isnan(order[0].first)) return;
  std::ranges::stable_sort(order, {}, &std::pair<double, double>::first);
  for (std::size_t i = 0; i < order.size(); ++i)
    std::tie(out.mean[first + i], out.epistemic[first + i]) = order[i];
}

}  // namespace

BlockSums::BlockSums(const Heads& heads)
    : heads_(&heads),
      answers_(heads.answers()),
      outputs_(std::max(heads.outputs(), heads.classifies() ? answers_ : 0) * kPoints),
      counts_(kPoints) {
  if (heads.classifies()) {
    last_.resize((answers_ + 1) * kPoints);
    sums_.resize(last_.size());
    return;
  }
  sums_.resize(answers_ * kPoints);
  squares_.resize(sums_.size());
  if (std::ranges::any_of(heads.targets(),
                          [](const Head& head) { return head.loss == Loss::gaussian; }))
    variances_.resize(sums_.size());
  if (!heads.transforms()) return;
  inner_.resize(sums_.size());
  inner_squares_.resize(sums_.size());
}

void BlockSums::add(const simd::Kernels& kernels, const Shape& shape, const float* parameters,
                    const float* inputs, const float* weights, std::vector<float>& scratch) {
  scratch.resize(std::max(scratch.size(), simd::points_scratch_size(shape)));
  kernels.predict_points(shape, heads_->kernel_loss(), parameters, inputs, scratch.data(),
                         network_outputs());
  add_predicted(kernels, weights);
}

float* BlockSums::network_outputs() noexcept {
  // The one output of two classes is that of the second; that of the first is 0.
  return outputs_.data() + (outputs_.size() - heads_->outputs() * kPoints);
}

void BlockSums::add_predicted(const simd::Kernels& kernels, const float* weights) {
  if (heads_->classifies())
    return kernels.sum_classes(outputs_.data(), answers_, weights,
                               {last_.data(), sums_.data(), counts_.data()});
  for (std::size_t p = 0; p < kPoints; ++p) counts_[p] += weights[p];
  add_targets(weights);
}

void BlockSums::add_targets(const float* weights) {
  for (const Head& head : heads_->targets()) {
    const float* const outputs = outputs_.data() + head.output * kPoints;
    const std::size_t first = head.answer * kPoints;
    const std::size_t count = head.answers * kPoints;
    if (head.in_units() || head.loss == Loss::binary) {
      for (std::size_t i = 0; i < count; ++i)
        if (weights[i % kPoints] != 0) add_value(head, outputs[i], first + i);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        const double weight = weights[i % kPoints];
        const double value = outputs[i];
        sums_[first + i] += weight * value;
        squares_[first + i] += weight * value * value;
      }
    }
    if (head.loss != Loss::gaussian) continue;
    const float* const spreads = outputs_.data() + head.spread * kPoints;
    for (std::size_t i = 0; i < kPoints; ++i)
      variances_[first + i] += weights[i] * std::exp(static_cast<double>(spreads[i]));
  }
}

void BlockSums::add_value(const Head& head, double output, std::size_t at) {
  if (head.loss == Loss::binary) {
    const double probability = sigmoid(output);
    sums_[at] += probability;
    squares_[at] += binary_entropy(probability);
    return;
  }
  const double value = head.value(output);
  sums_[at] += value;
  squares_[at] += value * value;
  if (head.transform == nullptr) return;
  inner_[at] += output;
  inner_squares_[at] += output * output;
}

void BlockSums::merge(const BlockSums& later) {
  const auto add_all = [](std::vector<double>& to, const std::vector<double>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  add_all(sums_, later.sums_);
  add_all(squares_, later.squares_);
  add_all(variances_, later.variances_);
  add_all(inner_, later.inner_);
  add_all(inner_squares_, later.inner_squares_);
  add_all(counts_, later.counts_);
}

void BlockSums::finish_classes(const Ensemble::Frame& frame, std::size_t point, std::size_t row,
                               Prediction& out) const {
  const double count = counts_[point];
  double total = 0;
  double entropy = 0;
  for (std::size_t c = 0; c < answers_; ++c) total += sums_[c * kPoints + point];
  for (std::size_t c = 0; c < answers_; ++c) {
    // Divided by their own sum, so that they add up to 1 despite the rounding of members.
    const double share = sums_[c * kPoints + point] / total;
    out.mean[row * answers_ + c] = share;
    if (share > 0) entropy -= share * std::log(share);
  }
  const double own = sums_[answers_ * kPoints + point] / count;
  out.total[row] = count > 0 && std::isfinite(total) ? entropy : Member::kUnknown;
  out.aleatoric[row] = std::isnan(out.total[row]) ? Member::kUnknown : std::min(own, entropy);
  out.epistemic[row] = out.total[row] - out.aleatoric[row];
  apply_temperature(out, row, frame.temperature);
}

void BlockSums::finish_target(const Ensemble::Frame& frame, std::size_t target, std::size_t point,
                              std::size_t row, Prediction& out) const {
  const Head& head = heads_->targets()[target];
  const double count = counts_[point];
  const double degrees = count > 1 ? count / (count - 1) : 1.0;
  const auto variance = [&](double mean, double squares) {
    const double found = squares / count - mean * mean;  // NaN if the sums overflow
    return found < 0 ? 0.0 : found * degrees;
  };
  const double scale = head.in_units() ? 1 : head.scale;
  for (std::size_t i = 0; i < head.answers; ++i) {
    const std::size_t at = (head.answer + i) * kPoints + point;
    const std::size_t to = row * answers_ + head.answer + i;
    const double mean = sums_[at] / count;
    if (head.loss == Loss::binary) {
      out.mean[to] = mean;
      out.total[to] = count > 0 ? binary_entropy(mean) : Member::kUnknown;
      out.aleatoric[to] = std::min(squares_[at] / count, out.total[to]);
      out.epistemic[to] = out.total[to] - out.aleatoric[to];
      if (!frame.temperatures.empty())
        apply_binary_temperature(out, row, head.answer, frame.temperatures[target]);
      continue;
    }
    const double spread = variance(mean, squares_[at]);
    out.mean[to] = head.in_units() ? mean : mean * head.scale + head.mean;
    out.epistemic[to] = std::sqrt(spread) * scale;
    if (head.loss == Loss::pinball) {
      out.aleatoric[to] = Member::kUnknown;
      out.total[to] = Member::kUnknown;
      continue;
    }
    double noise = frame.noise.empty() ? 0 : frame.noise[target];
    if (head.loss == Loss::poisson) noise = mean;
    if (head.loss == Loss::gaussian) noise = variances_[at] / count * head.scale * head.scale;
    if (head.transform != nullptr) {
      const double inner = inner_[at] / count;
      const double inner_spread = variance(inner, inner_squares_[at]) * head.scale * head.scale;
      out.transformed_mean[to] = inner * head.scale + head.mean;
      out.transformed_epistemic[to] = std::sqrt(inner_spread);
    }
    set_noise(head, to, noise, out);
  }
  if (head.loss == Loss::pinball) sort_quantiles(head, row * answers_ + head.answer, out);
}

void BlockSums::finish(const Ensemble::Frame& frame, std::size_t first, std::size_t points,
                       Prediction& out) const {
  for (std::size_t p = 0; p < points; ++p) {
    const std::size_t row = first + p;
    out.members[row] = static_cast<std::uint64_t>(counts_[p]);
    if (heads_->classifies()) {
      finish_classes(frame, p, row, out);
      continue;
    }
    for (std::size_t t = 0; t < heads_->targets().size(); ++t) finish_target(frame, t, p, row, out);
  }
}

std::size_t network_inputs(const Ensemble::Frame& frame) noexcept {
  return frame.encoding.columns(frame.inputs.size());
}

Prediction empty_prediction(const Heads& heads, std::size_t rows) {
  Prediction out;
  out.rows = rows;
  out.outputs = heads.answers();
  out.mean.resize(rows * out.outputs);
  const std::size_t each = heads.classifies() ? 1 : out.outputs;
  for (auto* list : {&out.total, &out.aleatoric, &out.epistemic}) list->resize(rows * each);
  if (heads.transforms())
    for (auto* list : {&out.transformed_mean, &out.transformed_epistemic, &out.transformed_total})
      list->resize(rows * each, Member::kUnknown);
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
  const Heads heads(frame);
  Prediction prediction = empty_prediction(heads, rows);
  const PredictionSums none(sums.empty() ? (rows + kPoints - 1) / kPoints : 0, BlockSums(heads));
  finish(sums.empty() ? none : sums, frame, 0, prediction);
  return prediction;
}

}  // namespace bootfold::ensemble
