// Summaries of the replicates, made once when a result is made.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "bootfold/bootstrap.h"

namespace bootfold {

Result::Result(Plan plan, std::uint64_t seed, std::vector<double> estimates,
               std::vector<double> replicates)
    : plan_(std::move(plan)),
      seed_(seed),
      estimates_(std::move(estimates)),
      replicates_(std::move(replicates)),
      summaries_(estimates_.size()) {
  for (std::size_t output = 0; output < outputs(); ++output) summaries_[output] = summarize(output);
}

Result::Summary Result::summarize(std::size_t output) const {
  Summary summary;
  const auto each = [&](auto&& see) {
    for (std::size_t i = output; i < replicates_.size(); i += outputs())
      if (!std::isnan(replicates_[i])) see(replicates_[i]);
  };
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  each([&](double value) {
    ++summary.defined;
    low = std::min(low, value);
    high = std::max(high, value);
  });
  const auto count = static_cast<double>(summary.defined);
  if (summary.defined == 0) {
    summary.mean = summary.deviation = std::numeric_limits<double>::quiet_NaN();
    return summary;
  }
  // Differences from the middle, scaled by a power of two: nothing overflows, vanishes or cancels.
  const double middle = low / 2 + high / 2;
  const double reach = high / 2 - low / 2;
  const int exponent = reach > 0 && std::isfinite(reach) ? std::ilogb(reach) : 0;
  const int half = -exponent / 2;
  const double scale = std::ldexp(1.0, half);
  const double rescale = std::ldexp(1.0, -exponent - half);
  // Eight sums side by side, whatever the machine: fast, and always the same.
  constexpr std::size_t kLanes = 8;
  double sums[kLanes] = {};
  std::size_t lane = 0;
  each([&](double value) { sums[lane++ % kLanes] += (value - middle) * scale * rescale; });
  const double shift = std::accumulate(sums, sums + kLanes, 0.0) / count;
  double seconds[kLanes] = {};
  double fourths[kLanes] = {};
  lane = 0;
  each([&](double value) {
    const double d = (value - middle) * scale * rescale - shift;
    seconds[lane % kLanes] += d * d;
    fourths[lane++ % kLanes] += d * d * d * d;
  });
  const double second = std::accumulate(seconds, seconds + kLanes, 0.0);
  const double fourth = std::accumulate(fourths, fourths + kLanes, 0.0);
  summary.mean = middle + std::ldexp(shift, exponent);
  summary.deviation = std::ldexp(std::sqrt(second / (count - 1)), exponent);
  summary.kurtosis = second > 0 ? count * fourth / (second * second) : 1;
  return summary;
}

double Result::standard_error(std::size_t output) const { return summaries_.at(output).deviation; }

double Result::standard_error_error(std::size_t output) const {
  // The variance of a sample variance is (kurtosis - 1) sigma^4 / count; the delta method halves
  // it.
  const Summary& summary = summaries_.at(output);
  return summary.deviation * std::sqrt(std::max(0.0, summary.kurtosis - 1) /
                                       (4 * static_cast<double>(summary.defined)));
}

double Result::bias(std::size_t output) const {
  return summaries_.at(output).mean - estimates_.at(output);
}

std::uint64_t Result::undefined(std::size_t output) const {
  return replicates_.size() / outputs() - summaries_.at(output).defined;
}

}  // namespace bootfold
