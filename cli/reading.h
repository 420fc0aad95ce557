// cli/reading.h: reads files, and shows on the terminal how far it is.
#pragma once

#include <string>
#include <vector>

#include "bootfold/data.h"

namespace bootfold::cli {

/// data::read() with a progress bar on standard error, if that is a terminal and not `quiet`.
[[nodiscard]] data::Table read_files(const std::vector<std::string>& files,
                                     data::ReadOptions options, bool quiet);

}  // namespace bootfold::cli
