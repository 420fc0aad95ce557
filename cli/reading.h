// cli/reading.h: reads files, and shows on the terminal how far it is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "progress.h"

namespace bootfold::cli {

/// data::read() with a progress bar on standard error, if that is a terminal and not `quiet`.
[[nodiscard]] data::Table read_files(const std::vector<std::string>& files,
                                     data::ReadOptions options, bool quiet);

/// A bar for files that are read several times: "reading", bytes and time left of this pass.
[[nodiscard]] std::unique_ptr<ProgressBar> reading_bar(bool quiet);

}  // namespace bootfold::cli
