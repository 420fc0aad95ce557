#include "ensemble/training/member_training.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "ensemble/selection/row_draws.h"
#include "numeric/elementary.h"
#include "text/concat.h"

namespace bootfold::ensemble {

MemberTraining::MemberTraining(const TrainingContext& context, const MemberId& id,
                               const Settings& settings, const MemberStart& start)
    : id_(id),
      settings_(&settings),
      patience_(context.training.stopping.patience),
      validation_steps_(validation_steps(context.training, settings, context.matrix.rows)),
      rows_(id, context.training.resampling, context.matrix.rows, settings.subsample,
            context.training.reshuffle, context.level),
      batch_(batch_row_count(context.training, settings, context.matrix.rows)),
      share_(1.0F / static_cast<float>(batch_)),
      beta1_(static_cast<float>(settings.momentum)),
      beta2_(static_cast<float>(settings.beta2)),
      begin_(start.steps),
      step_(start.steps),
      last_step_(start.steps + step_count(context.training, settings, context.matrix.rows)),
      planned_steps_(last_step_ - start.steps),
      next_validation_(validation_step(1)),
      power1_(start.optimizer.power1),
      power2_(start.optimizer.power2),
      average_power_(start.averages.empty() ? 1.0 : start.optimizer.average_power),
      point_steps_(curve_steps(context.training)),
      point_begin_(start.steps),
      keeps_optimizer_(context.training.keep_optimizer),
      told_(static_cast<bool>(context.training.epoch_done)),
      watched_(validates(context.training)),
      next_epoch_(epoch_step(1)),
      epoch_begin_(start.steps) {
  epoch_.settings = static_cast<std::size_t>(&settings - context.training.settings.data());
  epoch_.number = id.number;
}

std::uint64_t MemberTraining::validation_step(std::uint64_t number) const {
  return std::max(step_ + 1, begin_ + static_cast<std::uint64_t>(std::llround(
                                          static_cast<double>(number) * validation_steps_)));
}

std::uint64_t MemberTraining::epoch_step(std::uint64_t number) const {
  const double epoch = static_cast<double>(rows_.size()) / static_cast<double>(batch_);
  return std::max(step_ + 1, begin_ + static_cast<std::uint64_t>(
                                          std::llround(static_cast<double>(number) * epoch)));
}

MemberEpoch MemberTraining::end_epoch() {
  ++epoch_.epoch;
  epoch_.step = step_;
  epoch_.loss = epoch_sum_ / static_cast<double>(step_ - epoch_begin_);
  next_epoch_ = epoch_step(epoch_.epoch + 1);
  epoch_begin_ = step_;
  epoch_sum_ = 0;
  return epoch_;
}

double MemberTraining::new_progress() noexcept {
  const double before = progress_;
  progress_ =
      done() ? 1 : static_cast<double>(step_ - begin_) / static_cast<double>(planned_steps_);
  return progress_ - before;
}

std::uint64_t MemberTraining::curve_steps(const Training& training) const {
  constexpr std::uint64_t kMostPoints = 1000;
  if (!training.curves) return 0;
  const std::uint64_t epoch = (rows_.size() + batch_ - 1) / batch_;
  return std::max(epoch, (last_step_ - begin_ + kMostPoints - 1) / kMostPoints);
}

void MemberTraining::end_curve_point() {
  best_.curve.push_back(static_cast<float>(point_sum_ / static_cast<double>(step_ - point_begin_)));
  point_begin_ = step_;
  point_sum_ = 0;
}

MemberTraining::StepValues MemberTraining::advance(float loss) {
  return record(loss) ? step_values() : StepValues{};
}

MemberTraining::StepValues MemberTraining::advance(float loss, const MemberTraining& beside,
                                                   const StepValues& values) {
  if (!record(loss)) return {};
  return !beside.failed() && in_step_with(beside) ? values : step_values();
}

bool MemberTraining::record(float loss) {
  loss_ = loss;
  if (!std::isfinite(loss)) {
    best_.failure =
        text::concat("the loss is ", loss, " at step ", step_ + 1, " with learning rate ",
                     settings_->learning_rate, "; a lower learning rate or clipping may help");
    return false;
  }
  ++step_;
  epoch_sum_ += loss;
  if (point_steps_ > 0) {
    point_sum_ += loss;
    if (step_ - point_begin_ == point_steps_) end_curve_point();
  }
  power1_ *= beta1_;
  power2_ *= beta2_;
  average_power_ *= settings_->average;
  return true;
}

MemberTraining::StepValues MemberTraining::step_values() const {
  const double rate = learning_rate();
  const bool adam = settings_->optimizer != Optimizer::sgd;
  // AdamW subtracts the decay from the weights; the others add it to the gradient.
  const double decay =
      settings_->weight_decay * (settings_->optimizer == Optimizer::adamw ? rate : 1.0);
  return {static_cast<float>(adam ? rate / (1 - power1_) : rate),
          static_cast<float>(1 / std::sqrt(1 - power2_)),
          static_cast<float>(decay),
          beta1_,
          beta2_,
          static_cast<float>(settings_->epsilon),
          static_cast<float>((1 - settings_->average) / (1 - average_power_))};
}

double MemberTraining::learning_rate() const {
  const auto steps = static_cast<double>(last_step_ - begin_);
  const auto done = static_cast<double>(step_ - 1 - begin_);  // before this one
  const double warm = settings_->warmup > 0 ? std::round(settings_->warmup * steps) : 0;
  if (done < warm) return settings_->learning_rate * ((done + 1) / (warm + 1));
  if (settings_->schedule == Schedule::constant) return settings_->learning_rate;
  const double turns = 0.5 * (done - warm) / (steps - warm);
  return settings_->learning_rate * (0.5 * (1 + numeric::sine_cosine_of_turns(turns).cosine));
}

float MemberTraining::clip_factor(float squares) const {
  const auto most = static_cast<float>(settings_->clip);
  const float norm = std::sqrt(squares);
  return most > 0 && norm > most ? most / norm : 1.0F;
}

void MemberTraining::validate(double held_out_loss, double group_loss,
                              const Parameters& parameters) {
  if (judged_) epoch_.held_out_loss = held_out_loss;
  if (patience_ == 0) return;
  if (step_ == next_validation_) next_validation_ = validation_step(++validations_ + 1);
  if (group_loss < best_.held_out_loss || std::isnan(best_.held_out_loss)) {
    without_improvement_ = 0;
    best_.held_out_loss = group_loss;
    best_.steps = step_;
    best_.loss = loss_;
    best_.parameters = parameters();
  } else if (++without_improvement_ >= patience_) {
    last_step_ = step_;
  }
}

TrainedMember MemberTraining::finish(const Parameters& parameters) {
  if (point_steps_ > 0 && step_ > point_begin_) end_curve_point();
  if (!best_.parameters.empty()) {  // the best validation counts, even if the member failed later
    best_.failure.clear();
    return std::move(best_);
  }
  best_.steps = step_;
  best_.loss = loss_;
  best_.parameters = parameters();
  return std::move(best_);
}

void MemberTraining::keep_optimizer(TrainedMember& trained, const Parameters& first,
                                    const Parameters& second, const Parameters& parameters) const {
  if (!keeps_optimizer_ || trained.steps != step_) return;
  trained.optimizer = {first(), second(), power1_, power2_, {}, average_power_};
  if (averages()) trained.optimizer.parameters = parameters();
}

std::vector<float> MemberTraining::validation_weights(const TrainingContext& context) {
  const TrainingMatrix& matrix = context.validation_matrix();
  std::vector<float> weights =
      context.validation != nullptr ? std::vector<float>(matrix.rows, 1.0F) : rows_.held_out();
  if (const double share = context.training.stopping.share_of_rows; share < 1 && patience_ > 0)
    for (std::size_t row = 0; row < weights.size(); ++row)
      if (!RowDraws(id_.seed, context.validation != nullptr, row).stops(share)) weights[row] = 0;
  double total = 0;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (!matrix.weights.empty()) weights[row] *= matrix.weights[row];
    total += weights[row];
  }
  judged_ = total > 0;
  if (judged_)
    for (float& weight : weights) weight /= static_cast<float>(total);
  else
    patience_ = 0;
  return weights;
}

}  // namespace bootfold::ensemble
