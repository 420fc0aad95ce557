// The memory limit of a run.
#pragma once

#include "bootfold/plan.h"

namespace bootfold::planning {

/// Options::memory, or the default that 0 stands for. All that plans or runs asks here.
[[nodiscard]] inline std::size_t memory_limit(const Options& options) {
  return execution::memory_limit(options.memory);
}

}  // namespace bootfold::planning
