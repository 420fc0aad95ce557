// cli/ensemble.h: the commands of `bootfold ensemble`.
#pragma once

#include <CLI/CLI.hpp>

#include "bootfold/ensemble/ensemble.h"
#include "command.h"
#include "ensemble_report.h"

namespace bootfold::cli {

// Each adds one command to `group`.
void add_ensemble_train(CLI::App& group, Task& task);
void add_ensemble_predict(CLI::App& group, Task& task);
void add_ensemble_evaluate(CLI::App& group, Task& task);

}  // namespace bootfold::cli
