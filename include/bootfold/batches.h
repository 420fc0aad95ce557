// bootfold/batches.h: bootstrap of a function that takes a batch of resamples at a time.
//
//     auto result = bootstrap_batches(prices, {"range"}, [](const Batch& batch, auto values) {
//       for (std::size_t i = 0; i < batch.resamples.size(); ++i) {
//         auto [low, high] = std::ranges::minmax(batch.resamples[i].column(0));
//         values[i] = high - low;
//       }
//     }, {.replicates = 100'000});
//
// Use it for functions that must not be called from several threads (such as interpreters) and for
// vectorised functions, which are fast only on many resamples at once. Other threads draw the next
// batch while the function evaluates the current one.
//
// bootstrap_counts() does the same without gathering rows: its function gets the counts of the rows
// in each replicate, for matrix products and weighted functions.
//
//     bootstrap_counts(prices, {"mean"}, [&](const CountBatch& batch, auto values) {
//       const auto counts = std::get<std::span<const std::uint8_t>>(batch.counts);
//       multiply(counts, batch.rows, prices, values);            // values[i] = counts[i] . prices
//       for (double& value : values) value /= batch.rows;
//     }, {.replicates = 100'000});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"

namespace bootfold {

/// The resamples of consecutive replicates.
struct Batch {
  /// Value of `first` for a batch that gives the estimates: the original data instead of resamples.
  static constexpr std::uint64_t kData = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t first = kData;  ///< replicate number of the first resample
  std::span<const statistic::Resample> resamples;
  /// Number of rows of every resample, or 0 if the resamples differ in length. If it is not 0, the
  /// values of column c of all resamples form one matrix [resample][row] that begins at
  /// resamples[0].columns[c], and the matrices of the columns are adjacent in memory.
  std::size_t rows = 0;
  /// Owns the values, which the function may overwrite. Copy this pointer to keep the values; the
  /// next batch then uses new memory.
  std::shared_ptr<double[]> memory;
};

/// What the library cannot see of a function.
struct FunctionTraits {
  /// Identifies the function in Options::checkpoint: another identity is refused. Its name and a
  /// version, for example.
  std::string identity = {};
  /// The values of a resample do not depend on the others of its batch. Then batches of a slow
  /// function with a checkpoint are small, so that little is lost when the run is interrupted.
  bool one_by_one = false;
};

/// Evaluates a batch: writes values[resample][output] in row-major order.
using BatchFunction = std::function<void(const Batch& batch, std::span<double> values)>;

/// Bootstraps a function of batches. The function is called on the calling thread, first once with
/// the original data, which gives the estimates, and then with the batches in the order of the
/// replicates. `outputs` names each value that the function computes for a resample.
///
/// Under scheme unequal the estimate is the mean of 32 values: in place of the original data the
/// function gets, one by one, 32 resamples in which row i appears in proportion to its weight,
/// rounded up or down, so that on average its share is exact to 1/32 of a row
/// (docs/resampling.md).
///
/// Two batches exist at a time, the current one and the next. Each takes at most an eighth of
/// Options::memory, unless a single resample is larger. Values may be NaN or infinite; the function
/// has to handle them. Resamples, and therefore replicates, are the same as those of bootstrap()
/// with statistic::callable(). Throws InvalidArgument, Cancelled, and what the function throws.
[[nodiscard]] BOOTFOLD_API Result bootstrap_batches(const DataView& data,
                                                    const std::vector<std::string>& outputs,
                                                    const BatchFunction& function,
                                                    const Options& options = {},
                                                    const FunctionTraits& traits = {});

/// What a function of resamples takes in place of the drawn rows.
enum class Takes {
  counts,   ///< how often each row is drawn, as integers
  weights,  ///< the same as doubles; for scheme bayesian Dirichlet weights that add up to the rows
};

/// The counts of consecutive replicates.
struct CountBatch {
  std::uint64_t first = Batch::kData;  ///< first replicate; Batch::kData: the original data
  std::size_t replicates = 1;
  std::size_t rows = 0;  ///< rows of the data
  /// [replicate][row]. The type is the same for all batches of a run: uint8_t unless the scheme may
  /// draw a row more than 255 times (resample::Counter::count_bytes) or a weight stands for more
  /// than 255 rows of the data, double for Takes::weights.
  std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>,
               std::span<const std::uint32_t>, std::span<const double>>
      counts;
  /// Owns the counts, which the function may overwrite. Copy this pointer to keep them; the next
  /// batch then uses new memory.
  std::shared_ptr<std::byte[]> memory;
};

/// Evaluates a batch: writes values[replicate][output] in row-major order.
using CountFunction = std::function<void(const CountBatch& batch, std::span<double> values)>;

/// Bootstraps a function of counts. The function is called on the calling thread, first once with
/// counts of 1, which gives the estimates, and then with the batches in the order of the
/// replicates; the data are not passed on. All batches have the same number of replicates, so that
/// functions which are compiled for a shape are compiled once: surplus values at the end of a run
/// are dropped, except under scheme balanced, whose last batch may be smaller.
///
/// Under scheme unequal the estimates come from the probabilities, scaled to add up to the number
/// of rows: Takes::weights passes exactly these. Takes::counts needs whole numbers, so its estimate
/// is the mean of 32 values, as for bootstrap_batches().
///
/// Counts are those of resample::Counter. Two batches exist at a time, each of at most
/// Options::memory / 8 / sizeof(double) counts, unless a single replicate has more. Throws
/// InvalidArgument (also for scheme jackknife, and for Takes::counts under scheme bayesian),
/// Cancelled, and what the function throws.
[[nodiscard]] BOOTFOLD_API Result bootstrap_counts(
    const DataView& data, const std::vector<std::string>& outputs, const CountFunction& function,
    const Options& options = {}, Takes takes = Takes::counts, const FunctionTraits& traits = {});

/// The plan of bootstrap_counts() with the same arguments.
[[nodiscard]] BOOTFOLD_API Plan plan_counts(const DataView& data,
                                            const std::vector<std::string>& outputs,
                                            const Options& options = {},
                                            Takes takes = Takes::counts);

}  // namespace bootfold
