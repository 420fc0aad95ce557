// Which path serves, which is cheapest, and what it needs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bootfold/plan.h"
#include "study/distinct.h"
#include "study/fixed_point.h"
#include "study/problem.h"

namespace bootfold::planning {

using namespace study;  // NOLINT(google-build-using-namespace): planning is about studies

/// Up to here path stream keeps the features of all rows as integers: 4 MiB.
inline constexpr std::uint64_t kKeptRows = 65536;
inline constexpr std::size_t kManyColumns = 8;
inline constexpr std::uint64_t kKeptIntegers = std::uint64_t{1} << 19;

/// A plan and all that was found out on the way: what the paths run on.
struct Prepared {
  Problem problem;
  Scheme scheme;
  Plan plan;
  std::vector<FeatureSummary> features;
  std::vector<FixedFeature> fixed;
  std::optional<DistinctRows> distinct;
  bool whole_resample = false;  // path gather draws the resample out in full
  bool compensated = false;     // sums are kept in doubles
  std::size_t group = 1;        // replicates handled together
  std::size_t tile_rows = 4096;
  std::size_t running_bytes = 8;  // of a running sum of path blocks
  bool copies_strata = false;     // path stream reads a copy of the rows, stratum by stratum

  /// Does path stream keep the integers of all rows for its top-up, in place of looking rows up?
  /// Whether path stream looks the rows of a top-up up in order. Sorting costs more than it gains
  /// for few columns: with 1 or 2 it was a tenth slower, with 6 the same, with 26 a sixth faster.
  [[nodiscard]] bool sorts_late_rows() const noexcept {
    return !keeps_integers() && problem.data.columns() >= kManyColumns;
  }
  [[nodiscard]] bool keeps_integers() const noexcept {
    return plan.rows <= kKeptRows && plan.rows * fixed.size() <= kKeptIntegers;
  }
};

[[nodiscard]] Prepared prepare(const DataView& data, std::span<const Statistic> statistics,
                               const Options& options);

}  // namespace bootfold::planning
