// cli/ensemble_selection.h: settings drawn from ranges, and the selection of members.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "bootfold/ensemble/selection.h"
#include "training_arguments.h"

namespace bootfold::cli {

/// As typed.
struct SelectionArguments {
  std::string sample;
  std::vector<std::string> depth;
  std::string select;
  std::string keep_best;
};

void add_selection_arguments(CLI::App& command, SelectionArguments& arguments);

/// parse_training() with the settings that --sample draws. Throws InvalidArgument for ranges
/// without --sample, and for the first invalid value.
[[nodiscard]] ensemble::Training parse_training(TrainingArguments training,
                                                const SelectionArguments& arguments,
                                                std::uint64_t seed);

/// How members are selected; nullopt: all are kept.
[[nodiscard]] std::optional<ensemble::SelectionOptions> parse_selection(
    const SelectionArguments& arguments, const ensemble::Training& training);

/// The option that asks for a selection, for messages: "--keep-best".
[[nodiscard]] const char* selecting_option(const SelectionArguments& arguments);

}  // namespace bootfold::cli
