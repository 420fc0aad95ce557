// The statistics on the data as they are.
#pragma once

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

}  // namespace bootfold::paths
