// The statistics on the data as they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/execution.h"
#include "resample/design.h"
#include "study/study.h"

namespace bootfold::paths {

/// All values, under the probabilities that the design gives the rows. Means come from the look at
/// the rows. Throws Cancelled, and what a user's statistic throws.
[[nodiscard]] std::vector<double> estimates(const study::Study& study,
                                            const resample::Design& design,
                                            const Execution& execution);

/// How often each row is repeated where a function can only see rows: once, or in proportion to the
/// weights, as whole numbers that add up to the number of rows. None is 1 away from its share.
[[nodiscard]] std::vector<std::uint32_t> repetitions(std::uint64_t rows,
                                                     std::span<const double> weights);

}  // namespace bootfold::paths
