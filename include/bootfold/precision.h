// bootfold/precision.h: bootstrap to a given precision of the interval limits.
//
//     auto reached = bootstrap_to_precision(prices, statistic::mean(), {.precision = 0.01});
//     reached.result.plan().replicates;   // the number of replicates that were needed
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"
#include "bootfold/interval.h"

namespace bootfold {

/// The stopping rule.
struct Precision {
  /// Largest Monte Carlo error of a limit, as a fraction of the standard error; inside (0, 1).
  double precision = 0.01;
  interval::Method method = interval::Method::percentile;  ///< method of the intervals
  interval::Options interval = {};   ///< options of the intervals; all outputs are used
  std::uint64_t most = 100'000'000;  ///< largest number of replicates
};

/// A run that was extended until it was precise enough.
struct Reached {
  Result result;
  double precision = 0;                    ///< largest ratio of limit error to standard error
  bool met = false;                        ///< whether the requested precision was reached
  std::vector<std::uint64_t> rounds = {};  ///< total number of replicates after each round
};

/// Bootstraps in rounds. The first round has as many replicates as normally distributed replicates
/// would need; the Monte Carlo error that it has determines how many the next round adds (the
/// three-step method of Andrews and Buchinsky, 2000), until the error is small enough. The result
/// has the same bits as a single run of its length. `options.replicates` is not used. Throws what
/// bootstrap() and interval::make() throw.
[[nodiscard]] BOOTFOLD_API Reached bootstrap_to_precision(const DataView& data,
                                                          std::span<const Statistic> statistics,
                                                          const Precision& wanted = {},
                                                          const Options& options = {});
[[nodiscard]] BOOTFOLD_API Reached bootstrap_to_precision(const DataView& data,
                                                          const Statistic& statistic,
                                                          const Precision& wanted = {},
                                                          const Options& options = {});

/// Bootstraps to a precision with replicates from a user-defined function: make(first, count)
/// returns replicates first .. first + count - 1, with the companions that the interval needs.
/// `scheme` is the scheme by which they are drawn. Throws InvalidArgument if runs of the scheme
/// cannot be extended.
[[nodiscard]] BOOTFOLD_API Reached
bootstrap_to_precision(const std::function<Result(std::uint64_t first, std::uint64_t count)>& make,
                       const Precision& wanted = {}, const Scheme& scheme = {});

/// The number of replicates of the first round. The first form checks whether a run to that
/// precision is possible: it throws the InvalidArgument that bootstrap_to_precision() throws.
[[nodiscard]] BOOTFOLD_API std::uint64_t first_replicates(const Precision& wanted,
                                                          const Scheme& scheme);
[[nodiscard]] BOOTFOLD_API std::uint64_t first_replicates(double precision, interval::Method method,
                                                          const interval::Options& options);

}  // namespace bootfold
