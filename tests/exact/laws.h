// Laws found the long way: every sequence of draws, and long plain sums.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/exact.h"
#include "statistic/reference.h"

namespace bootfold::exact {

using reference::kSixteen;
using reference::kTreatment;
using reference::message_of;
using reference::normals;

/// Value -> probability over all n^n sequences of draws; values within 1e-9 are one. n <= 7.
inline std::map<long long, double> brute_force(
    const std::vector<double>& data, const std::function<double(const std::vector<double>&)>& of) {
  const std::size_t n = data.size();
  std::vector<std::size_t> draw(n);
  std::map<long long, double> law;
  const double each = std::pow(1.0 / static_cast<double>(n), static_cast<double>(n));
  for (;;) {
    std::vector<double> resample;
    for (const std::size_t i : draw) resample.push_back(data[i]);
    law[std::llround(of(resample) * 1e9)] += each;
    std::size_t at = 0;
    while (at < n && ++draw[at] == n) draw[at++] = 0;
    if (at == n) return law;
  }
}

inline double mean_of(const std::vector<double>& values) {
  long double sum = 0;
  for (const double value : values) sum += value;
  return static_cast<double>(sum / static_cast<long double>(values.size()));
}

/// The law holds exactly these values with these probabilities, and says so in every way it can.
inline void expect_law(const Distribution& law, const std::map<long long, double>& expected,
                       double tolerance = 1e-12) {
  double below = 0;
  double mean = 0;
  for (const auto& [key, probability] : expected)
    mean += static_cast<double>(key) * 1e-9 * probability;
  double variance = 0;
  for (const auto& [key, probability] : expected) {
    const double value = static_cast<double>(key) * 1e-9;
    // Values are given to 1e-9: take the law's own nearest one.
    double x = value;
    for (const Atom& atom : law.atoms())
      if (std::abs(atom.value - value) < 2e-9) x = atom.value;
    EXPECT_NEAR(law.below(x), below, tolerance) << x;
    EXPECT_NEAR(law.probability(x), probability, 2 * tolerance) << x;
    below += probability;
    EXPECT_NEAR(law.cdf(x), below, tolerance) << x;
    if (probability > 1e-9) {
      EXPECT_NEAR(law.quantile(below - probability / 2), x, 1e-8) << x;
    }
    variance += (value - mean) * (value - mean) * probability;
  }
  EXPECT_NEAR(law.mean(), mean, 1e-8);
  EXPECT_NEAR(law.standard_error(), std::sqrt(variance), 1e-8);
  EXPECT_LE(law.error_bound(), 1e-11);
}

}  // namespace bootfold::exact
