// bootfold/plan.h: the cheapest exact way to make the replicates, and what it will cost.
//
//     auto plan = bootfold::plan(prices, statistic::median(), {.replicates = 1'000'000});
//     std::cout << plan.explain();   // path, reason, bytes, estimated seconds
//
// The path follows from data, scheme, statistic and options alone, never from the machine, because
// it is part of what defines a replicate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "bootfold/scheme.h"
#include "bootfold/statistic.h"

namespace bootfold {

/// The ways to make replicates; all are exact.
enum class Path {
  stream,    ///< Poisson counts and a top-up, over tiles of rows
  gather,    ///< draw row numbers, look the rows up
  distinct,  ///< binomial draws over the distinct rows
  order,     ///< draw the positions of order statistics
  blocks,    ///< differences of running sums
  weights,   ///< exponential weights, over tiles of rows
  deletion,  ///< no draws: the jackknife's values, each from what all rows have in common
};

/// "stream", "gather", "distinct", "order", "blocks", "weights" or "deletion".
[[nodiscard]] BOOTFOLD_API std::string_view name(Path path) noexcept;

/// The path of that name; throws InvalidArgument that lists them.
[[nodiscard]] BOOTFOLD_API Path parse_path(std::string_view text);

/// What to run. All have defaults; `execution` never changes a result.
struct Options {
  std::uint64_t replicates = 10'000;  ///< scheme jackknife has its own number
  std::uint64_t seed = 0;
  /// The run makes replicates first .. first + replicates - 1 of the endless sequence that
  /// (data, statistic, scheme, seed) defines: so runs can be split and extended.
  std::uint64_t first_replicate = 0;
  Scheme scheme = {};                       ///< scheme.h; iid unless said otherwise
  std::optional<Path> path = std::nullopt;  ///< force one; an error if it cannot serve
  /// Memory limit in bytes, beside the data and the result; 0: execution::default_memory(), a
  /// quarter of what this process may use. It never changes a result.
  std::size_t memory = 0;
  /// Largest error of a folded mean, as a share of that mean's standard error.
  double tolerance = 1e-5;
  /// Also find what one row does to each value, which BCa intervals need. O(n) for functions of
  /// sums and quantiles; up to 10,000 evaluations of other statistics (bootfold/influence.h).
  bool influence = false;
  /// Also compute a standard error on every resample, which studentized intervals need: by the
  /// statistic's own formula, or by a bootstrap of the resample (nested_replicates evaluations).
  bool standard_errors = false;
  std::uint64_t nested_replicates = 50;  ///< resamples of a resample, where there is no formula
  Execution execution = {};
};

/// What will be done, and why.
struct BOOTFOLD_API Plan {
  Path path = Path::stream;
  std::string reason;
  std::string scheme;  ///< how rows are drawn, in words
  std::uint64_t rows = 0;
  std::uint64_t draws = 0;  ///< rows of a replicate; where that varies, the usual number
  std::uint64_t first_replicate = 0;
  std::uint64_t replicates = 0;
  /// Identifies what defines a replicate: the data, the statistics, the scheme with its labels and
  /// weights, the seed, the path and the version of the random streams. Functions of your own count
  /// by their names. Runs with equal fingerprints make parts of one sequence of replicates.
  std::uint64_t fingerprint = 0;
  std::vector<std::string> columns;  ///< names of the columns that the statistics see
  std::vector<std::string> outputs;  ///< a name for each value of a replicate
  unsigned threads = 1;
  execution::Level level = execution::Level::portable;
  std::size_t working_bytes = 0;  ///< beside data and result; at most memory_limit
  std::size_t memory_limit = 0;   ///< Options::memory, or the default that it stands for
  std::size_t result_bytes = 0;
  double seconds = 0;      ///< estimate for this many threads of the reference machine
  int digits = 0;          ///< base-256 digits of the fixed-point sums; 0: none are used
  double sum_error = 0;    ///< bound on the error of a folded mean / its standard error
  std::string arithmetic;  ///< how sums are kept: "fixed point, 4 digits", "compensated double"
  std::uint64_t distinct_rows = 0;  ///< path distinct: how many

  /// All of it as a few lines for a person.
  [[nodiscard]] std::string explain() const;
};

/// Looks at the data (one or two passes) and plans; makes no replicate. Throws InvalidArgument for
/// options that cannot be met: the message says which and what would do.
[[nodiscard]] BOOTFOLD_API Plan plan(const DataView& data, std::span<const Statistic> statistics,
                                     const Options& options = {});
[[nodiscard]] BOOTFOLD_API Plan plan(const DataView& data, const Statistic& statistic,
                                     const Options& options = {});
[[nodiscard]] inline Plan plan(const DataView& data, std::initializer_list<Statistic> statistics,
                               const Options& options = {}) {
  return plan(data, std::span<const Statistic>(statistics.begin(), statistics.size()), options);
}

}  // namespace bootfold
