// The percentile interval, and what Monte Carlo leaves open about its limits.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "bootfold/interval.h"
#include "statistic/quantile.h"
#include "statistic/select.h"

namespace bootfold::interval {

namespace {

struct Limit {
  double value;
  double error;
};

/// The quantile p of `count` replicates. Its rank among endless replicates has standard deviation
/// sqrt(p (1 - p) / count); half the way between the quantiles that far below and above is its
/// error.
Limit limit(const statistic::Scan& scan, std::uint64_t count, double p) {
  const double reach = std::sqrt(p * (1 - p) / static_cast<double>(count));
  const auto below = statistic::quantile_position(std::max(0.0, p - reach), count);
  const auto above = statistic::quantile_position(std::min(1.0, p + reach), count);
  const std::uint64_t last = std::min(count, above.low + 1);
  const std::vector<double> values = statistic::order_statistics(scan, below.low, last);
  const auto at = [&](double q) {
    const auto position = statistic::quantile_position(q, count);
    const std::size_t low = position.low - below.low;
    return statistic::interpolate(values[low], values[std::min(low + 1, values.size() - 1)],
                                  position.weight);
  };
  return {at(p), (at(std::min(1.0, p + reach)) - at(std::max(0.0, p - reach))) / 2};
}

}  // namespace

Interval percentile(const Result& result, const Options& options) {
  if (!(options.confidence > 0 && options.confidence < 1))
    throw InvalidArgument(concat("confidence is ", options.confidence,
                                 " but must be above 0 and below 1; 0.95 is usual"));
  if (options.output >= result.outputs())
    throw InvalidArgument(concat("output is ", options.output, " but the result has ",
                                 result.outputs(), ", numbered from 0"));
  const std::size_t width = result.outputs();
  const std::span<const double> replicates = result.replicates();
  const std::uint64_t count = replicates.size() / width - result.undefined(options.output);
  Interval interval{"percentile", options.confidence};
  if (count == 0) {
    interval.low = interval.high = interval.low_error = interval.high_error =
        std::numeric_limits<double>::quiet_NaN();
    return interval;
  }
  const statistic::Scan scan = [&](const std::function<void(std::span<const double>)>& see) {
    if (width == 1) return see(replicates);
    for (std::size_t i = options.output; i < replicates.size(); i += width)
      see(replicates.subspan(i, 1));
  };
  const double tail = (1 - options.confidence) / 2;
  const Limit low = limit(scan, count, tail);
  const Limit high = limit(scan, count, 1 - tail);
  interval.low = low.value;
  interval.low_error = low.error;
  interval.high = high.value;
  interval.high_error = high.error;
  return interval;
}

}  // namespace bootfold::interval
