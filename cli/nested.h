// cli/nested.h: what a bootstrap of every resample costs, said before it starts.
#pragma once

#include <span>

#include "bootfold/plan.h"

namespace bootfold::cli {

/// Are resamples bootstrapped: standard errors are asked for and a statistic has no formula?
[[nodiscard]] bool is_nested(std::span<const Statistic> statistics, const Options& options);

/// Seconds that the replicates will take, from a few that are made and thrown away: about a tenth
/// of a second, or two replicates a thread.
[[nodiscard]] double measure_nested(const DataView& data, std::span<const Statistic> statistics,
                                    Options options);

/// Says so on standard error, if it is worth saying.
void announce_nested(double seconds, std::uint64_t nested_replicates);

}  // namespace bootfold::cli
