// What each path costs, in nanoseconds of one thread of the reference machine
// (docs/performance.md).
//
// The constants decide which path is taken, so they are part of what a replicate is: they never
// follow the machine. bench/engine_bench prints the rates they were read from.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bootfold::planning {

struct Size {
  double rows = 0;
  double draws = 0;
  double features = 0;
  double planes = 0;  // digits of all features
  double columns = 0;
  double distinct = 0;  // distinct rows; 0: too many
};

[[nodiscard]] double stream_cost(const Size& size) noexcept;    // a replicate
[[nodiscard]] double gather_cost(const Size& size) noexcept;    // a replicate of sums
[[nodiscard]] double distinct_cost(const Size& size) noexcept;  // a replicate
[[nodiscard]] double order_cost(double quantiles) noexcept;     // a replicate
[[nodiscard]] double selection_cost(const Size& size, double quantiles) noexcept;  // a run
[[nodiscard]] double resample_cost(const Size& size) noexcept;  // a replicate drawn out in full

/// Factor by which a slower instruction set takes longer; for estimates only.
[[nodiscard]] double level_factor(int level) noexcept;

}  // namespace bootfold::planning
