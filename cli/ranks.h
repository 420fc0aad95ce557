// cli/ranks.h: the program as one of several processes that mpirun started.
#pragma once

#include <functional>

#include "command.h"

namespace bootfold::cli {

/// Runs what was typed, together with the other processes, and returns the exit code. Rank 0 speaks
/// for all. If one process fails, it prints its message with its rank and ends the others.
[[nodiscard]] int run_in_group(int count, char** words,
                               const std::function<Command(int, char**)>& parse);

}  // namespace bootfold::cli
