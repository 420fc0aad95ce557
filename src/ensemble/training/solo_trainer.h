// Trains one network at a time, because a pack of its size would not stay in the cache.
#pragma once

#include "ensemble/shape.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/training/aligned_floats.h"
#include "ensemble/training/member_training.h"

namespace bootfold::ensemble {

/// Whether networks of this shape are trained faster one by one than in packs. Both ways give the
/// same bits.
[[nodiscard]] bool trains_faster_alone(const Shape& shape, std::size_t batch_rows);

class SoloTrainer {
 public:
  SoloTrainer(const TrainingContext& context, const Settings& like);

  /// Trains one member. Throws Cancelled.
  [[nodiscard]] TrainedMember train(const MemberId& id, const Settings& settings,
                                    const execution::Worker& worker);

 private:
  void start(const MemberStart& start);
  [[nodiscard]] simd::SoloBatch next_batch(const MemberTraining& member);
  void step(MemberTraining& member);
  void validate(MemberTraining& member);
  void report(MemberTraining& member);
  [[nodiscard]] simd::SoloNetwork network();
  /// The values of all parameters, of a padded list.
  [[nodiscard]] std::vector<float> unpadded(const AlignedFloats& values) const;
  void pad(const std::vector<float>& values, AlignedFloats& list) const;
  [[nodiscard]] float squares() const;
  void update(Optimizer rule, const simd::Update& update);
  /// What is validated and kept: averages with Settings::average, else parameters.
  [[nodiscard]] AlignedFloats& kept(const MemberTraining& member) {
    return member.averages() ? averages_ : parameters_;
  }

  const TrainingContext& context_;
  Shape shape_;
  std::size_t batch_rows_;
  const simd::Kernels& kernels_;
  std::size_t size_;  // floats of all parameters, padded
  AlignedFloats parameters_;
  AlignedFloats averages_;  // with Settings::average
  AlignedFloats gradient_;
  AlignedFloats first_;
  AlignedFloats second_;
  AlignedFloats scratch_;
  AlignedFloats numbers_;
  AlignedFloats inputs_;
  AlignedFloats targets_;
  AlignedFloats weights_;
  std::vector<float> validation_weights_;
};

}  // namespace bootfold::ensemble
