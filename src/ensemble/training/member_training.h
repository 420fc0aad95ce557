// The state of one member during its training: step, learning rate, early stopping and loss curve.
// The arithmetic is done by PackTrainer or SoloTrainer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/dropout.h"
#include "ensemble/training/member_rows.h"
#include "ensemble/training/member_start.h"
#include "ensemble/training/training_context.h"

namespace bootfold::ensemble {

/// The result of the training of one member.
struct TrainedMember {
  std::uint64_t steps = 0;
  double loss = Member::kUnknown;
  double held_out_loss = Member::kUnknown;
  std::string failure = {};
  std::vector<float> parameters = {};
  std::vector<float> curve = {};
  OptimizerState optimizer = {};  // with Training::keep_optimizer
};

class MemberTraining {
 public:
  /// Returns the current parameters.
  using Parameters = std::function<std::vector<float>()>;

  /// What the optimizer needs for a step; simd::Update has these values for each lane.
  struct StepValues {
    float rate;
    float correction;
    float decay;
    float beta1;
    float beta2;
    float epsilon;
    float average;  // part of the parameters in their average
  };

  MemberTraining(const TrainingContext& context, const MemberId& id, const Settings& settings,
                 const MemberStart& start);

  [[nodiscard]] const Settings& settings() const noexcept { return *settings_; }
  [[nodiscard]] const MemberRows& rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint64_t step() const noexcept { return step_; }
  /// The key of the dropout masks of the next step.
  [[nodiscard]] DropoutKey dropout_key() const { return ensemble::dropout_key(id_, step_); }
  [[nodiscard]] bool averages() const noexcept { return settings_->average > 0; }
  /// Position of the next batch in the endless sequence of rows.
  [[nodiscard]] std::uint64_t position() const noexcept { return step_ * batch_; }
  [[nodiscard]] bool done() const noexcept { return step_ >= last_step_ || failed(); }
  [[nodiscard]] bool failed() const noexcept { return !best_.failure.empty(); }

  /// Records the loss of a batch and moves on to the next step. A loss that is not finite fails the
  /// member; the optimizer must then not make a step.
  StepValues advance(float loss);
  /// The same beside another member that has just made its step with these values: they are
  /// computed only if this member is at another step or has other settings.
  StepValues advance(float loss, const MemberTraining& beside, const StepValues& values);

  /// The factor that clips a gradient with this sum of squares.
  [[nodiscard]] float clip_factor(float squares) const;

  /// Whether the member is to be validated after this step, for early stopping or a report.
  [[nodiscard]] bool validation_due() const noexcept {
    if (failed()) return false;
    if (patience_ == 0) return watched_ && epoch_due();
    return step_ == next_validation_ || step_ == last_step_;
  }
  /// Records a validation loss: keeps the best parameters, and stops after `patience` validations
  /// without a lower loss. Members that share weights decide by the loss of their group.
  void validate(double held_out_loss, const Parameters& parameters) {
    validate(held_out_loss, held_out_loss, parameters);
  }
  void validate(double held_out_loss, double group_loss, const Parameters& parameters);

  /// Whether an epoch ends with this step, of which Training::epoch_done is to be told.
  [[nodiscard]] bool epoch_due() const noexcept {
    return told_ && !failed() && step_ > epoch_begin_ &&
           (step_ == next_epoch_ || step_ == last_step_);
  }
  /// The epoch that ends with this step; the next one begins.
  [[nodiscard]] MemberEpoch end_epoch();
  /// No step follows.
  void stop() noexcept { last_step_ = step_; }

  /// The share of the training, of 1, that was made since the last call: by steps, and all of the
  /// rest if the member is done.
  [[nodiscard]] double new_progress() noexcept;

  [[nodiscard]] TrainedMember finish(const Parameters& parameters);
  /// Adds the state of the optimizer to a member that finish() returned, if it is to be kept and if
  /// it belongs to these parameters. `parameters` are those that are averaged.
  void keep_optimizer(TrainedMember& trained, const Parameters& first, const Parameters& second,
                      const Parameters& parameters) const;

  /// Weight of each row of context.validation_matrix() in the validation loss; their sum is 1. A
  /// member that has no such rows, because it was trained on all of few, is not stopped early.
  [[nodiscard]] std::vector<float> validation_weights(const TrainingContext& context);
  /// Weight of a training row in the loss of its batch.
  [[nodiscard]] float weight(const TrainingMatrix& matrix, std::uint32_t row) const {
    return share_ * (rows_.weights().empty() ? 1.0F : rows_.weights()[row]) *
           (matrix.weights.empty() ? 1.0F : matrix.weights[row]);
  }

 private:
  /// The step of validation `number`, counted from 1.
  [[nodiscard]] std::uint64_t validation_step(std::uint64_t number) const;
  /// Steps per point of the loss curve; 0: no curve.
  [[nodiscard]] std::uint64_t curve_steps(const Training& training) const;
  void end_curve_point();
  /// advance() without its values; whether the optimizer makes the step.
  bool record(float loss);
  /// The values of the last step that was recorded, and its learning rate.
  [[nodiscard]] StepValues step_values() const;
  [[nodiscard]] double learning_rate() const;
  /// Whether step_values() are those of the other member.
  [[nodiscard]] bool in_step_with(const MemberTraining& other) const noexcept {
    return settings_ == other.settings_ && step_ == other.step_ && begin_ == other.begin_ &&
           last_step_ == other.last_step_ && power1_ == other.power1_ && power2_ == other.power2_ &&
           average_power_ == other.average_power_;
  }
  /// The last step of epoch `number`, counted from 1.
  [[nodiscard]] std::uint64_t epoch_step(std::uint64_t number) const;

  MemberId id_;
  const Settings* settings_;
  std::size_t patience_;
  double validation_steps_;  // between two
  MemberRows rows_;
  std::uint64_t batch_;
  float share_;  // of a row in the loss
  // In 32 bits, as the kernels see them: in 64 bits 1 - 0.999 differs by 1.3e-5 of itself, and so
  // would the first steps. Stored, because g++ 12 does not round a double that is converted to
  // float and back.
  float beta1_;
  float beta2_;
  std::uint64_t begin_;  // steps of earlier trainings
  std::uint64_t step_;
  std::uint64_t last_step_;
  std::uint64_t planned_steps_;  // without early stopping
  double progress_ = 0;          // that was told
  std::uint64_t validations_ = 0;
  std::uint64_t next_validation_;
  std::size_t without_improvement_ = 0;  // validations since the best
  double power1_;                        // beta1^step
  double power2_;
  double average_power_;  // average^step
  float loss_ = 0;
  std::uint64_t point_steps_;  // steps per point of the curve
  std::uint64_t point_begin_;  // first step of the current point
  double point_sum_ = 0;
  bool keeps_optimizer_;
  bool told_;            // of epochs
  bool judged_ = false;  // whether there are rows to validate it on
  bool watched_;         // validated at the end of every epoch
  MemberEpoch epoch_ = {};
  std::uint64_t next_epoch_;
  std::uint64_t epoch_begin_;
  double epoch_sum_ = 0;
  TrainedMember best_ = {};
};

}  // namespace bootfold::ensemble
