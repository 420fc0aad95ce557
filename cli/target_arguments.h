// cli/target_arguments.h: the targets of a training as typed: columns, losses and transforms.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/ensemble/training.h"

namespace bootfold::cli {

/// A heading of the help page.
inline constexpr const char* kToLearn = "What to learn";

/// As typed.
struct TargetArguments {
  std::vector<std::string> columns;  ///< of --target, such as "price" or "price:huber"
  std::string task;
  std::string loss;
  std::vector<std::string> quantiles;
  std::string huber_delta;
  std::vector<std::string> pos_weight;
  std::vector<std::string> transform;
};

void add_target_arguments(CLI::App& command, TargetArguments& arguments);

/// What is to be learned.
struct Goal {
  std::vector<std::string> columns;    ///< of the targets
  std::optional<ensemble::Loss> loss;  ///< of all targets, as far as it is given
  std::vector<ensemble::Loss> losses;  ///< of each target, if they differ
  std::optional<bool> classes;         ///< unless the column has to tell
};

/// Throws InvalidArgument for columns, a task and losses that do not belong together.
[[nodiscard]] Goal goal_of(const TargetArguments& arguments);

/// Sets the options of losses and transforms. Throws InvalidArgument for the first invalid one.
void set_targets(const TargetArguments& arguments, ensemble::Training& training);

}  // namespace bootfold::cli
