// cli/usage.h: help that teaches by example, and one helpful line for a mistyped command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace bootfold::cli {

/// Lets `app` and all its subcommands print help in our form and report mistakes through us.
void prepare(CLI::App& app);

/// Examples for the end of a help page: a command and what it does.
[[nodiscard]] std::string examples(
    const std::vector<std::pair<std::string, std::string>>& commands);

/// Throws InvalidArgument for words and options that nothing took, and for a missing command.
void check_all_taken(const CLI::App& app);

/// CLI11's message about a malformed command line as ours.
[[nodiscard]] std::string explain_mistake(const CLI::ParseError& error);

}  // namespace bootfold::cli
