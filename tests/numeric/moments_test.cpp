// Sums of powers of any size, in any pieces.
#include "numeric/moments.h"

#include <gtest/gtest.h>

#include <cmath>

#include "statistic/reference.h"

namespace bootfold {
namespace moments_test {

using numeric::Moments;

TEST(Moments, AreCentral) {
  const std::vector<double> x = reference::normals(1000, 1);
  double mean = 0;
  double second = 0;
  double third = 0;
  for (const double value : x) mean += value / 1000;
  for (const double value : x) {
    second += std::pow(value - mean, 2);
    third += std::pow(value - mean, 3);
  }
  Moments moments;
  moments.add(x);
  EXPECT_EQ(moments.count(), 1000);
  EXPECT_NEAR(moments.mean(), mean, 1e-14);
  EXPECT_NEAR(std::ldexp(moments.second(), 2 * moments.exponent()), second, 1e-10);
  EXPECT_NEAR(std::ldexp(moments.third(), 3 * moments.exponent()), third, 1e-10);
}

// A tile of tiny numbers, one of huge ones, one by one, and with weights: the same sums.
TEST(Moments, PiecesOfAnySizeAddUp) {
  for (const int exponent : {-1040, -300, 0, 300, 1000}) {
    SCOPED_TRACE(exponent);
    Moments whole;
    Moments pieces;
    Moments weighted;
    std::vector<double> all;
    for (int i = 0; i < 60; ++i) all.push_back(std::ldexp(1 + i % 7, exponent + i / 10));
    whole.add(all);
    for (std::size_t i = 0; i < all.size(); i += 20) {
      Moments piece;
      piece.add(std::span(all).subspan(i, 20));
      pieces.merge(piece);
    }
    for (const double value : all) {
      weighted.add(value, 0.5);
      weighted.add(value, 0.5);
    }
    for (const Moments* other : {&pieces, &weighted}) {
      EXPECT_EQ(other->count(), 60);
      const int shift = other->exponent() - whole.exponent();
      EXPECT_NEAR(std::ldexp(other->second(), 2 * shift) / whole.second(), 1, 1e-12);
      EXPECT_NEAR(std::ldexp(other->third(), 3 * shift) / whole.third(), 1, 1e-11);
    }
  }
}

TEST(Moments, WhatIsNoNumberIsCounted) {
  Moments moments;
  moments.add(std::vector<double>{1, reference::kNan, 3, INFINITY});
  EXPECT_EQ(moments.count(), 2);
  EXPECT_EQ(moments.undefined(), 2);
  EXPECT_EQ(moments.mean(), 2);
}

}  // namespace moments_test
}  // namespace bootfold
