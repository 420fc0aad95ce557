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
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"

namespace bootfold {

/// The resamples of consecutive replicates.
struct Batch {
  /// Value of `first` for the batch that holds the original data instead of resamples.
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

/// Evaluates a batch: writes values[resample][output] in row-major order.
using BatchFunction = std::function<void(const Batch& batch, std::span<double> values)>;

/// Bootstraps a function of batches. The function is called on the calling thread, first once with
/// the original data and then with the batches in the order of the replicates. `outputs` names each
/// value that the function computes for a resample.
///
/// Two batches exist at a time, the current one and the next. Each takes at most an eighth of
/// Options::memory, unless a single resample is larger. Values may be NaN or infinite; the function
/// has to handle them. Resamples, and therefore replicates, are the same as those of bootstrap()
/// with statistic::callable(). Throws InvalidArgument, Cancelled, and what the function throws.
[[nodiscard]] BOOTFOLD_API Result bootstrap_batches(const DataView& data,
                                                    const std::vector<std::string>& outputs,
                                                    const BatchFunction& function,
                                                    const Options& options = {});

}  // namespace bootfold
