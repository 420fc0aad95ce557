// Normal, exponential, binomial and beta draws follow their laws, in the tails too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "random/theory.h"

namespace bootfold::random {
namespace laws_test {

using theory::kAlarm;

// Kolmogorov-Smirnov; moments with their exact variances; nine comparisons share one alarm of 1e-6.
TEST(Normal, IsNormal) {
  constexpr std::size_t kDraws = 1'000'000;
  Stream stream({.seed = 7});
  std::vector<double> draws(kDraws);
  double power[5] = {};
  double product = 0;
  std::uint64_t beyond[3] = {};
  for (std::size_t i = 0; i < kDraws; ++i) {
    const double z = draws[i] = normal(stream);
    double raised = 1 / static_cast<double>(kDraws);
    for (int k = 1; k <= 4; ++k) power[k] += raised *= z;
    if (i > 0) product += z * draws[i - 1] / (kDraws - 1);
    for (int k = 0; k < 3; ++k) beyond[k] += static_cast<std::uint64_t>(std::abs(z) > 3 + 0.6 * k);
  }
  const boost::math::normal law;
  EXPECT_TRUE(theory::follows_cdf(
      draws, [&](double z) { return cdf(law, z); }, kAlarm / 9));
  const double root = std::sqrt(static_cast<double>(kDraws));
  EXPECT_TRUE(theory::is_normal(power[1], 0, 1 / root, kAlarm / 9));
  EXPECT_TRUE(theory::is_normal(power[2], 1, std::sqrt(2) / root, kAlarm / 9));
  EXPECT_TRUE(theory::is_normal(power[3], 0, std::sqrt(15) / root, kAlarm / 9));
  EXPECT_TRUE(theory::is_normal(power[4], 3, std::sqrt(96) / root, kAlarm / 9));
  EXPECT_TRUE(theory::is_normal(product, 0, 1 / root, kAlarm / 9)) << "successive draws";
  for (int k = 0; k < 3; ++k)  // the ziggurat's tail begins at 3.65
    EXPECT_TRUE(
        theory::is_binomial(beyond[k], kDraws, 2 * cdf(complement(law, 3 + 0.6 * k)), kAlarm / 9));
}

// Kolmogorov-Smirnov, successive draws, and the tail, whose law does not forget; five comparisons
// share one alarm of 1e-6.
TEST(Exponential, IsExponentialOfMeanOne) {
  constexpr std::size_t kDraws = 1'000'000;
  Stream stream({.seed = 7});
  std::vector<double> draws(kDraws);
  double mean = 0;
  double product = 0;
  std::uint64_t beyond[2] = {};
  for (std::size_t i = 0; i < kDraws; ++i) {
    draws[i] = exponential(stream);
    ASSERT_GE(draws[i], 0);
    mean += draws[i] / kDraws;
    if (i > 0) product += (draws[i] - 1) * (draws[i - 1] - 1) / (kDraws - 1);
    beyond[0] += static_cast<std::uint64_t>(draws[i] > 7.5);
    beyond[1] += static_cast<std::uint64_t>(draws[i] > 10);
  }
  const double root = std::sqrt(static_cast<double>(kDraws));
  EXPECT_TRUE(theory::follows_cdf(
      draws, [](double x) { return -std::expm1(-x); }, kAlarm / 5));
  EXPECT_TRUE(theory::is_normal(mean, 1, 1 / root, kAlarm / 5));
  EXPECT_TRUE(theory::is_normal(product, 0, 1 / root, kAlarm / 5));
  EXPECT_TRUE(theory::is_binomial(beyond[0], kDraws, std::exp(-7.5), kAlarm / 5));
  EXPECT_TRUE(theory::is_binomial(beyond[1], kDraws, std::exp(-10), kAlarm / 5));
}

struct BinomialCase {
  std::uint64_t trials;
  double probability;
};

/// Chi-square of 200000 draws: single values where there are few, else ranges of values of about an
/// eighth of a deviation.
testing::AssertionResult binomial_follows(const BinomialCase& which, double alarm) {
  const auto [trials, probability] = which;
  const boost::math::binomial law(static_cast<double>(trials), probability);
  const double deviation = standard_deviation(law);
  const double width = std::max(1.0, std::floor(deviation / 8));
  const double first = std::max(0.0, std::floor(mean(law) - 5 * deviation));
  const std::size_t cells = 2 + static_cast<std::size_t>(10 * deviation / width);
  std::vector<std::uint64_t> seen(cells);
  std::vector<double> expected(cells);
  double below = 0;
  for (std::size_t i = 0; i < cells; ++i) {  // cell i: up to first + (i + 1) * width - 1
    const double last = first + static_cast<double>(i + 1) * width - 1;
    const bool all = i + 1 == cells || last >= static_cast<double>(trials);
    const double up_to = all ? 1 : cdf(law, last);
    expected[i] = up_to - below;
    below = up_to;
  }
  Stream stream({.seed = 7, .replicate = trials});
  for (std::uint64_t i = 0; i < 200'000 * theory::effort(); ++i) {
    const std::uint64_t found = binomial(stream, trials, probability);
    if (found > trials) return testing::AssertionFailure() << found << " successes";
    const double cell = std::floor((static_cast<double>(found) - first) / width);
    ++seen[static_cast<std::size_t>(std::clamp(cell, 0.0, static_cast<double>(cells - 1)))];
  }
  return theory::follows(seen, expected, alarm);
}

// From one trial to 10^12, on both sides of the switch of methods (mean 11) and of 1/2. Twenty
// chi-squares share one alarm of 1e-6.
TEST(Binomial, IsBinomial) {
  const BinomialCase cases[] = {{1, 0.5},
                                {1, 0.003},
                                {5, 0.3},
                                {10, 0.01},
                                {10, 0.99},
                                {20, 0.5},
                                {21, 0.5},
                                {22, 0.5},
                                {100, 0.05},
                                {100, 0.95},
                                {1000, 0.0105},
                                {1000, 0.0115},
                                {1000, 0.3},
                                {1000, 0.9885},
                                {70'000, 1 / 70e3},
                                {5'000'000, 2e-7},
                                {5'000'000, 0.05},
                                {1u << 31, 0.75},
                                {1'000'000'000'000, 0.5},
                                {10'000'000'000, 1e-10}};
  for (const auto& which : cases)
    EXPECT_TRUE(binomial_follows(which, kAlarm / 20))
        << which.trials << " trials of " << which.probability;
}

// 1 - p is not a double for p = 1e-16; one chi-square with a false-alarm rate of 1e-6.
TEST(Binomial, IsBinomialWhereOneMinusPRounds) {
  EXPECT_TRUE(binomial_follows({10'000'000'000'000'000, 1e-16}, kAlarm));
}

TEST(Binomial, OfRoundedProbabilitiesIsClamped) {
  Stream stream({.seed = 7});
  for (const std::uint64_t trials : {std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{1} << 40}) {
    EXPECT_EQ(binomial(stream, trials, 1.0000000000000002), trials);
    EXPECT_EQ(binomial(stream, trials, 1), trials);
    EXPECT_EQ(binomial(stream, trials, 0), 0U);
    EXPECT_EQ(binomial(stream, trials, -1e-17), 0U);
    EXPECT_EQ(binomial(stream, trials, -0.0), 0U);
    EXPECT_EQ(binomial(stream, trials, 1e-300), 0U);
  }
  for (const double p : {-1e-17, 0.0, 0.5, 1.0, 1.0000000000000002})
    EXPECT_EQ(binomial(stream, 0, p), 0U);
  for (int i = 0; i < 1000; ++i)
    EXPECT_LE(binomial(stream, 100, 1 - std::numeric_limits<double>::epsilon()), 100U);
}

TEST(Binomial, OfAnUnknownProbabilityIsAnError) {
  Stream stream({.seed = 7});
  EXPECT_THROW(static_cast<void>(binomial(stream, 10, std::nan(""))), InvalidArgument);
}

// Kolmogorov-Smirnov against the incomplete beta function; twelve laws share one alarm of 1e-6.
TEST(Beta, IsBeta) {
  const std::pair<double, double> cases[] = {
      {1, 1},   {0.5, 0.5}, {2, 3},     {0.1, 5}, {7.5, 1},       {1, 5e6},
      {5e6, 1}, {3, 4.9e6}, {100, 1e6}, {4, 4},   {2.5e6, 2.5e6}, {1.25e5, 4.875e6}};
  for (const auto& [a, b] : cases) {
    SCOPED_TRACE(testing::Message() << "beta(" << a << ", " << b << ")");
    Stream stream({.seed = 7, .replicate = static_cast<std::uint64_t>(10 * a)});
    std::vector<double> draws(20'000 * theory::effort());
    for (double& draw : draws) draw = beta(stream, a, b);
    EXPECT_TRUE(theory::follows_cdf(
        draws, [&, a = a, b = b](double x) { return boost::math::ibeta(a, b, x); }, kAlarm / 12));
  }
}

TEST(Beta, OfSmallParametersIsANumber) {
  Stream stream({.seed = 7});
  int not_a_number = 0;
  int ones = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double draw = beta(stream, 0.001, 0.001);
    not_a_number += static_cast<int>(!(draw >= 0 && draw <= 1));
    ones += static_cast<int>(draw > 0.5);
  }
  EXPECT_EQ(not_a_number, 0);
  EXPECT_TRUE(theory::is_binomial(static_cast<std::uint64_t>(ones), 10'000, 0.5));
}

TEST(Beta, OfParametersThatAreNotPositiveIsAnError) {
  Stream stream({.seed = 7});
  for (const auto& [a, b] : {std::pair{0.0, 1.0}, {1.0, 0.0}, {-1.0, 1.0}, {1.0, std::nan("")}})
    EXPECT_THROW(static_cast<void>(beta(stream, a, b)), InvalidArgument);
  EXPECT_THAT([&] { static_cast<void>(beta(stream, -1, 2)); },
              testing::ThrowsMessage<InvalidArgument>(
                  testing::StrEq("beta(-1, 2) is not a distribution: both must be above 0")));
}

}  // namespace laws_test
}  // namespace bootfold::random
