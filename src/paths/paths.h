// The paths: each makes replicates first .. first + replicates - 1 and writes their values.
//
// All run on map_reduce over groups of replicates; a group's values go straight to their place in
// the result, so there is nothing to merge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/execution.h"
#include "bootfold/map_reduce.h"
#include "bootfold/plan.h"
#include "planning/choose.h"

namespace bootfold::paths {

class OrderData;  // order_data.h

/// What a path needs to know of a run.
struct Run {
  const planning::Prepared& prepared;
  std::uint64_t seed;
  std::uint64_t first;
  Execution execution;       // threads and level as planned
  std::span<double> values;  // [replicate][output]

  [[nodiscard]] std::uint64_t replicates() const { return prepared.plan.replicates; }
  [[nodiscard]] std::size_t outputs() const { return prepared.plan.outputs.size(); }
  [[nodiscard]] std::span<double> values_of(std::uint64_t replicate) const {
    return values.subspan((replicate - first) * outputs(), outputs());
  }
};

void run_stream(const Run& run);                        // functions of sums: counts times features
void run_accumulate(const Run& run);                    // accumulators: rows with their counts
void run_gather(const Run& run);                        // functions of sums: features of drawn rows
void run_resampled(const Run& run);                     // anything: the resample drawn out in full
void run_distinct(const Run& run);                      // functions of sums over few distinct rows
void run_order(const Run& run, const OrderData& data);  // quantiles of one column
void run_blocks(const Run& run);                        // functions of sums of blocks of rows
void run_weights(const Run& run);                       // functions of weighted sums
void run_deletion(const Run& run);                      // sums and quantiles without each row

/// The statistics on the data as they are. `order`: of path order, null for the others.
[[nodiscard]] std::vector<double> estimates(const planning::Prepared& prepared,
                                            const Execution& execution, const OrderData* order);

/// Calls body(first, last, worker) for groups of `group` neighbouring replicates. The body reports
/// its progress: `steps` for each replicate.
template <class Body>
void for_each_group(const Run& run, std::uint64_t group, std::uint64_t steps, Body&& body) {
  struct Nothing {};
  const std::uint64_t run_end = run.first + run.replicates();
  const double total = static_cast<double>(run.replicates()) * static_cast<double>(steps);
  static_cast<void>(map_reduce(
      {run.first / group, (run_end - 1) / group + 1, 1}, Nothing{},
      [&](Nothing&, std::size_t index, const execution::Worker& worker) {
        const std::uint64_t begin = index * group;
        body(std::max(run.first, begin), run_end - begin > group ? begin + group : run_end, worker);
      },
      [](Nothing&, Nothing&&) {}, run.execution, total));
}

}  // namespace bootfold::paths
