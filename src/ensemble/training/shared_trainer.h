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

/// Trains one group, on the mean of the losses of its members.
///
/// The weights of hidden layers are W[j][i] s[j] r[i], with W of the group and r and s of each
/// member. Everything else is a member's own: biases, gains, offsets and the weights of the
/// outputs. So a member is a network like any other, and a pack makes its gradient; the chain rule
/// leads from there to W, r and s. Members take their steps together and stop together.
class SharedTrainer {
 public:
  SharedTrainer(const TrainingContext& context, const Settings& settings,
                std::span<const MemberId> ids);

  /// Throws Cancelled.
  [[nodiscard]] std::vector<TrainedMember> train(const execution::Worker& worker);

 private:
  /// A list with a vector for each of its numbers, its moments and its gradient.
  struct Trained {
    void resize(std::size_t size);
    AlignedFloats values;
    AlignedFloats first;
    AlignedFloats second;
    AlignedFloats gradient;
  };

  /// Members side by side, one in each lane. All numbers of a lane without a member are 0.
  struct Pack {
    std::size_t begin;  // first member
    std::size_t count;
    AlignedFloats parameters;  // of the networks
    AlignedFloats gradient;
    AlignedFloats averages;  // with Settings::average
    AlignedFloats first;     // moments of what is the member's own, without gaps
    AlignedFloats second;
    Trained r;  // of all hidden layers
    Trained s;
  };

  void start();
  void start(const MemberStart& start, Pack& pack, std::size_t lane, const MemberId& id);
  /// Keeps the rows of the validation, which are those of all members.
  void keep_validation_rows(const std::vector<float>& weights);
  /// Sets the weights of hidden layers in Pack::parameters.
  void compose(Pack& pack) const;
  [[nodiscard]] simd::PackBatch next_batch(const Pack& pack);
  /// Loss and gradient of the networks.
  void differentiate(Pack& pack, float* losses);
  /// Gradient of W, r and s.
  void apply_chain_rule();
  /// Sum of the squares of the gradient of everything that is trained.
  [[nodiscard]] double squares() const;
  void step();
  void update(const MemberTraining::StepValues& values, float scale);
  void validate();
  void report();
  [[nodiscard]] simd::PackNetworks networks(Pack& pack, AlignedFloats& parameters);
  [[nodiscard]] const AlignedFloats& kept(const Pack& pack) const;
  /// What is kept of member `number` of the group.
  [[nodiscard]] std::vector<float> parameters_of(std::size_t number) const;
  [[nodiscard]] bool done() const { return members_[0].done(); }

  const TrainingContext& context_;
  const Settings& settings_;
  std::vector<MemberId> ids_;
  Shape shape_;
  std::size_t batch_rows_;
  const simd::Kernels& kernels_;
  std::size_t lanes_;
  std::size_t inputs_ = 0;   // of all hidden layers
  std::size_t outputs_ = 0;  // the same
  std::size_t own_ = 0;      // numbers of a member beside r and s
  std::vector<MemberTraining> members_;
  std::vector<Pack> packs_;
  Trained shared_;       // W at the places of a network
  AlignedFloats parts_;  // of the gradient of a row of W
  AlignedFloats scratch_;
  AlignedFloats losses_;  // [member], padded
  std::vector<std::uint32_t> index_;
  AlignedFloats targets_;
  AlignedFloats weights_;
  std::vector<std::uint32_t> drop_words_;
  AlignedFloats drop_scale_;
  simd::Dropout masks_{};
  // The rows of the validation:
  std::size_t validation_rows_ = 0;
  std::vector<float> validation_inputs_;
  AlignedFloats validation_targets_;
  AlignedFloats validation_weights_;
};

}  // namespace bootfold::ensemble
