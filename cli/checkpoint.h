// cli/checkpoint.h: --checkpoint, and what is told about it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/execution.h"

namespace bootfold::cli {

/// Declares --checkpoint under a heading of the help page.
void add_checkpoint(CLI::App& command, std::string& checkpoint, const char* group);

/// Throws InvalidArgument if the checkpoint is one of the other files: (option or "FILE", path).
void check_checkpoint(const std::string& checkpoint,
                      const std::vector<std::pair<std::string, std::string>>& others);

/// For Execution::note: notes on standard error, one line each. `silent`: only warnings.
[[nodiscard]] std::function<void(const execution::Note&)> notes(bool silent);

/// Whether a run in this process went on from a checkpoint, so that its time is not that of all.
[[nodiscard]] bool was_resumed();

/// Deletes the checkpoint of a run whose results are written.
void finish_checkpoint(const std::string& checkpoint);

}  // namespace bootfold::cli
