// cli/command.h: what every subcommand gives to main.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "interrupt.h"

namespace bootfold::cli {

/// The work of the chosen subcommand. It prints its result and throws what goes wrong.
using Task = std::function<void(Interrupt&)>;

// Each adds one subcommand to `root`; when it is the one that was typed, it sets `task`.
void add_bootstrap(CLI::App& root, Task& task);
void add_explain(CLI::App& root, Task& task);
void add_interval(CLI::App& root, Task& task);
void add_extend(CLI::App& root, Task& task);
void add_compare(CLI::App& root, Task& task);
void add_ensemble(CLI::App& root, Task& task);
void add_look(CLI::App& root, Task& task);
void add_plan(CLI::App& root, Task& task);
void add_part(CLI::App& root, Task& task);
void add_merge(CLI::App& root, Task& task);
void add_demo(CLI::App& root, Task& task);
void add_demo_spirals(CLI::App& demo, Task& task);

}  // namespace bootfold::cli
