#include "ensemble/course.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::ensemble {

std::size_t rows_of(const Training& training, const Settings& settings, std::size_t rows) {
  if (training.resampling != Resampling::subsample) return rows;
  return std::clamp<std::size_t>(
      static_cast<std::size_t>(std::llround(settings.subsample * static_cast<double>(rows))), 1,
      rows);
}

std::size_t batch_of(const Training& training, const Settings& settings, std::size_t rows) {
  return settings.batch_size == 0 ? rows_of(training, settings, rows) : settings.batch_size;
}

std::uint64_t steps_of(const Training& training, const Settings& settings, std::size_t rows) {
  if (training.steps > 0) return training.steps;
  const auto walk = static_cast<double>(rows_of(training, settings, rows));
  const auto batch = static_cast<double>(batch_of(training, settings, rows));
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(training.epochs * walk / batch)));
}

Course::Course(const Run& run, const MemberId& id, const Settings& settings)
    : settings_(&settings),
      stopping_(&run.training.stopping),
      rows_(id, run.training.resampling, run.table.rows, settings.subsample, run.training.reshuffle,
            execution::simd::kernels(run.level)),
      batch_(batch_of(run.training, settings, run.table.rows)),
      share_(1.0F / static_cast<float>(batch_)),
      beta1_(static_cast<float>(settings.momentum)),
      beta2_(static_cast<float>(settings.beta2)),
      last_step_(steps_of(run.training, settings, run.table.rows)),
      look_at_(look_after(1)),
      point_steps_(curve_steps(run.training)) {}

std::uint64_t Course::look_after(std::uint64_t looks) const {
  const double epoch = static_cast<double>(rows_.size()) / static_cast<double>(batch_);
  return std::max(step_ + 1, static_cast<std::uint64_t>(std::llround(
                                 static_cast<double>(looks) * stopping_->look_every * epoch)));
}

std::uint64_t Course::curve_steps(const Training& training) const {
  constexpr std::uint64_t kMostPoints = 1000;
  if (!training.curves) return 0;
  const std::uint64_t epoch = (rows_.size() + batch_ - 1) / batch_;
  return std::max(epoch, (last_step_ + kMostPoints - 1) / kMostPoints);
}

void Course::end_point() {
  best_.curve.push_back(static_cast<float>(point_sum_ / static_cast<double>(step_ - point_begin_)));
  point_begin_ = step_;
  point_sum_ = 0;
}

Course::Numbers Course::advance(float loss) {
  loss_ = loss;
  if (!std::isfinite(loss)) {
    best_.failure =
        text::concat("the loss is ", loss, " at step ", step_ + 1, " with learning rate ",
                     settings_->learning_rate, "; a lower one or clipping may help");
    return {};
  }
  double rate = settings_->learning_rate;
  if (settings_->schedule == Schedule::cosine)
    rate *= 0.5 * (1 + std::cos(std::numbers::pi * static_cast<double>(step_) /
                                static_cast<double>(last_step_)));
  ++step_;
  if (point_steps_ > 0) {
    point_sum_ += loss;
    if (step_ - point_begin_ == point_steps_) end_point();
  }
  power1_ *= beta1_;
  power2_ *= beta2_;
  const bool adam = settings_->optimizer != Optimizer::sgd;
  // AdamW takes decay from the weights at the plain rate, the others add it to the gradient.
  const double decay =
      settings_->weight_decay * (settings_->optimizer == Optimizer::adamw ? rate : 1.0);
  return {static_cast<float>(adam ? rate / (1 - power1_) : rate),
          static_cast<float>(1 / std::sqrt(1 - power2_)),
          static_cast<float>(decay),
          beta1_,
          beta2_,
          static_cast<float>(settings_->epsilon)};
}

float Course::clipped(float squares) const {
  const auto most = static_cast<float>(settings_->clip);
  const float norm = std::sqrt(squares);
  return most > 0 && norm > most ? most / norm : 1.0F;
}

void Course::look(double held_out_loss, const Parameters& parameters) {
  if (step_ == look_at_) look_at_ = look_after(++looks_ + 1);
  if (held_out_loss < best_.held_out_loss || std::isnan(best_.held_out_loss)) {
    worse_ = 0;
    best_.held_out_loss = held_out_loss;
    best_.steps = step_;
    best_.loss = loss_;
    best_.parameters = parameters();
  } else if (++worse_ >= stopping_->patience) {
    last_step_ = step_;
  }
}

Trained Course::finish(const Parameters& parameters) {
  if (point_steps_ > 0 && step_ > point_begin_) end_point();
  if (!best_.parameters.empty()) {  // a look found it good, whatever came later
    best_.failure.clear();
    return std::move(best_);
  }
  best_.steps = step_;
  best_.loss = loss_;
  best_.parameters = parameters();
  return std::move(best_);
}

std::vector<float> Course::held_out_weights(const Run& run) const {
  const Table& table = run.judges();
  std::vector<float> weights =
      run.validation != nullptr ? std::vector<float>(table.rows, 1.0F) : rows_.held_out();
  double total = 0;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (!table.weights.empty()) weights[row] *= table.weights[row];
    total += weights[row];
  }
  if (total > 0)
    for (float& weight : weights) weight /= static_cast<float>(total);
  return weights;
}

}  // namespace bootfold::ensemble
