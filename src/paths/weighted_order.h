// Path `stream` (and `gather`, where counts do not stream) for quantiles of rows with weights.
#pragma once

#include "paths/entry.h"

namespace bootfold::paths::weighted_order {

/// Whether every statistic is a function of quantiles with weights and counts fit bytes.
[[nodiscard]] bool suits(const Question& question);

[[nodiscard]] Estimate estimate(const Question& question);
[[nodiscard]] std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources);

}  // namespace bootfold::paths::weighted_order
