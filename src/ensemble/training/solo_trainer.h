// Trains one network at a time, because a pack of its size would not stay in the cache.
#pragma once

#include "ensemble/shape.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/training/aligned_floats.h"
#include "ensemble/training/member_training.h"
#include "ensemble/training/team.h"

namespace bootfold::ensemble {

/// Whether networks of this shape are trained faster one by one than in packs. Both ways give the
/// same bits.
[[nodiscard]] bool trains_faster_alone(const Shape& shape, std::size_t batch_rows);

/// Of so many threads, those that are worth it for one network.
[[nodiscard]] std::size_t useful_threads(const Shape& shape, std::size_t batch_rows,
                                         std::size_t threads);

class SoloTrainer {
 public:
  /// Trains on `threads` threads together, which never changes a member. Networks with extended
  /// layers have one thread.
  SoloTrainer(const TrainingContext& context, const Settings& like, std::size_t threads = 1);

  /// Trains one member. Throws Cancelled.
  [[nodiscard]] TrainedMember train(const MemberId& id, const Settings& settings,
                                    const execution::Worker& worker);

 private:
  void start(const MemberStart& start);
  /// Lists the rows of the next batch in index_.
  [[nodiscard]] simd::SoloBatch next_batch(const MemberTraining& member);
  /// The loss of a batch whose rows of `matrix` are in index_, by all threads.
  void add_loss(const TrainingMatrix& matrix, const simd::SoloNetwork& solo,
                const simd::SoloBatch& batch, float& loss);
  /// Calls body(network) on all threads, each with the share of its own; on this thread alone if
  /// layers are extended or steps are faster that way.
  template <class Body>
  void run(const simd::SoloNetwork& solo, Body&& body);
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
  Team team_;
  TeamChoice choice_;
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
  std::vector<std::uint32_t> index_;
  std::vector<float> validation_weights_;
};

}  // namespace bootfold::ensemble
