// Access to the state of random::Lanes, for tests of kernels that keep lanes in registers.
#pragma once

#include "bootfold/random.h"

namespace bootfold::random {

struct LaneAccess {
  /// [word][lane]
  [[nodiscard]] static auto& state(Lanes& lanes) noexcept { return lanes.state_; }
  [[nodiscard]] static const auto& state(const Lanes& lanes) noexcept { return lanes.state_; }
};

}  // namespace bootfold::random
