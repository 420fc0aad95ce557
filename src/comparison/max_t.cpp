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
  const double mean = estimate + differences.bias();
  const std::span<const double> values = differences.replicates();
  if (error > 0) width_ = std::max(width_, differences.resolution() / error);
  if (error > 0) ++varying_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(error > 0) && !std::isnan(values[i])) continue;
    const double distance = counted((values[i] - estimate) / error);
    // NaN stays, whichever side it comes from.
    if (!(distance <= largest_[i]) && !std::isnan(largest_[i])) largest_[i] = distance;
    const double z = (values[i] - mean) / error;
    scale_[i] += (z * z - 1) / 2;
  }
}

void MaxT::finish() {
  double count = 0;
  double sum = 0;
  for (std::size_t i = 0; i < largest_.size(); ++i) {
    if (std::isnan(largest_[i])) continue;
    ++count;
    sum += scale_[i];
  }
  double squares = 0;
  for (std::size_t i = 0; i < largest_.size(); ++i)
    if (!std::isnan(largest_[i])) squares += (scale_[i] - sum / count) * (scale_[i] - sum / count);
  if (count > 0 && varying_ > 0) common_ = squares / count / (varying_ * varying_);
  scale_ = {};
  std::erase_if(largest_, [](double value) { return std::isnan(value); });
  std::sort(largest_.begin(), largest_.end());
}

double MaxT::own_doubt(const Difference& difference) const {
  if (!(difference.standard_error > 0)) return 0;
  const double doubt = difference.standard_error_error / difference.standard_error;
  return std::sqrt(std::max(0.0, doubt * doubt - common_ / static_cast<double>(largest_.size())));
}

Interval MaxT::interval(const Difference& difference, double confidence) const {
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
  const double error = difference.standard_error * std::hypot(c_error, c * own_doubt(difference));
  const double half = c * difference.standard_error;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Interval found{"simultaneous", confidence, difference.estimate - half, difference.estimate + half,
                 error,          error};
  found.alternative = alternative_;
  if (alternative_ == Alternative::less) found.low = -kInfinity, found.low_error = 0;
  if (alternative_ == Alternative::greater) found.high = kInfinity, found.high_error = 0;
  return found;
}

double MaxT::share_beyond(double distance) const {
  const auto first = std::lower_bound(largest_.begin(), largest_.end(), distance - width_);
  return (static_cast<double>(largest_.end() - first) + 1) /
         (static_cast<double>(largest_.size()) + 1);
}

PValue MaxT::p_value(const Difference& difference) const {
  const double estimate = difference.estimate;
  const double t =
      counted(difference.standard_error > 0 ? estimate / difference.standard_error
              : estimate == 0               ? 0
                              : std::copysign(std::numeric_limits<double>::infinity(), estimate));
  const double share = share_beyond(t);
  const double by_count =
      std::sqrt(share * (1 - share) / (static_cast<double>(largest_.size()) + 1));
  if (!std::isfinite(t)) return {share, by_count};
  const double reach = std::abs(t) * own_doubt(difference);
  return {share, std::hypot(by_count, (share_beyond(t - reach) - share_beyond(t + reach)) / 2)};
}

}  // namespace bootfold::comparison
