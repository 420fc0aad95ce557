// bootfold/plan.h: options of a bootstrap, and the plan: the cheapest exact path and its cost.
//
//     auto plan = bootfold::plan(prices, statistic::median(), {.replicates = 1'000'000});
//     std::cout << plan.explain();   // path, reason, bytes, estimated seconds
//
// The path depends on data, scheme, statistic and options alone and never on the machine, because
// it is part of the definition of a replicate.
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
#include "bootfold/source.h"
#include "bootfold/statistic.h"

namespace bootfold {

/// Algorithms that compute replicates. All are exact.
enum class Path {
  stream,    ///< Poisson counts and top-up draws, over tiles of rows
  gather,    ///< row numbers are drawn and the rows are looked up
  distinct,  ///< binomial draws of the counts of distinct rows
  order,     ///< draws of the positions of order statistics
  blocks,    ///< differences of prefix sums
  weights,   ///< exponential weights, over tiles of rows
  deletion,  ///< no draws: jackknife values from quantities that are computed once for all rows
};

/// "stream", "gather", "distinct", "order", "blocks", "weights" or "deletion".
[[nodiscard]] BOOTFOLD_API std::string_view name(Path path) noexcept;

/// The path with that name. Throws InvalidArgument, which lists the names, if there is none.
[[nodiscard]] BOOTFOLD_API Path parse_path(std::string_view text);

/// Options of a bootstrap. `memory`, `checkpoint` and `execution` never change a result.
struct Options {
  std::uint64_t replicates = 10'000;  ///< ignored by scheme jackknife, which has one per unit
  std::uint64_t seed = 0;
  /// The run computes replicates first_replicate .. first_replicate + replicates - 1 of the
  /// infinite sequence that (data, statistic, scheme, seed) defines, so runs can be split and
  /// extended.
  std::uint64_t first_replicate = 0;
  Scheme scheme = {};  ///< bootfold/scheme.h; default: iid
  /// Path to use; default: the cheapest one. Throws InvalidArgument if the path is not available.
  std::optional<Path> path = std::nullopt;
  /// Whether all statistics are computed on the same resamples, for what is made of their joint
  /// distribution. Otherwise each kind (functions of sums; quantiles of one column; and so on) has
  /// the path that is fastest for it, and the replicates that it would have alone (Plan::runs). A
  /// formula, such as median(a) / mean(b), has all of its terms on the same resamples in any case.
  bool joint = false;
  /// Limit in bytes on the working memory, which excludes the data and the result. 0:
  /// execution::default_memory(), a quarter of the memory that this process may use.
  std::size_t memory = 0;
  /// Largest error of a mean, as a fraction of its standard error.
  double tolerance = 1e-5;
  /// Whether to compute the influence of single rows, which BCa and ABC intervals need. O(n) for
  /// functions of sums and quantiles; up to 10,000 evaluations of other statistics
  /// (bootfold/influence.h).
  bool influence = false;
  /// Whether to compute a standard error on every resample, which studentized intervals need: by
  /// the formula of the statistic, or by a nested bootstrap of the resample.
  bool standard_errors = false;
  std::uint64_t nested_replicates = 50;  ///< size of the nested bootstrap, if there is no formula
  /// Where a replicate draws m rows of n (scheme::Iid::size), the statistic varies more or less
  /// than on n rows. If it converges at the rate n^-rescale, its deviations from the estimate must
  /// be multiplied by (m / n)^rescale: standard errors, biases and intervals are, replicates are
  /// not. 1/2 is right for means and what behaves like them; 0 keeps the deviations of m rows.
  double rescale = 0.5;
  /// File from which the run goes on if it was interrupted, and in which it stores the replicates
  /// that are made, as often as costs less than 1 % of its time (bootfold/checkpoint.h). It stays
  /// when the run is complete. Empty: none. Never changes a result.
  std::string checkpoint = {};
  Execution execution = {};
};

/// How a bootstrap will run, and why.
struct BOOTFOLD_API Plan {
  Path path = Path::stream;
  std::string reason;
  std::string scheme;  ///< description of the scheme
  std::uint64_t rows = 0;
  std::uint64_t draws = 0;        ///< rows drawn per replicate; the typical number if it varies
  std::uint64_t units = 0;        ///< rows, or clusters, or blocks to draw from; 0: not known
  std::uint64_t fixed_units = 0;  ///< of these, the ones that every replicate has once, because
                                  ///< there is no other in their stratum
  double rescale = 1;  ///< (m / n)^Options::rescale: factor of all deviations from the estimate
  std::uint64_t first_replicate = 0;
  std::uint64_t replicates = 0;
  /// Hash of everything that defines a replicate: the data, the statistics, the scheme with its
  /// labels and weights, the seed, the path and the version of the random streams. User-defined
  /// functions are identified by their names. Runs with equal fingerprints compute parts of one
  /// sequence of replicates.
  std::uint64_t fingerprint = 0;
  std::vector<std::string> columns;  ///< names of the columns that the statistics use
  std::vector<std::string> outputs;  ///< names of the values of a replicate
  unsigned threads = 1;
  execution::Level level = execution::Level::portable;
  std::size_t working_bytes = 0;  ///< memory without data and result; at most memory_limit
  std::size_t memory_limit = 0;   ///< Options::memory, or the default if that is 0
  std::size_t result_bytes = 0;
  std::uint64_t reads = 0;  ///< how often all rows of a source are read; 0: rows are in memory
  double seconds = 0;       ///< estimated time on the reference machine with `threads` threads
  int digits = 0;           ///< base-256 digits of the fixed-point sums; 0: no fixed-point sums
  double sum_error = 0;     ///< bound on the error of a mean, divided by its standard error
  std::string arithmetic;   ///< arithmetic of sums: "fixed point, 4 digits", "compensated double"
  std::uint64_t distinct_rows = 0;  ///< number of distinct rows, for path distinct

  /// Where statistics of different kinds run one after the other, each by its own path: their
  /// plans. The members above are then those of the run of the first value, sums (seconds, reads,
  /// result_bytes) or maxima (working_bytes, digits, sum_error). Empty: there is one run.
  std::vector<Plan> runs = {};
  std::string weights = {};  ///< the column of weights, if the statistics have them

  /// The name of the path, or of those of all runs: "stream", "stream and order".
  [[nodiscard]] std::string paths() const;
  /// The plan as a few lines of text.
  [[nodiscard]] std::string explain() const;
};

/// Plans a bootstrap in one or two passes over the data, without computing replicates. Throws
/// InvalidArgument for options that cannot be met; the message names the option and a remedy.
[[nodiscard]] BOOTFOLD_API Plan plan(const DataView& data, std::span<const Statistic> statistics,
                                     const Options& options = {});
[[nodiscard]] BOOTFOLD_API Plan plan(const DataView& data, const Statistic& statistic,
                                     const Options& options = {});
[[nodiscard]] inline Plan plan(const DataView& data, std::initializer_list<Statistic> statistics,
                               const Options& options = {}) {
  return plan(data, std::span<const Statistic>(statistics.begin(), statistics.size()), options);
}

/// Plans a bootstrap of the rows of a source (bootfold/bootstrap.h), which are read once.
[[nodiscard]] BOOTFOLD_API Plan plan(const data::Source& source,
                                     std::span<const Statistic> statistics,
                                     const Options& options = {});

}  // namespace bootfold
