// Trains networks of one shape side by side, one in each lane.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ensemble/shape.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/training/aligned_floats.h"
#include "ensemble/training/member_training.h"

namespace bootfold::ensemble {

/// Trains a pack: members with the same shape, optimizer and batch size.
///
/// Each lane has its own rows, step and settings. When its member is done, the lane takes the next
/// one.
class PackTrainer {
 public:
  /// For `members` members. A few use narrower vectors, which are faster if most lanes would idle.
  PackTrainer(const TrainingContext& context, const Settings& like, std::size_t members);

  /// Trains members `ids`; settings[i] are those of ids[i]. Throws Cancelled.
  [[nodiscard]] std::vector<TrainedMember> train(std::span<const MemberId> ids,
                                                 std::span<const Settings* const> settings,
                                                 const execution::Worker& worker);

 private:
  void start(std::size_t lane, const MemberId& id, const Settings& settings);
  [[nodiscard]] simd::PackBatch next_batch();
  /// Stores the rows of a whole epoch of all lanes, if that is small and the lanes are in step.
  void store_epoch();
  void step();
  void validate();
  /// Tells Training::epoch_done of the epochs that have ended.
  void report();
  [[nodiscard]] simd::PackNetworks networks();
  /// The dropout masks of the next step of all lanes; null: none.
  [[nodiscard]] const simd::Dropout* next_masks();
  void update(const simd::Update& update);
  /// What is validated and kept: averages if some lanes average, else parameters.
  [[nodiscard]] AlignedFloats& kept() { return averaging_ ? averages_ : parameters_; }
  [[nodiscard]] std::vector<float> lane_of(const AlignedFloats& values, std::size_t lane) const;

  const TrainingContext& context_;
  Shape shape_;
  Optimizer optimizer_;
  std::size_t batch_rows_;
  const simd::Kernels& kernels_;
  std::size_t lanes_;
  std::vector<std::optional<MemberTraining>> lane_;  // nullopt: the lane is idle
  AlignedFloats parameters_;
  bool averaging_ = false;  // some members have Settings::average
  AlignedFloats averages_;  // of other members they are the parameters
  AlignedFloats gradient_;
  AlignedFloats first_;
  AlignedFloats second_;
  AlignedFloats scratch_;
  AlignedFloats numbers_;  // values of simd::Update, one vector each
  AlignedFloats loss_;
  bool drops_;                             // has dropout
  std::vector<std::uint32_t> drop_words_;  // values of simd::Dropout, one vector each
  AlignedFloats drop_scale_;
  simd::Dropout masks_{};
  // A batch is gathered for every step, or is a part of the stored epoch.
  std::vector<std::uint32_t> index_;
  AlignedFloats targets_;
  AlignedFloats weights_;
  bool epoch_stored_ = false;
  AlignedFloats epoch_inputs_;
  AlignedFloats epoch_targets_;
  AlignedFloats epoch_weights_;
  // Early stopping: weights[row][lane] are 0 for rows that the member is trained on.
  AlignedFloats validation_weights_;
  AlignedFloats validation_targets_;
};

}  // namespace bootfold::ensemble
