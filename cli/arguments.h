// cli/arguments.h: the options that `bootfold bootstrap`, `bootfold explain` and `bootfold compare`
// share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/interval.h"
#include "bootfold/plan.h"
#include "bootfold/statistic.h"
#include "dialect.h"
#include "scheme.h"

namespace bootfold::cli {

/// As typed. Numbers stay text until check() so that every mistake gets our own message.
struct Arguments {
  std::vector<std::string> files;
  std::string where;
  std::vector<std::string> by;  // columns of groups, for `bootfold bootstrap`
  std::vector<std::string> columns;
  std::vector<std::string> statistics;
  std::string replicates;  // empty: 10000, or as many as the scheme has
  std::string seed = "0";
  std::string first_replicate = "0";
  std::string threads;
  std::string memory;  // empty: the library's default
  std::string confidence = "0.95";
  std::vector<std::string> intervals;
  std::string alternative = "two-sided";
  std::string convention = "numpy";
  std::string precision;
  std::string nested_replicates = "50";
  std::string save;
  std::string checkpoint;
  std::string split;  // empty: rows if they can be
  bool strict = false;
  std::string tolerance = "1e-5";
  std::string path;
  bool joint = false;
  std::string nan = "error";
  std::string header = "auto";
  DialectArguments dialect;
  std::string output;
  std::string plot;
  SchemeArguments scheme;
  bool json = false;
  bool quiet = false;
};

/// What was meant.
struct Request {
  std::vector<std::string> files;
  data::ReadOptions read;
  std::vector<Statistic> statistics;
  std::vector<std::string> statistic_texts;  ///< as they were written, one for each statistic
  Options options;
  std::vector<interval::Method> methods;  ///< of intervals, the first is the main one
  bool all_methods = false;               ///< those that are available; the others are left out
  interval::Options interval;
  std::optional<double> precision;  ///< replicates are as many as it takes
  bool exact = false;               ///< no replicates: the law itself
  std::string output;
  std::string plot;  ///< a picture, .svg or .png
  SchemeRequest scheme;
  std::string save;
  bool json = false;
  bool quiet = false;
};

/// Declares the options; `arguments` must outlive the parsing.
void add_arguments(CLI::App& command, Arguments& arguments);

/// Throws InvalidArgument for the first value that cannot be right.
[[nodiscard]] Request check(const Arguments& arguments);

/// The options that choose intervals, which `bootfold interval` has too.
void add_interval_arguments(CLI::App& command, Arguments& arguments, const std::string& group,
                            const std::string& usual = "percentile");

/// The methods that "bca,normal" names; "all" is every one, BCa first.
[[nodiscard]] std::vector<interval::Method> check_methods(const std::vector<std::string>& names);
[[nodiscard]] interval::Options check_interval(const Arguments& arguments);

/// The built-in statistics, one a line, for the end of a help page.
[[nodiscard]] std::string list_of_statistics();

// Pieces that other commands share.

/// Headings of the help page.
inline constexpr const char* kWhat = "What to compute";
inline constexpr const char* kFile = "How the file is written";
inline constexpr const char* kHow = "How to compute it";
inline constexpr const char* kShown = "What to show";

/// Declares FILE; --seed; --precision; --nested-replicates; --nan, --where, --header, the dialect,
/// the scheme and --threads to --checkpoint; --json, --output (`shape` is that of the array) and
/// --quiet.
void add_file(CLI::App& command, Arguments& arguments);
void add_seed(CLI::App& command, Arguments& arguments);
void add_precision(CLI::App& command, Arguments& arguments);
void add_nested_replicates(CLI::App& command, Arguments& arguments);
void add_run(CLI::App& command, Arguments& arguments);
/// Of these, --nan, --where, --header and the dialect alone.
void add_reading(CLI::App& command, Arguments& arguments);
void add_output_arguments(CLI::App& command, Arguments& arguments, const std::string& shape);

/// Declares an option that may be repeated.
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& value,
                      const char* placeholder, const std::string& help);

/// Declares an option with one value; of several occurrences the last one counts.
CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value,
                      const char* placeholder, const std::string& help);

/// `value`, if it is one of `known`; throws InvalidArgument that lists them.
[[nodiscard]] std::string one_of(std::string_view option, const std::string& value,
                                 const std::vector<std::string>& known);

/// Help of options that several commands have.
inline constexpr const char* kThreadsHelp = "Threads; never changes a result [all cores]";
inline constexpr const char* kMemoryHelp =
    "Limit of the working memory, 256M or 1GiB; never changes a result [a quarter of what "
    "the "
    "process may use]";

inline constexpr const char* kFileHelp =
    ".csv, .tsv, .txt or .data (also .gz), .npy, .parquet, or - for CSV on standard input; several "
    "files, a "
    "glob "
    "in quotes or a folder of .parquet files are read one after the other";
inline constexpr const char* kWhereHelp =
    "Only rows for which it is true: \"origin == 'JFK' and dep_delay > 0\"; also in ('a', 'b'), is "
    "missing, or, not [all rows]";
inline constexpr const char* kNoFile =
    "no FILE given; name a .csv, .tsv, .npy or .parquet file, or - for CSV on standard input";

inline constexpr const char* kHeaderHelp =
    "Whether the first line of a CSV file is a header [auto: if it has text; a line such as "
    "2019,2020,2021 is asked about]";

/// Takes "--threads" as typed; empty is 0: all cores.
[[nodiscard]] unsigned parse_threads(const std::string& text);

/// Splits "price,volume" at its commas, but not at those in parentheses; a name that holds a comma
/// is put in double quotes.
[[nodiscard]] std::vector<std::string> split_list(const std::vector<std::string>& lists);

}  // namespace bootfold::cli
