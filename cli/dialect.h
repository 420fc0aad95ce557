// cli/dialect.h: --delimiter, --decimal, --thousands and --missing: how a text file is written.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bootfold/data.h"

namespace bootfold::cli {

/// As typed; empty if not given.
struct DialectArguments {
  std::string delimiter;
  std::string decimal;
  std::string thousands;
  std::vector<std::string> missing;
};

/// Declares the options under a heading of the help page.
void add_dialect_arguments(CLI::App& command, DialectArguments& arguments, const char* group);

/// Sets what was given. Throws InvalidArgument for what is neither a character nor a name of one.
void set_dialect(const DialectArguments& arguments, data::ReadOptions& options);

}  // namespace bootfold::cli
