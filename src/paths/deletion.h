// The jackknife: a statistic without each row, and the influences that follow.
#pragma once

#include <span>
#include <vector>

#include "bootfold/influence.h"
#include "paths/paths.h"

namespace bootfold::paths {

/// The influence of each output of scheme jackknife, which gives standard error and bias. For
/// functions of sums and for quantiles it is more precise than the values themselves.
[[nodiscard]] std::vector<Influence> jackknife_influences(const Run& run,
                                                          std::span<const double> estimates);

}  // namespace bootfold::paths
