// Quantiles of a list, by selection: the convention of NumPy and R (type 7).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bootfold::numeric {

/// The type 7 quantile q of n sorted values lies between the order statistics number `low` (from 1)
/// and low + 1, at `weight` of the way.
struct QuantilePosition {
  std::uint64_t low = 1;
  double weight = 0;  // 0: the order statistic itself, the next one is not needed
};

[[nodiscard]] inline QuantilePosition quantile_position(double q, std::uint64_t n) noexcept {
  const double place = q * static_cast<double>(n - 1);
  const double whole = std::min(std::floor(place), static_cast<double>(n - 1));
  return {static_cast<std::uint64_t>(whole) + 1, place - whole};
}

/// As NumPy: no rounding beyond the two values, exact where they are equal.
[[nodiscard]] inline double interpolate(double low, double high, double weight) noexcept {
  if (weight == 0 || low == high) return low;
  const double step = high - low;
  return weight < 0.5 ? low + step * weight : high - step * (1 - weight);
}

/// Type 7 quantile; reorders `values`, which must not be empty. O(n).
[[nodiscard]] inline double select_quantile(std::span<double> values, double q) {
  const QuantilePosition position = quantile_position(q, values.size());
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(position.low - 1);
  std::nth_element(values.begin(), nth, values.end());
  const double low = *nth;
  if (position.weight == 0) return low;
  return interpolate(low, *std::min_element(nth + 1, values.end()), position.weight);
}

/// Mean without the floor(cut * n) smallest and largest; reorders `values`. O(n).
[[nodiscard]] inline double trimmed_mean_of(std::span<double> values, double cut) {
  const auto cut_rows =
      static_cast<std::ptrdiff_t>(std::floor(cut * static_cast<double>(values.size())));
  const auto first = values.begin() + cut_rows;
  const auto last = values.end() - cut_rows;
  if (cut_rows > 0) {
    std::nth_element(values.begin(), first, values.end());
    std::nth_element(first, last - 1, values.end());
  }
  // Compensated (Neumaier): the second sum carries what rounding loses in the first.
  double sum = 0;
  double lost = 0;
  for (auto value = first; value != last; ++value) {
    const double next = sum + *value;
    lost += std::abs(sum) >= std::abs(*value) ? (sum - next) + *value : (*value - next) + sum;
    sum = next;
  }
  return (sum + lost) / static_cast<double>(last - first);
}

}  // namespace bootfold::numeric
