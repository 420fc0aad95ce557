// Path `stream` for measures of ranking (roc_auc, average_precision).
#pragma once

#include "paths/entry.h"

namespace bootfold::paths::ranked {

/// Whether every statistic is a measure of ranking and counts are small enough for bytes.
[[nodiscard]] bool suits(const Question& question);

[[nodiscard]] Estimate estimate(const Question& question);
[[nodiscard]] std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources);

}  // namespace bootfold::paths::ranked
