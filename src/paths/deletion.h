// The jackknife: a statistic without each row, and what these values say.
#pragma once

#include <span>

#include "bootfold/bootstrap.h"
#include "paths/paths.h"

namespace bootfold::paths {

/// What a result of scheme jackknife carries: standard error and bias come from it. Functions of
/// sums and quantiles have it to more digits than the values themselves.
[[nodiscard]] Companions jackknife_companions(const Run& run, std::span<const double> estimates);

}  // namespace bootfold::paths
