// Quantiles of large data against incomplete beta functions in 50 digits.
#include <gtest/gtest.h>

#include <boost/math/special_functions/beta.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <numeric>

#include "bootfold/exact.h"
#include "exact/laws.h"

namespace bootfold::exact {
namespace quantile_test {

using Digits = boost::multiprecision::cpp_bin_float_50;

std::vector<double> ranks(std::size_t n) {
  std::vector<double> data(n);
  std::iota(data.begin(), data.end(), 1.0);
  return data;
}

/// P(the k-th smallest of n draws from 1 .. n is at most r).
double rank_cdf(std::uint64_t n, std::uint64_t k, double r) {
  return static_cast<double>(
      boost::math::ibeta(Digits(k), Digits(n - k + 1), Digits(r) / Digits(n)));
}

TEST(Quantile, LawOverRanksInFiftyDigits) {
  for (const std::uint64_t n : {101U, 10'001U, 100'001U}) {
    const Distribution law = distribution(ranks(n), statistic::median());
    const std::uint64_t k = (n + 1) / 2;
    for (const double share : {0.1, 0.4, 0.49, 0.5, 0.503, 0.52}) {
      const double r = std::round(share * static_cast<double>(n));
      EXPECT_NEAR(law.cdf(r), rank_cdf(n, k, r), law.error_bound()) << n << " " << r;
    }
  }
}

TEST(Quantile, LargestRowsAreDrawnAsTheyShould) {
  const std::size_t n = 1'000'000;
  const Distribution law = distribution(ranks(n), statistic::max());
  for (int below = 0; below < 20; ++below)
    EXPECT_NEAR(law.cdf(static_cast<double>(n) - below),
                std::exp(static_cast<double>(n) * std::log1p(-below / static_cast<double>(n))),
                law.error_bound());
}

// The median of even n is the mean of two neighbours, so its expectation is that of theirs.
TEST(Quantile, AnInterpolatedOneHasTheMeanOfItsNeighbours) {
  const std::uint64_t n = 100'000;
  const Distribution middle = distribution(ranks(n), statistic::median());
  const auto mean_rank = [&](std::uint64_t k) {  // sum of P(R_k > r) over r
    const std::uint64_t reach = 9 * 158 + 100;   // nine standard deviations
    auto sum = static_cast<long double>(k - reach);
    for (std::uint64_t r = k - reach; r < k + reach; ++r)
      sum +=
          1 - boost::math::ibeta(static_cast<long double>(k), static_cast<long double>(n - k + 1),
                                 static_cast<long double>(r) / static_cast<long double>(n));
    return static_cast<double>(sum);
  };
  EXPECT_NEAR(middle.mean(), (mean_rank(n / 2) + mean_rank(n / 2 + 1)) / 2, 1e-6);
  double sum = 0;
  for (const Atom& atom : middle.atoms()) sum += atom.probability;
  EXPECT_NEAR(sum, 1, 1e-13);
  EXPECT_NEAR(middle.quantile(0.5), middle.estimate(), 0.5);
}

// 0, 1, 1, ...: P(the minimum is 0) = 1 - (1 - 1/n)^n.
TEST(Quantile, TiesAreOneValue) {
  std::vector<double> data(1000, 1.0);
  data[500] = 0;
  const Distribution law = distribution(data, statistic::min());
  ASSERT_EQ(law.atoms().size(), 2U);
  EXPECT_NEAR(law.probability(0), 1 - std::pow(0.999, 1000), 1e-13);
}

TEST(Binomial, ProbabilitiesInFiftyDigits) {
  const std::uint64_t n = 1'000'000;
  std::vector<double> data(n);
  const std::uint64_t ones = 123'457;
  std::fill_n(data.begin(), ones, 1.0);
  const Distribution law = distribution(data, statistic::proportion());
  for (const std::int64_t move : {-2000, -300, 0, 1, 250, 1900}) {
    const std::uint64_t count = ones + static_cast<std::uint64_t>(move);
    // P(Bin(n, p) <= c) = I_(1-p)(n - c, c + 1)
    const auto expected = static_cast<double>(
        boost::math::ibeta(Digits(n - count), Digits(count + 1), 1 - Digits(ones) / Digits(n)));
    EXPECT_NEAR(law.cdf(static_cast<double>(count) / static_cast<double>(n)), expected,
                law.error_bound());
  }
}

}  // namespace quantile_test
}  // namespace bootfold::exact
