// Path `stream` for accumulators.
#pragma once

#include <memory>
#include <string>

#include "paths/entry.h"

namespace bootfold::paths::accumulate {

/// Whether the problem has accumulators only.
[[nodiscard]] bool suits(const Question& question);
/// As many rows must be drawn as there are, independently.
[[nodiscard]] std::string serves(const Question& question);
[[nodiscard]] Estimate estimate(const Question& question);
[[nodiscard]] std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources);

}  // namespace bootfold::paths::accumulate
