// The plan and the result of several runs over the same rows, each of some of the statistics.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bootfold/bootstrap.h"

namespace bootfold {

/// `outputs`: for each run, the numbers of its values among all. `names`: of all values.
[[nodiscard]] Plan joined(std::vector<Plan> plans,
                          std::span<const std::vector<std::size_t>> outputs,
                          std::vector<std::string> columns, std::vector<std::string> names);

/// Results in the order of the plan's runs.
[[nodiscard]] Result joined(Plan plan, std::vector<Result> results,
                            std::span<const std::vector<std::size_t>> outputs);

}  // namespace bootfold
