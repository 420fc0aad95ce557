// cli/command.h: what every subcommand gives to main.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>

#include "bootfold/distributed/group.h"
#include "interrupt.h"

namespace bootfold::cli {

/// The work of the chosen subcommand. It prints its result and throws what goes wrong.
struct Task {
  std::function<void(Interrupt&)> alone = {};  ///< by one process
  /// By the processes that mpirun started; empty if there is nothing for them to share.
  std::function<void(Interrupt&, const distributed::Group&)> together = {};

  Task& operator=(std::function<void(Interrupt&)> work) {
    alone = std::move(work);
    return *this;
  }
};

/// What was typed: a task, or text to print.
struct Command {
  Task task;
  std::string text;
};

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
