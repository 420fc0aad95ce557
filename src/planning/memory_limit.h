// The working memory that a call may use.
#pragma once

#include <cstddef>

#include "bootfold/plan.h"

namespace bootfold::planning {

[[nodiscard]] inline std::size_t memory_limit(const Options& options) { return options.memory; }

}  // namespace bootfold::planning
