#include "interval/ordered.h"

#include <algorithm>
#include <cmath>

#include "numeric/normal.h"
#include "numeric/quantile.h"

namespace bootfold::interval {

Ordered::Position Ordered::position(double p) const {
  const auto count = static_cast<double>(count_);
  if (convention_ == Convention::numpy) {
    const auto found = numeric::quantile_position(p, count_);
    return {found.low, found.weight, p * count < 1 || (1 - p) * count < 1};
  }
  const double place = (count + 1) * p;
  if (place < 1) return {1, 0, true};
  if (place >= count) return {count_, 0, true};
  const double low = std::floor(place);
  if (place == low) return {static_cast<std::uint64_t>(low), 0, false};
  const double below = normal::quantile(low / (count + 1));
  const double above = normal::quantile((low + 1) / (count + 1));
  const double weight = (normal::quantile(p) - below) / (above - below);
  return {static_cast<std::uint64_t>(low), std::clamp(weight, 0.0, 1.0), false};
}

std::vector<double> Ordered::between(std::uint64_t first, std::uint64_t last) const {
  constexpr std::uint64_t kFew = 65536;  // a copy of them is smaller than what a selection takes
  if (count_ > kFew) return numeric::order_statistics(scan_, first, last);
  std::vector<double> all;
  all.reserve(count_);
  scan_([&](std::span<const double> values) {
    for (const double value : values)
      if (value == value) all.push_back(value);
  });
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first - 1);
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(last);
  std::nth_element(all.begin(), begin, all.end());
  std::nth_element(begin, end - 1, all.end());
  std::sort(begin, end);
  return {begin, end};
}

double Ordered::tail_error(double p, double reach) const {
  const auto count = static_cast<double>(count_);
  const bool low = p < 0.5;
  const double tail = low ? p : 1 - p;
  if (count_ < 2) return 0;
  const std::uint64_t most = std::clamp<std::uint64_t>((count_ - 1) / 4, 1, 8);
  const std::vector<double> few = low ? between(1, most + 1) : between(count_ - most, count_);
  const double threshold = low ? few.back() : few.front();
  double scale = 0;  // mean distance from the threshold: that of an exponential tail
  for (const double value : few) scale += std::abs(value - threshold) / static_cast<double>(most);
  if (!std::isfinite(scale)) return 0;
  // The logarithm of the share beyond the k-th value from outside has variance trigamma(k), and
  // whatever else moves the rank adds to it.
  const double k = 1 + (count - 1) * tail;
  const double trigamma = 1 / k + 1 / (2 * k * k) + 1 / (6 * k * k * k);
  const double others = std::max(0.0, reach * reach - tail * (1 - tail) / count);
  return scale * std::sqrt(trigamma + others * count * count / (k * k));
}

Limit Ordered::quantile(double p, double reach) const {
  const Position at = position(p);
  const Position below = position(std::max(0.0, p - reach));
  const Position above = position(std::min(1.0, p + reach));
  const std::uint64_t last = std::min(count_, above.low + 1);
  const std::vector<double> values = between(below.low, last);
  const auto value = [&](const Position& position) {
    const std::size_t at_low = position.low - below.low;
    const double low = values[at_low];
    const double high = values[std::min(at_low + 1, values.size() - 1)];
    if (position.weight > 0 && !std::isfinite(high - low) && low != high)
      return std::isinf(low) ? low : high;  // between a number and infinity
    return numeric::interpolate(low, high, position.weight);
  };
  if (p - reach < 0 || p + reach > 1) return {value(at), tail_error(p, reach), at.extreme};
  const double reached = value(above) - value(below);
  return {value(at), std::isnan(reached) ? 0 : reached / 2, at.extreme};
}

Limit Ordered::quantile(double p) const {
  return quantile(p, std::sqrt(p * (1 - p) / static_cast<double>(count_)));
}

Ordered::Share Ordered::share_below(double value, double width) const {
  std::uint64_t below = 0;
  std::uint64_t equal = 0;
  scan_([&](std::span<const double> values) {
    for (const double x : values) {
      below += x < value - width ? 1 : 0;
      equal += std::abs(x - value) <= width ? 1 : 0;
    }
  });
  const auto count = static_cast<double>(count_);
  return {static_cast<double>(below) / count, static_cast<double>(equal) / count};
}

}  // namespace bootfold::interval
