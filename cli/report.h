// cli/report.h: a result, for a person or for a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootfold/interval.h"
#include "histogram.h"

namespace bootfold::cli {

/// How the number of replicates was found.
struct Effort {
  double asked = 0;    ///< Monte Carlo error of a limit / standard error
  double reached = 0;  ///< the largest
  bool met = false;
  std::vector<std::uint64_t> rounds;  ///< replicates after each
};

/// A finished run and what is worth telling about it.
struct Run {
  const Result& result;
  std::vector<std::string> columns;                 ///< names of the columns
  std::vector<Interval> intervals;                  ///< the main one of each value
  std::vector<std::vector<Interval>> several = {};  ///< all of each value, if there are more
  std::vector<std::string> reasons = {};  ///< why an estimate is undefined, of each value if known
  std::optional<Effort> effort = {};
  bool stored = false;       ///< read from a file: nothing ran
  bool resumed = false;      ///< some replicates come from a checkpoint or a file
  bool counted = true;       ///< whether it is known how many rows were left out
  std::size_t omitted = 0;   ///< rows left out because of NaN
  std::size_t filtered = 0;  ///< rows that --where left out
  double read_seconds = 0;
  double seconds = 0;           ///< planning, drawing, folding
  std::size_t peak_memory = 0;  ///< of the process, in bytes
};

/// Percentile intervals for every value of `result`.
[[nodiscard]] std::vector<Interval> intervals(const Result& result, double confidence);

/// Intervals by the given methods for every value: [value][method].
[[nodiscard]] std::vector<std::vector<Interval>> intervals(
    const Result& result, const std::vector<interval::Method>& methods, interval::Options options);

/// Sets intervals and several of `run`.
void add_intervals(Run& run, const std::vector<interval::Method>& methods,
                   const interval::Options& options);

/// Estimate, standard error, bias and interval of every value, each with its Monte Carlo error;
/// with a histogram and the story of the run unless `quiet`.
[[nodiscard]] std::string as_text(const Run& run, bool quiet);

// Its pieces, for other commands.
/// " of price", " of column 2".
[[nodiscard]] std::string of_column(const std::string& name);
/// "mean of price", if there is one column and the statistic is one that is listed by its name: an
/// expression says itself what it is of.
[[nodiscard]] std::string of_column(const std::string& statistic,
                                    const std::vector<std::string>& columns);
/// The line about weights of the rows.
[[nodiscard]] std::string weights_as_text(const std::string& column);

/// "2 threads, avx512".
[[nodiscard]] std::string threads_of(const Plan& plan);
/// A named line, folded to the width of the terminal: "  plan            stream: ...".
[[nodiscard]] std::string item(std::string_view name, std::string_view text);
[[nodiscard]] std::string numbers_as_text(const Run& run, std::size_t output);
[[nodiscard]] std::string histogram_as_text(const Run& run, std::size_t output);
[[nodiscard]] std::string story_as_text(const Run& run);

/// One JSON object. Doubles are written so that they read back as the same bits; what is not a
/// finite number is null. Several values make lists.
[[nodiscard]] std::string as_json(const Run& run);

/// A plan that was not carried out.
struct Forecast {
  const Plan& plan;
  std::vector<std::string> columns;
  std::size_t omitted = 0;
  std::size_t filtered = 0;
  std::size_t data_bytes = 0;
  std::uint64_t seed = 0;
};
[[nodiscard]] std::string as_text(const Forecast& forecast);
[[nodiscard]] std::string as_json(const Forecast& forecast);

/// "49.4 to 126.7", "at least 49.4".
[[nodiscard]] std::string limits_of(const Interval& interval, double standard_error);
/// The same of limits that are written already.
[[nodiscard]] std::string limits_of(const Interval& interval, const std::string& low,
                                    const std::string& high);
/// What is marked in a picture of the replicates.
[[nodiscard]] Marks marks_of(const Run& run, std::size_t output);

/// How well the limits of an interval are known: a share of the standard error if they are exact.
[[nodiscard]] double error_of_limits(const Interval& interval, double standard_error);

}  // namespace bootfold::cli
