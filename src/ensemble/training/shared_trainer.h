// Trains members that share the weights of their hidden layers (Training::share).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ensemble/shape.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/training/aligned_floats.h"
#include "ensemble/training/member_training.h"

namespace bootfold::ensemble {

/// Trains all members of one of the settings together, on the mean of their losses.
///
/// The weights of hidden layers are W[j][i] s[j] r[i], with W of all members and r and s of each.
/// Everything else is a member's own: biases, gains, offsets and the weights of the outputs. So a
/// trained member is a network like any other, and its gradient is that of a pack; the chain rule
/// leads from there to W, r and s. Sums over members are made in 16 parts, member m in part m % 16,
/// so that every level gives the same bits.
class SharedTrainer {
 public:
  SharedTrainer(const TrainingContext& context, const Settings& settings,
                std::span<const MemberId> ids);

  /// Throws Cancelled.
  [[nodiscard]] std::vector<TrainedMember> train(const execution::Worker& worker);

 private:
  /// Members that share vectors, one in each lane. What a lane without a member has is 0.
  struct Pack {
    std::size_t first;  // member
    std::size_t count;
    AlignedFloats own;      // as the parameters of a network; weights of hidden layers are not used
    AlignedFloats inputs;   // r of all hidden layers
    AlignedFloats outputs;  // s
    AlignedFloats own_moments[2];
    AlignedFloats input_moments[2];
    AlignedFloats output_moments[2];
    AlignedFloats averages;    // with Settings::average
    AlignedFloats validation;  // [row][lane]: weights
    // Of the current step:
    AlignedFloats parameters;
    AlignedFloats gradient;
    AlignedFloats input_gradient;
    AlignedFloats output_gradient;
  };

  void start();
  /// The parameters of the networks, from what is trained.
  void compose(Pack& pack) const;
  [[nodiscard]] simd::PackBatch next_batch(const Pack& pack);
  /// Loss and gradient of a pack; adds to the gradient of the shared weights.
  void differentiate(Pack& pack);
  /// Sum of the squares of the gradient of everything that is trained.
  [[nodiscard]] double squares() const;
  void step();
  void update(const MemberTraining::StepValues& values, float scale);
  void validate();
  void report();
  /// Keeps the members that have made their last step.
  void collect(std::vector<TrainedMember>& trained);
  [[nodiscard]] simd::PackNetworks networks(Pack& pack, AlignedFloats& parameters);
  [[nodiscard]] AlignedFloats& kept(Pack& pack) const;
  [[nodiscard]] std::vector<float> lane_of(const AlignedFloats& values, std::size_t lane) const;

  const TrainingContext& context_;
  const Settings& settings_;
  std::vector<MemberId> ids_;
  Shape shape_;
  std::size_t batch_rows_;
  const simd::Kernels& kernels_;
  std::size_t lanes_;
  std::size_t scales_in_ = 0;   // r of all hidden layers
  std::size_t scales_out_ = 0;  // s
  std::vector<MemberTraining> members_;
  std::vector<bool> busy_;  // [member]: not collected yet
  std::vector<Pack> packs_;
  AlignedFloats shared_;  // as the parameters of a network; only weights of hidden layers are used
  AlignedFloats shared_moments_[2];
  AlignedFloats shared_parts_;  // [parameter][part]: gradient
  AlignedFloats shared_gradient_;
  AlignedFloats scratch_;
  AlignedFloats losses_;
  std::vector<std::uint32_t> index_;
  AlignedFloats targets_;
  AlignedFloats weights_;
  AlignedFloats validation_targets_;
  std::vector<std::uint32_t> drop_words_;
  AlignedFloats drop_scale_;
};

}  // namespace bootfold::ensemble
