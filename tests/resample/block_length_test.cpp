// The automatic length of blocks: for an autoregression it tends to a known one.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bootfold/random.h"
#include "bootfold/scheme.h"

namespace bootfold {
namespace {

std::vector<double> autoregression(double phi, std::size_t rows, std::uint64_t seed) {
  random::Stream stream({.seed = seed});
  std::vector<double> x(rows);
  double last = 0;
  for (int i = 0; i < 1000; ++i) last = phi * last + random::normal(stream);
  for (double& value : x) value = last = phi * last + random::normal(stream);
  return x;
}

// G / g(0) is 2 phi / (1 - phi^2) for a first order autoregression. The estimate spreads by about
// a tenth at this size; over ten seeds its mean by a thirtieth, so 0.15 is more than four times that.
TEST(BlockLengths, OfAnAutoregressionAreThoseOfTheory) {
  constexpr std::size_t kRows = 20'000;
  for (const double phi : {0.3, 0.7, -0.5}) {
    double stationary = 0;
    double fixed = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const BlockLengths lengths = block_lengths(autoregression(phi, kRows, seed));
      stationary += lengths.stationary / 10;
      fixed += lengths.fixed / 10;
    }
    const double ratio = 2 * phi / (1 - phi * phi);
    const double expected = std::cbrt(ratio * ratio * kRows);
    EXPECT_NEAR(stationary / expected, 1, 0.15) << phi;
    EXPECT_NEAR(fixed / stationary, std::cbrt(1.5), 1e-9) << phi;
  }
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

TEST(BlockLengths, OfTooLittleToTellAreOne) {
  for (const std::vector<double>& x :
       {std::vector<double>{1}, std::vector<double>{1, 2, 3}, std::vector<double>(100, 7.0)})
    EXPECT_EQ(block_lengths(x).stationary, 1) << x.size();
}

TEST(BlockLengths, AreAtMostAThirdOfTheRows) {
  std::vector<double> walk = autoregression(0.999, 60, 2);
  EXPECT_LE(block_lengths(walk).fixed, 20);
}

}  // namespace
}  // namespace bootfold
