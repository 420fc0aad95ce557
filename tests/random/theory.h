// Comparing draws with the law they claim to follow.
//
// Seeds are fixed, so a test passes always or never. Its false-alarm rate is the probability that
// draws of exactly the claimed law would fail it, had the seed been picked at random.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace bootfold::theory {

/// How many times more to draw than in the default suite: the tests labelled `slow` set it.
inline std::uint64_t effort() {
  const char* wanted = std::getenv("BOOTFOLD_TEST_EFFORT");  // NOLINT(concurrency-mt-unsafe)
  return wanted == nullptr ? 1 : std::stoull(wanted);
}

/// False-alarm rate of a test. A test of many comparisons gives each its share.
inline constexpr double kAlarm = 1e-6;

/// Whether a statistic with these tail probabilities is believable: each tail gets half the alarm.
inline testing::AssertionResult believable(double lower_tail, double upper_tail, double alarm) {
  if (lower_tail >= alarm / 2 && upper_tail >= alarm / 2) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << (lower_tail < upper_tail ? "so low a value has probability "
                                     : "so high a value has probability ")
         << std::min(lower_tail, upper_tail);
}

/// `value` comes from a normal law (or from a mean of so many draws that it is as good as normal).
inline testing::AssertionResult is_normal(double value, double mean, double deviation,
                                          double alarm = kAlarm) {
  const double z = (value - mean) / deviation;
  const boost::math::normal law;
  return believable(cdf(law, z), cdf(complement(law, z)), alarm)
         << "; " << value << " is " << z << " deviations from " << mean;
}

/// `successes` of `trials` trials: exact tails.
inline testing::AssertionResult is_binomial(std::uint64_t successes, std::uint64_t trials,
                                            double probability, double alarm = kAlarm) {
  const boost::math::binomial law(static_cast<double>(trials), probability);
  const auto found = static_cast<double>(successes);
  const double upper = successes == 0 ? 1 : cdf(complement(law, found - 1));
  return believable(cdf(law, found), upper, alarm)
         << "; " << successes << " of " << trials << " with probability " << probability;
}

/// A chi-square statistic with `freedom` degrees of freedom; too good a fit is suspect, too.
inline testing::AssertionResult is_chi_square(double statistic, double freedom,
                                              double alarm = kAlarm) {
  const boost::math::chi_squared law(freedom);
  return believable(cdf(law, statistic), cdf(complement(law, statistic)), alarm)
         << "; chi-square " << statistic << " with " << freedom << " degrees of freedom";
}

/// How often each cell was seen, against its probability: Pearson's chi-square. Cells expected
/// fewer than 25 times are joined, so that the chi-square law holds far into its tail.
inline testing::AssertionResult follows(std::span<const std::uint64_t> observed,
                                        std::span<const double> probability,
                                        double alarm = kAlarm) {
  constexpr double kLeast = 25;
  if (observed.size() != probability.size())
    return testing::AssertionFailure() << observed.size() << " cells but " << probability.size();
  double draws = 0;
  double certain = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    draws += static_cast<double>(observed[i]);
    certain += probability[i];
    if (probability[i] <= 0 && observed[i] > 0)
      return testing::AssertionFailure() << "cell " << i << " is impossible but was drawn";
  }
  if (std::abs(certain - 1) > 1e-9)
    return testing::AssertionFailure() << "the probabilities add up to " << certain;
  double statistic = 0;
  int cells = 0;
  double rest_seen = 0;
  double rest_expected = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double expected = draws * probability[i];
    if (expected < kLeast) {
      rest_seen += static_cast<double>(observed[i]);
      rest_expected += expected;
      continue;
    }
    statistic += std::pow(static_cast<double>(observed[i]) - expected, 2) / expected;
    ++cells;
  }
  if (rest_expected >= kLeast) {
    statistic += std::pow(rest_seen - rest_expected, 2) / rest_expected;
    ++cells;
  }
  if (cells < 2) return testing::AssertionFailure() << "fewer than two cells are likely enough";
  return is_chi_square(statistic, cells - 1, alarm);
}

/// The same where all cells are equally likely.
inline testing::AssertionResult follows_uniform(std::span<const std::uint64_t> observed,
                                                double alarm = kAlarm) {
  const std::vector<double> probability(observed.size(),
                                        1.0 / static_cast<double>(observed.size()));
  return follows(observed, probability, alarm);
}

/// Draws of a continuous law: Kolmogorov and Smirnov's distance d of n draws from `cdf`. Massart
/// (1990): it is exceeded with probability at most 2 exp(-2 n d^2), for every n.
template <class Cdf>
testing::AssertionResult follows_cdf(std::vector<double> draws, Cdf&& cdf, double alarm = kAlarm) {
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  double distance = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double at = cdf(draws[i]);
    if (!(at >= 0 && at <= 1))
      return testing::AssertionFailure() << "draw " << draws[i] << " is outside the law";
    distance =
        std::max({distance, at - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - at});
  }
  const double most = std::sqrt(std::log(2 / alarm) / (2 * n));
  if (distance <= most) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "distance " << distance << " from the law, at most " << most;
}

}  // namespace bootfold::theory
