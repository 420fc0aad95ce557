// bootfold/batches.h: a function that looks at many resamples at a time, on one thread.
//
//     auto result = bootstrap_batches(prices, {"range"}, [](const Batch& batch, auto values) {
//       for (std::size_t i = 0; i < batch.resamples.size(); ++i) {
//         auto [low, high] = std::ranges::minmax(batch.resamples[i].column(0));
//         values[i] = high - low;
//       }
//     }, {.replicates = 100'000});
//
// For functions that must not be called from several threads (interpreters) or that are quick only
// on many resamples at once (vectorised ones). Threads draw the next batch while the function looks
// at the present one.
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

/// Neighbouring replicates' resamples.
struct Batch {
  /// In place of a replicate's number: the data as they are.
  static constexpr std::uint64_t kData = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t first = kData;  ///< number of the first resample's replicate
  std::span<const statistic::Resample> resamples;
  /// Of each resample, or 0 if they differ. Unless 0, a column of all resamples is one matrix
  /// [resample][row] that begins at resamples[0].columns[c], and the matrices of the columns follow
  /// each other.
  std::size_t rows = 0;
  /// Owns the values, which the function may overwrite. Who keeps a copy of it may go on using
  /// them: the next batch is then drawn elsewhere.
  std::shared_ptr<double[]> memory;
};

/// Fills values[resample][output].
using BatchFunction = std::function<void(const Batch& batch, std::span<double> values)>;

/// Bootstraps a function of batches, which is called on the calling thread, in the order of the
/// replicates, and at first once with the data as they are. `outputs` has a name for each value.
///
/// Two batches, the one looked at and the next, stay inside an eighth of Options::memory each,
/// unless a single resample is larger. Rows need not be finite numbers: the function has to know.
/// Resamples, and so replicates, are those of bootstrap() with a function of the resample. Throws
/// InvalidArgument, Cancelled, and what the function throws.
[[nodiscard]] BOOTFOLD_API Result bootstrap_batches(const DataView& data,
                                                    const std::vector<std::string>& outputs,
                                                    const BatchFunction& function,
                                                    const Options& options = {});

}  // namespace bootfold
