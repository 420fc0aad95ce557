// The automatic length of blocks: for an autoregression it tends to a known one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bootfold/random.h"
#include "bootfold/scheme.h"

namespace bootfold {
namespace block_length_test {

std::vector<double> autoregression(double phi, std::size_t rows, std::uint64_t seed) {
  random::Stream stream({.seed = seed});
  std::vector<double> x(rows);
  double last = 0;
  for (int i = 0; i < 1000; ++i) last = phi * last + random::normal(stream);
  for (double& value : x) value = last = phi * last + random::normal(stream);
  return x;
}

// What an independent program found (make_block_lengths.py, which has the series too). arch 8.0.0
// has the same lengths for all of them.
TEST(BlockLengths, AreThoseOfTheAuthorsProgram) {
  struct Known {
    double phi;
    std::size_t rows;
    std::uint64_t seed;
    double stationary;
    double circular;
  };
  for (const Known& known : {Known{0.7, 500, 1, 12.3616507314, 14.1505576538},
                             Known{0.3, 500, 2, 5.46790036172, 6.25918342093},
                             Known{-0.5, 500, 3, 15.2416620689, 17.4473476504},
                             Known{-0.5, 100, 6, 10.7257473876, 12.2779157966},
                             Known{0.9, 200, 4, 13.7414638208, 15.7300493492},
                             Known{0.5, 3000, 5, 14.7446389213, 16.8783981746}}) {
    SCOPED_TRACE(known.phi);
    std::vector<double> x;
    double last = 0;
    std::uint64_t state = known.seed;
    for (std::size_t i = 0; i < known.rows; ++i) {
      state = (state * 1103515245 + 12345) % (std::uint64_t{1} << 31);
      last = known.phi * last + std::ldexp(static_cast<double>(state), -31) - 0.5;
      x.push_back(last);
    }
    EXPECT_NEAR(block_lengths(x).stationary, known.stationary, 1e-9);
    EXPECT_NEAR(block_lengths(x).fixed, known.circular, 1e-9);
  }
}

/// The length that the true autocovariances phi^k give through a window of this reach.
double length_of(double phi, std::size_t reach, double rows) {
  double density = 1;
  double bend = 0;
  for (std::size_t k = 1; k <= reach; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(reach);
    const double window = share <= 0.5 ? 1 : 2 * (1 - share);
    const double covariance = std::pow(phi, static_cast<double>(k));
    density += 2 * window * covariance;
    bend += 2 * window * static_cast<double>(k) * covariance;
  }
  return std::cbrt(bend * bend / (density * density) * rows);
}

// Endless windows give G / g = 2 phi / (1 - phi^2). Of 20,000 rows the last autocorrelation m that
// stands out is the last with |phi|^m above the level of chance, or the one behind it; the run that
// does not starts one lag later, so the mean length lies between those of the reaches 2 (m + 1) and
// 2 (m + 2), but for the spread over 40 seeds. One of the three means strays by more than 5.9
// estimated deviations once in a million (Student's law with 39 degrees of freedom).
TEST(BlockLengths, OfAnAutoregressionAreThoseOfTheory) {
  constexpr std::size_t kRows = 20'000;
  constexpr double kSeeds = 40;
  const double chance = 2 * std::sqrt(std::log10(kRows) / kRows);
  for (const double phi : {0.3, 0.7, -0.5}) {
    SCOPED_TRACE(phi);
    double sum = 0;
    double squares = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const BlockLengths lengths = block_lengths(autoregression(phi, kRows, seed));
      sum += lengths.stationary;
      squares += lengths.stationary * lengths.stationary;
      EXPECT_NEAR(lengths.fixed / lengths.stationary, std::cbrt(1.5), 1e-9);
    }
    const double mean = sum / kSeeds;
    const double error = std::sqrt((squares / kSeeds - mean * mean) / (kSeeds - 1));
    const auto last = static_cast<std::size_t>(std::log(chance) / std::log(std::abs(phi)));
    const auto [low, high] =
        std::minmax({length_of(phi, 2 * last + 2, kRows), length_of(phi, 2 * last + 4, kRows)});
    EXPECT_GT(mean, low - 5.9 * error);
    EXPECT_LT(mean, high + 5.9 * error);
    EXPECT_LT(error, 0.03 * mean);  // or the test would say little
    const double endless = std::cbrt(std::pow(2 * phi / (1 - phi * phi), 2) * kRows);
    EXPECT_NEAR(length_of(phi, 1000, kRows), endless, 1e-6 * endless);
  }
}

// The optimal length is 5.6. Of 100 rows usually one autocorrelation stands out. Had the window the
// reach 2 that the text of the paper gives then, g would be R(0) + 2 R(1), nearly 0, and half of
// the lengths would be above 11. The share of 400 lengths below 11 is then 1/2 with standard
// deviation 1/40; that it is above 3/4 has a probability of 1e-23.
TEST(BlockLengths, OfANegativeAutocorrelationAreNotFarTooLong) {
  std::vector<double> lengths;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    lengths.push_back(block_lengths(autoregression(-0.5, 100, seed)).stationary);
  std::sort(lengths.begin(), lengths.end());
  EXPECT_NEAR(lengths[200], 5.6, 1.2);
  EXPECT_LT(lengths[300], 11);
}

TEST(BlockLengths, OfUnrelatedRowsAreShort) {
  EXPECT_LT(block_lengths(autoregression(0, 20'000, 3)).stationary, 4);
}

TEST(BlockLengths, DoNotDependOnScaleAndPlace) {
  const std::vector<double> x = autoregression(0.6, 5000, 1);
  const double expected = block_lengths(x).stationary;
  std::vector<double> moved = x;
  for (double& value : moved) value = value * 0x1p900 - 0x1p890;
  EXPECT_NEAR(block_lengths(moved).stationary, expected, 1e-6);
}

TEST(BlockLengths, AreOneForFewOrConstantRows) {
  for (const std::vector<double>& x :
       {std::vector<double>{1}, std::vector<double>{1, 2, 3}, std::vector<double>(100, 7.0)})
    EXPECT_EQ(block_lengths(x).stationary, 1) << x.size();
}

TEST(BlockLengths, AreAtMostAThirdOfTheRows) {
  std::vector<double> walk = autoregression(0.999, 60, 2);
  EXPECT_LE(block_lengths(walk).fixed, 20);
}

}  // namespace block_length_test
}  // namespace bootfold
