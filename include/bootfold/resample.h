// bootfold/resample.h: the resamples themselves.
//
//     auto counts = resample::counts(1000, {.seed = 7, .replicate = 41});     // one replicate
//     bool out_of_bag = counts[17] == 0;
//
//     resample::Counter counter(rows, {.seed = 7});                           // many of them
//     std::vector<std::uint8_t> counts(100 * rows);                           // [replicate][row]
//     counter.counts(0, counts);                                              // replicates 0 .. 99
//
// Counts say how often each row is drawn, and so which rows are out of bag. A replicate of any
// weighted statistic is a function of the data and one row of counts: multiply them with matrices
// of your own. bootstrap_counts() (bootfold/batches.h) does so with estimates and intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/execution.h"
#include "bootfold/scheme.h"

namespace bootfold::resample {

/// Identifies a replicate of the runs with a given seed.
struct ReplicateId {
  std::uint64_t seed = 0;
  std::uint64_t replicate = 0;
};

/// Counts of each of `rows` rows in this replicate, under scheme iid and path stream. The counts
/// are exactly multinomial(rows; 1/rows, ...), so they sum to `rows`.
[[nodiscard]] BOOTFOLD_API std::vector<std::uint32_t> counts(
    std::size_t rows, const ReplicateId& id, execution::Level level = execution::default_level());

/// Row numbers drawn in this replicate, under scheme iid and path gather, in the order of drawing.
/// `rows` is at most 2^32.
[[nodiscard]] BOOTFOLD_API std::vector<std::uint32_t> indices(
    std::size_t rows, const ReplicateId& id, execution::Level level = execution::default_level());

/// Which resamples a Counter makes.
struct CounterOptions {
  std::uint64_t seed = 0;
  Scheme scheme = scheme::Iid{};  ///< blocks need a length: there are no data to choose it from
  /// Number of replicates of the run. Only scheme::Balanced depends on it, and needs it.
  std::uint64_t replicates = 0;
};

/// Makes the counts of any replicates of a run, in any order, on several threads. Refers to labels
/// and probabilities of the scheme. Any number of threads may use one Counter.
///
/// Counts are those of the replicates of bootstrap() with the same rows, seed and scheme:
/// - iid (unless more rows are drawn than there are), poisson, stratified with strata of at least
///   256 rows on average, and unequal from 32,768 draws on: the replicates of path stream.
///   counts * x / rows is then the mean of the replicate, up to rounding.
/// - all other schemes: the rows that functions of the resample get (statistic::callable), which
///   are the replicates of path gather.
/// - bayesian: rows have weights and no counts. weights() are those of path weights.
class BOOTFOLD_API Counter {
 public:
  /// Throws InvalidArgument for no rows, and if the scheme does not fit their number.
  explicit Counter(std::uint64_t rows, const CounterOptions& options = {});

  [[nodiscard]] std::uint64_t rows() const noexcept;

  /// Makes the counts of replicates first, first + 1, ...: out[replicate - first][row]. The size of
  /// `out` is a multiple of rows(). Writes nothing else and allocates O(threads) kilobytes; schemes
  /// whose counts do not stream take 4 bytes for each drawn row and thread. Throws InvalidArgument
  /// if a row is drawn more often than the type can hold, for scheme bayesian, and for replicates
  /// that the scheme does not have; Cancelled. Progress counts rows x replicates.
  void counts(std::uint64_t first, std::span<std::uint8_t> out,
              const Execution& execution = {}) const;
  void counts(std::uint64_t first, std::span<std::uint16_t> out,
              const Execution& execution = {}) const;
  void counts(std::uint64_t first, std::span<std::uint32_t> out,
              const Execution& execution = {}) const;

  /// The same as weights: the counts as doubles, and for scheme bayesian Dirichlet weights that add
  /// up to rows().
  void weights(std::uint64_t first, std::span<double> out, const Execution& execution = {}) const;

  /// Bytes of the smallest type that holds the counts: 1, unless a row is drawn so often on average
  /// (scheme unequal, or many more draws than rows) that 255 may be exceeded; then 2 or 4.
  [[nodiscard]] unsigned count_bytes() const;

 private:
  struct Shared;
  std::shared_ptr<const Shared> shared_;
};

}  // namespace bootfold::resample
