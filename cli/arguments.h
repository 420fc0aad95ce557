// cli/arguments.h: the options that `bootfold bootstrap` and `bootfold explain` share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/plan.h"
#include "bootfold/statistic.h"

namespace bootfold::cli {

/// As typed. Numbers stay text until check() so that every mistake gets our own message.
struct Arguments {
  std::string file;
  std::vector<std::string> columns;
  std::vector<std::string> statistics;
  std::string replicates = "10000";
  std::string seed = "0";
  std::string threads;
  std::string memory = "64M";
  std::string confidence = "0.95";
  std::string tolerance = "1e-5";
  std::string path;
  std::string nan = "error";
  std::string header = "auto";
  std::string output;
  bool json = false;
  bool quiet = false;
};

/// What was meant.
struct Request {
  std::string file;
  data::ReadOptions read;
  std::vector<Statistic> statistics;
  Options options;
  bool exact = false;  ///< no replicates: the law itself
  double confidence = 0.95;
  std::string output;
  bool json = false;
  bool quiet = false;
};

/// Declares the options; `arguments` must outlive the parsing.
void add_arguments(CLI::App& command, Arguments& arguments);

/// Throws InvalidArgument for the first value that cannot be right.
[[nodiscard]] Request check(const Arguments& arguments);

/// The built-in statistics, one a line, for the end of a help page.
[[nodiscard]] std::string list_of_statistics();

// Pieces that `bootfold demo` shares.

/// Declares an option with one value; of several occurrences the last one counts.
CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value,
                      const char* placeholder, const std::string& help);

/// Takes "--threads" as typed; empty is 0: all cores.
[[nodiscard]] unsigned parse_threads(const std::string& text);

/// Splits "price,volume" at its commas; a name that holds a comma is put in double quotes.
[[nodiscard]] std::vector<std::string> split_list(const std::vector<std::string>& lists);

}  // namespace bootfold::cli
