// Statistics of one call, by kind: those that share a fast path run together, the others by
// themselves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/plan.h"
#include "bootfold/statistic.h"

namespace bootfold {

/// Statistics that are computed on the same resamples.
struct Family {
  enum class Kind {
    sums,       ///< functions of sums
    quantiles,  ///< of one column, where a few draws stand for a resample
    walked,     ///< quantiles, trimmed means and formulas that are found from counts of all rows
    ranked,     ///< measures of ranking
    ordered,    ///< statistics of sorted rows, such as gini
    weighted,   ///< quantiles of rows with weights
    folded,     ///< accumulators
    called,     ///< functions of the resample
  };
  Kind kind = Kind::sums;
  std::vector<Statistic> statistics = {};
  std::vector<std::size_t> outputs = {};    ///< numbers of its values among all
  std::vector<std::uint32_t> columns = {};  ///< that it uses, rising

  /// The data with its columns only.
  [[nodiscard]] DataView view(const DataView& data) const;
  /// Adds the statistics of another.
  void join(const Family& other);
};

/// One family if the options ask for it (joint, path). Otherwise, in the order of their first
/// values, each kind by itself, so that a kind which shares no run has the replicates that it has
/// alone. Throws InvalidArgument.
[[nodiscard]] std::vector<Family> families(const DataView& data,
                                           std::span<const Statistic> statistics,
                                           const Options& options);

}  // namespace bootfold
