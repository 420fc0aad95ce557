// Quantiles of a list, by selection: the convention of NumPy and R (type 7), also under weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "numeric/compensated.h"

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

// Weighted rows stand for n rows of a resample. With weights scaled to sum n, order statistic
// number k is the smallest value whose cumulative weight is at least k - 1/2. Equal weights, and
// whole weights that sum to n, give the order statistics of the rows written out; an odd number of
// rows gives the usual weighted median; and -x has the quantiles of x with changed signs.
// docs/resampling.md says why not "at least k".

struct WeightedRow {
  double value;
  double weight;  // >= 0
};

/// The smallest cumulative weight that reaches order statistic number `rank` of n, if weights are
/// integers that sum to `total`: total (rank - 1/2) / n, rounded up. Exact for n < 2^40 and
/// totals below 2^80.
[[nodiscard]] constexpr unsigned __int128 weight_of_rank(unsigned __int128 total,
                                                         std::uint64_t rank,
                                                         std::uint64_t n) noexcept {
  const unsigned __int128 halves = 2 * static_cast<unsigned __int128>(n);
  return ((2 * static_cast<unsigned __int128>(rank) - 1) * total + (halves - 1)) / halves;
}

/// Type 7 quantile of weighted rows that stand for n. `rows` rise in value; at least one weight is
/// positive. O(rows).
[[nodiscard]] inline double weighted_quantile(std::span<const WeightedRow> rows, double q,
                                              std::uint64_t n) {
  Compensated total;
  for (const WeightedRow& row : rows) total.add(row.weight);
  const QuantilePosition position = quantile_position(q, n);
  Compensated seen;
  std::size_t at = 0;
  double largest = 0;  // value of the last row with a weight, where rounding leaves none
  const auto order_statistic = [&](std::uint64_t rank) {
    const double wanted = (static_cast<double>(rank) - 0.5) / static_cast<double>(n);
    for (; at < rows.size(); ++at) {
      if (rows[at].weight == 0) continue;
      largest = rows[at].value;
      Compensated next = seen;
      next.add(rows[at].weight);
      if (next.value() >= wanted * total.value()) break;  // the next rank may be the same row
      seen = next;
    }
    return largest;
  };
  const double low = order_statistic(position.low);
  return position.weight == 0
             ? low
             : interpolate(low, order_statistic(position.low + 1), position.weight);
}

/// Mean of weighted rows that stand for n, without a share floor(cut * n) / n of the weight at each
/// end; the rows at the cuts keep a part of their weights. `rows` rise in value. O(rows).
[[nodiscard]] inline double weighted_trimmed_mean(std::span<const WeightedRow> rows, double cut,
                                                  std::uint64_t n) {
  Compensated total;
  for (const WeightedRow& row : rows) total.add(row.weight);
  const double share = std::floor(cut * static_cast<double>(n)) / static_cast<double>(n);
  const double first = share * total.value();
  const double last = total.value() - first;
  Compensated seen;
  Compensated sum;
  Compensated kept;
  for (const WeightedRow& row : rows) {
    const double from = std::max(seen.value(), first);
    seen.add(row.weight);
    const double to = std::min(seen.value(), last);
    if (to <= from) continue;
    sum.add((to - from) * row.value);
    kept.add(to - from);
  }
  return sum.value() / kept.value();
}

}  // namespace bootfold::numeric
