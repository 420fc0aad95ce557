// Exact laws and the tests against them. The level of all is one false alarm in a million, and as
// the seeds are fixed, a test passes always or never.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <span>
#include <vector>

namespace bootfold::laws {

inline constexpr double kFalseAlarms = 1e-6;
inline constexpr double kZ = 4.8916;  // two-sided: one in a million

/// Chi-square of counts against probabilities; cells that expect fewer than 5 are pooled.
inline ::testing::AssertionResult chi_square(const std::vector<double>& counts,
                                             const std::vector<double>& probabilities) {
  double total = 0;
  for (const double count : counts) total += count;
  double statistic = 0;
  double cells = 0;
  double pooled_count = 0;
  double pooled_expected = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    pooled_count += counts[i];
    pooled_expected += total * probabilities[i];
    if (pooled_expected < 5 && i + 1 < counts.size()) continue;
    if (pooled_expected <= 0) {
      if (pooled_count > 0) return ::testing::AssertionFailure() << "an impossible value came up";
      continue;
    }
    statistic +=
        (pooled_count - pooled_expected) * (pooled_count - pooled_expected) / pooled_expected;
    ++cells;
    pooled_count = pooled_expected = 0;
  }
  const double limit =
      quantile(complement(boost::math::chi_squared(std::max(1.0, cells - 1)), kFalseAlarms));
  if (statistic <= limit) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "chi-square " << statistic << " with " << cells - 1
                                       << " degrees of freedom is above " << limit;
}

/// Are two sets of replicates from one discrete law? Values are rounded to 1e-9 to be compared.
inline ::testing::AssertionResult same_law(std::span<const double> a, std::span<const double> b) {
  std::map<long long, std::pair<double, double>> table;
  for (const double x : a) ++table[std::llround(x * 1e9)].first;
  for (const double x : b) ++table[std::llround(x * 1e9)].second;
  const double total_a = static_cast<double>(a.size());
  const double total_b = static_cast<double>(b.size());
  double statistic = 0;
  double cells = 0;
  double in_a = 0;
  double in_b = 0;
  for (const auto& [value, counts] : table) {
    in_a += counts.first;
    in_b += counts.second;
    const bool last = value == table.rbegin()->first;
    if (in_a + in_b < 20 && !last) continue;
    const double expected_a = (in_a + in_b) * total_a / (total_a + total_b);
    const double expected_b = (in_a + in_b) * total_b / (total_a + total_b);
    if (in_a + in_b > 0)
      statistic += (in_a - expected_a) * (in_a - expected_a) / expected_a +
                   (in_b - expected_b) * (in_b - expected_b) / expected_b;
    ++cells;
    in_a = in_b = 0;
  }
  const double limit =
      quantile(complement(boost::math::chi_squared(std::max(1.0, cells - 1)), kFalseAlarms));
  if (statistic <= limit) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "chi-square " << statistic << " with " << cells - 1
                                       << " degrees of freedom is above " << limit;
}

/// Is `count` of `trials` what probability `p` allows? (Normal law; p * trials is large.)
inline ::testing::AssertionResult binomial_share(double count, double trials, double p) {
  const double z = (count - trials * p) / std::sqrt(trials * p * (1 - p));
  if (std::abs(z) <= kZ) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << count << " of " << trials << " is " << z << " deviations from a share of " << p;
}

/// Kolmogorov-Smirnov against a distribution function.
template <class Cdf>
::testing::AssertionResult kolmogorov_smirnov(std::span<const double> replicates, Cdf&& cdf) {
  std::vector<double> sorted(replicates.begin(), replicates.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  double distance = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double at = cdf(sorted[i]);
    distance =
        std::max({distance, static_cast<double>(i + 1) / n - at, at - static_cast<double>(i) / n});
  }
  const double limit = std::sqrt(-std::log(kFalseAlarms / 2) / 2 / n);
  if (distance <= limit) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "distance " << distance << " is above " << limit;
}

/// The law of the sum of `draws` draws from the whole numbers `values`: sum -> probability.
inline std::vector<double> law_of_sum(const std::vector<int>& values, std::size_t draws) {
  const int most = *std::max_element(values.begin(), values.end());
  std::vector<double> law = {1};
  for (std::size_t draw = 0; draw < draws; ++draw) {
    std::vector<double> next(law.size() + static_cast<std::size_t>(most));
    for (std::size_t sum = 0; sum < law.size(); ++sum)
      for (const int value : values)
        next[sum + static_cast<std::size_t>(value)] +=
            law[sum] / static_cast<double>(values.size());
    law = std::move(next);
  }
  return law;
}

}  // namespace bootfold::laws
