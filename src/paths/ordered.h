// Path `stream` (and `gather`, where counts do not stream) for mad, gini, top_share and spearman,
// also beside quantiles.
#pragma once

#include "paths/entry.h"

namespace bootfold::paths::ordered {

/// Whether all statistics are these, some of them no quantiles, and counts are small enough for
/// bytes.
[[nodiscard]] bool suits(const Question& question);

[[nodiscard]] Estimate estimate(const Question& question);
[[nodiscard]] std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources);

}  // namespace bootfold::paths::ordered
