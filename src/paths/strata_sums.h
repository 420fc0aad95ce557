// Path `gather` for functions of sums over many small strata: rows are drawn tile by tile, for some
// replicates at a time, and their integers looked up while they are near.
#pragma once

#include <memory>

#include "paths/entry.h"
#include "resample/small_strata.h"
#include "study/fixed_sums.h"

namespace bootfold::paths::strata_sums {

[[nodiscard]] std::unique_ptr<Engine> prepare(const study::FixedSums& sums,
                                              std::unique_ptr<const resample::SmallStrata> strata,
                                              const Resources& resources);

}  // namespace bootfold::paths::strata_sums
