#include "comparison/max_t.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/quantile.h"

namespace bootfold::comparison {

using interval::Alternative;

double MaxT::counted(double distance) const {
  return alternative_ == Alternative::two_sided ? std::abs(distance)
         : alternative_ == Alternative::less    ? -distance
                                                : distance;
}

void MaxT::add(const Result& differences) {
  const double error = differences.standard_error();
  const double estimate = differences.estimate();
  const std::span<const double> values = differences.replicates();
  if (error > 0) width_ = std::max(width_, differences.resolution() / error);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(error > 0) && !std::isnan(values[i])) continue;
    const double distance = counted((values[i] - estimate) / error);
    // NaN stays, whichever side it comes from.
    if (!(distance <= largest_[i]) && !std::isnan(largest_[i])) largest_[i] = distance;
  }
}

void MaxT::finish() {
  std::erase_if(largest_, [](double value) { return std::isnan(value); });
  std::sort(largest_.begin(), largest_.end());
}

Interval MaxT::interval(double estimate, double standard_error, double doubt,
                        double confidence) const {
  const std::uint64_t count = largest_.size();
  const auto at = [&](double q) {
    const auto position = numeric::quantile_position(std::clamp(q, 0.0, 1.0), count);
    const std::size_t high = std::min<std::size_t>(position.low, count - 1);
    return numeric::interpolate(largest_[position.low - 1], largest_[high], position.weight);
  };
  // As for a percentile limit: how far the rank of the quantile may be off.
  const double reach = std::sqrt(confidence * (1 - confidence) / static_cast<double>(count));
  const bool varies = std::isfinite(at(0));
  const double c = varies ? at(confidence) : 0;
  const double c_error = varies ? (at(confidence + reach) - at(confidence - reach)) / 2 : 0;
  const double error = std::hypot(c_error * standard_error, c * doubt);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Interval found{
      "simultaneous", confidence, estimate - c * standard_error, estimate + c * standard_error,
      error,          error};
  found.alternative = alternative_;
  if (alternative_ == Alternative::less) found.low = -kInfinity, found.low_error = 0;
  if (alternative_ == Alternative::greater) found.high = kInfinity, found.high_error = 0;
  return found;
}

PValue MaxT::p_value(double estimate, double standard_error) const {
  const double t =
      counted(standard_error > 0 ? estimate / standard_error
              : estimate == 0    ? 0
                              : std::copysign(std::numeric_limits<double>::infinity(), estimate));
  const auto first = std::lower_bound(largest_.begin(), largest_.end(), t - width_);
  const auto all = static_cast<double>(largest_.size()) + 1;
  const double share = (static_cast<double>(largest_.end() - first) + 1) / all;
  return {share, std::sqrt(share * (1 - share) / all)};
}

}  // namespace bootfold::comparison
