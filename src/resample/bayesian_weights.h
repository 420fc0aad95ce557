// The weights of rows under the Bayesian bootstrap.
#pragma once

#include <cstdint>
#include <span>

#include "bootfold/execution.h"

namespace bootfold::resample {

/// The weights of replicates first, first + 1, ..., those of path `weights`, scaled to add up to
/// the number of rows: out[replicate - first][row]. On the threads of `execution`.
void bayesian_weights(execution::Level level, std::uint64_t seed, std::uint64_t first,
                      std::uint64_t rows, std::span<double> out, const Execution& execution);

}  // namespace bootfold::resample
