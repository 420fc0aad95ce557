// Summaries of the replicates, made once when a result is made.
#include <cmath>
#include <limits>
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
  const std::size_t width = outputs();
  for (std::size_t output = 0; output < width; ++output) {
    Summary& summary = summaries_[output];
    // Differences from the estimate: small numbers, so that nothing is lost in the sums.
    const double origin = std::isfinite(estimates_[output]) ? estimates_[output] : 0;
    double sum = 0;
    for (std::size_t i = output; i < replicates_.size(); i += width) {
      if (std::isnan(replicates_[i])) continue;
      ++summary.defined;
      sum += replicates_[i] - origin;
    }
    const auto count = static_cast<double>(summary.defined);
    const double shift = sum / count;
    double second = 0;
    double fourth = 0;
    for (std::size_t i = output; i < replicates_.size(); i += width) {
      if (std::isnan(replicates_[i])) continue;
      const double d = replicates_[i] - origin - shift;
      second += d * d;
      fourth += d * d * d * d;
    }
    summary.mean = origin + shift;
    summary.deviation = std::sqrt(second / (count - 1));
    summary.kurtosis = second > 0 ? count * fourth / (second * second) : 1;
  }
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
