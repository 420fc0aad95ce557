// Networks of one shape trained side by side, one to a lane.
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

/// Trains members that differ in numbers, not in shape, optimizer and batch size.
///
/// Each lane goes its own way: it has its own rows, step and settings, and when its member is done
/// the next one takes its place.
class Pack {
 public:
  /// For `members` of them. Few get narrower vectors, which are faster where most lanes would idle.
  Pack(const Run& run, const Settings& like, std::size_t members);

  /// Trains them all; settings[i] are those of ids[i]. Throws Cancelled.
  [[nodiscard]] std::vector<Trained> train(std::span<const MemberId> ids,
                                           std::span<const Settings* const> settings,
                                           const execution::Worker& worker);

 private:
  void start(std::size_t lane, const MemberId& id, const Settings& settings);
  [[nodiscard]] simd::Batch next_batch();
  void fill_ahead();
  void step();
  void look();
  [[nodiscard]] simd::Pack networks();
  [[nodiscard]] std::vector<float> parameters_of(std::size_t lane) const;

  const Run& run_;
  Shape shape_;
  Optimizer optimizer_;
  std::size_t batch_rows_;
  const simd::Kernels& kernels_;
  std::size_t lanes_;
  std::vector<std::optional<Course>> lane_;  // nothing: the lane is idle
  Floats parameters_;
  Floats gradient_;
  Floats first_;
  Floats second_;
  Floats scratch_;
  Floats numbers_;  // of an update, a vector each
  Floats loss_;
  // A batch: either made anew for every step, or a piece of what lies ahead.
  std::vector<std::uint32_t> index_;
  Floats targets_;
  Floats weights_;
  bool ahead_ = false;  // all lanes walk in step: their whole walk is laid out
  Floats ahead_inputs_;
  Floats ahead_targets_;
  Floats ahead_weights_;
  // Early stopping looks at all judges; weights[row][lane] are 0 for rows that it learns from.
  Floats held_out_weights_;
  Floats held_out_targets_;
};

}  // namespace bootfold::ensemble
