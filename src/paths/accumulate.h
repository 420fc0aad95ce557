// Path `stream` for accumulators.
#pragma once

#include <memory>

#include "paths/entry.h"

namespace bootfold::paths::accumulate {

/// The problem has accumulators only, and as many rows are drawn as there are.
[[nodiscard]] Estimate estimate(const Question& question);
[[nodiscard]] std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources);

}  // namespace bootfold::paths::accumulate
