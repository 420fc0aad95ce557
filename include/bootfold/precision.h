// bootfold/precision.h: as many replicates as it takes.
//
//     auto reached = bootstrap_to_precision(prices, statistic::mean(), {.precision = 0.01});
//     reached.result.plan().replicates;   // what it took
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

/// When to stop.
struct Precision {
  /// Largest Monte Carlo error of a limit, as a share of the standard error; inside (0, 1).
  double precision = 0.01;
  interval::Method method = interval::Method::percentile;  ///< whose limits
  interval::Options interval = {};                         ///< `output` is ignored: all count
  std::uint64_t most = 100'000'000;                        ///< replicates at most
};

/// A run that was extended until it was precise.
struct Reached {
  Result result;
  double precision = 0;                    ///< largest error of a limit / standard error
  bool met = false;                        ///< at most what was asked
  std::vector<std::uint64_t> rounds = {};  ///< replicates after each round
};

/// Bootstraps in rounds: the number of the first is right for normal replicates; the error that
/// they turn out to have tells how many more are needed (the three steps of Andrews and Buchinsky,
/// 2000), and so on until it is small enough. The result has the bits of one run of its length.
/// `options.replicates` is not used. Throws what bootstrap() and interval::make() throw.
[[nodiscard]] BOOTFOLD_API Reached bootstrap_to_precision(const DataView& data,
                                                          std::span<const Statistic> statistics,
                                                          const Precision& wanted = {},
                                                          const Options& options = {});
[[nodiscard]] BOOTFOLD_API Reached bootstrap_to_precision(const DataView& data,
                                                          const Statistic& statistic,
                                                          const Precision& wanted = {},
                                                          const Options& options = {});

/// The same for replicates that are made by a function of the caller's: make(first, count) returns
/// replicates first to first + count - 1, with what the interval needs beside them. `scheme` is how
/// they are drawn; a scheme whose runs cannot be extended is an error.
[[nodiscard]] BOOTFOLD_API Reached
bootstrap_to_precision(const std::function<Result(std::uint64_t first, std::uint64_t count)>& make,
                       const Precision& wanted = {}, const Scheme& scheme = {});

/// The number of replicates that the first round has.
[[nodiscard]] BOOTFOLD_API std::uint64_t first_replicates(double precision, interval::Method method,
                                                          const interval::Options& options);

}  // namespace bootfold
