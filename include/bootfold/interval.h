// bootfold/interval.h: confidence intervals from replicates.
//
//     auto result = bootstrap(prices, statistic::mean(), {.seed = 7});
//     auto interval = interval::percentile(result, {.confidence = 0.95});
//     auto [low, high] = interval.limits();
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"

namespace bootfold {

/// Two limits, and what another seed would change in each.
struct Interval {
  std::string method;
  double confidence = 0;
  double low = 0;
  double high = 0;
  double low_error = 0;   ///< Monte Carlo standard error of low
  double high_error = 0;  ///< Monte Carlo standard error of high

  [[nodiscard]] std::pair<double, double> limits() const { return {low, high}; }
};

namespace interval {

struct Options {
  double confidence = 0.95;  ///< inside (0, 1)
  std::size_t output = 0;    ///< which of the result's values
};

/// Quantiles (type 7) of the replicates at (1 - confidence) / 2 and its mirror. Does not copy or
/// reorder the replicates. NaN limits when no replicate is defined. Throws InvalidArgument for a
/// confidence outside (0, 1) or an output that is not there.
[[nodiscard]] BOOTFOLD_API Interval percentile(const Result& result, const Options& options = {});

}  // namespace interval
}  // namespace bootfold
