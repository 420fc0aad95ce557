// One network trained on its own, because a pack of its kind would not stay in the cache.
#pragma once

#include "ensemble/shape.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/training/aligned_floats.h"
#include "ensemble/training/member_training.h"

namespace bootfold::ensemble {

/// Whether networks of this shape are faster one by one than side by side. Both ways give the same
/// bits, so this is a matter of speed alone.
[[nodiscard]] bool better_alone(const Shape& shape, std::size_t batch_rows);

class Single {
 public:
  Single(const Run& run, const Settings& like);

  /// Trains one member. Throws Cancelled.
  [[nodiscard]] Trained train(const MemberId& id, const Settings& settings,
                              const execution::Worker& worker);

 private:
  void start(const MemberId& id, const Settings& settings);
  [[nodiscard]] simd::SingleBatch next_batch(const Course& course);
  void step(Course& course);
  void look(Course& course);
  [[nodiscard]] simd::Single network();
  [[nodiscard]] std::vector<float> parameters() const;
  [[nodiscard]] float squares() const;

  const Run& run_;
  Shape shape_;
  std::size_t batch_rows_;
  const simd::Kernels& kernels_;
  std::size_t size_;  // of all parameters, padded
  Floats parameters_;
  Floats gradient_;
  Floats first_;
  Floats second_;
  Floats scratch_;
  Floats numbers_;
  Floats inputs_;
  Floats targets_;
  Floats weights_;
  std::vector<float> held_out_;
};

}  // namespace bootfold::ensemble
