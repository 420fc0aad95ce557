// The thresholds are the Poisson law to 80 bits, and every table of every SIMD level says the same
// about each of the 65536 values of 16 bits.
#include "resample/poisson.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <set>
#include <vector>

#include "bootfold/error.h"
#include "random/lane_states.h"
#include "resample/reference.h"
#include "resample/simd/kernels.h"
#include "text/concat.h"

namespace bootfold::resample {
namespace poisson_test {

using random::simd::Bytes;
using simd::OpenRow;

/// Whether F(0), F(1), ... in 16 bits end in the byte 255, cell 255 not counted.
int odd_cells(double mean) {
  int found = 0;
  double probability = std::exp(-mean);
  double below = probability;
  for (int k = 0; below < 255.0 / 256; ++k) {
    found += static_cast<int>((static_cast<int>(below * 65536) & 255) == 255);
    probability *= mean / (k + 1);
    below += probability;
  }
  return found;
}

/// Small and large, at the clamp of the mean (36), at the edges of steps, tiles and blocks; those
/// with odd cells; and many between.
std::vector<std::uint64_t> many_rows() {
  std::vector<std::uint64_t> rows = {1,    2,    5,    6,    36,    37,    100,   163,   164,
                                     1000, 2502, 2503, 4096, 65535, 65536, 65537, 70000, 5000000};
  for (std::uint64_t power = 10'000; power <= 1'000'000'000'000; power *= 10) rows.push_back(power);
  for (double n = 37; n < 1e9; n *= 1.37) rows.push_back(static_cast<std::uint64_t>(n));
  int odd = 0;
  for (std::uint64_t n = 38; odd < 12; ++n)
    if (odd_cells(count_mean(n, kMargin)) > 0) {
      rows.push_back(n);
      ++odd;
    }
  return rows;
}

TEST(CountMean, IsALittleBelowOneAndAtLeastAHalf) {
  EXPECT_EQ(count_mean(1, 3), 0.5);
  EXPECT_EQ(count_mean(36, 3), 0.5);
  EXPECT_EQ(count_mean(10'000, 3), 0.97);
  EXPECT_EQ(count_mean(10'000, 0), 1);
  EXPECT_LT(count_mean(~std::uint64_t{0}, 3), 1);
}

TEST(Poisson, ThresholdsAreTheLawTo80Bits) {
  for (const std::uint64_t rows : many_rows()) {
    const Poisson poisson(count_mean(rows, kMargin));
    const auto expected = thresholds80(poisson.mean());
    ASSERT_EQ(poisson.thresholds().size(), expected.size()) << rows << " rows";
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_TRUE(number80(poisson.thresholds()[k].first, poisson.thresholds()[k].last) ==
                  expected[k])
          << rows << " rows, k = " << k;
  }
}

// Differences of thresholds are probabilities: Boost's to double precision, and they sum to 1. No
// count is above 31, which the dot product relies on.
TEST(Poisson, ThresholdsAreBoostsDistributionFunction) {
  for (const std::uint64_t rows : many_rows()) {
    SCOPED_TRACE(testing::Message() << rows << " rows");
    const Poisson poisson(count_mean(rows, kMargin));
    const boost::math::poisson law(poisson.mean());
    Number80 before = 0;
    double sum = 0;
    for (std::size_t k = 0; k < poisson.thresholds().size(); ++k) {
      const auto& [first, last] = poisson.thresholds()[k];
      const Number80 here = number80(first, last);
      const double probability = std::ldexp(static_cast<double>(here - before), -80);
      EXPECT_NEAR(probability, pdf(law, static_cast<double>(k)),
                  1e-14 * pdf(law, static_cast<double>(k)) + 0x1p-80);
      sum += probability;
      before = here;
    }
    EXPECT_LE(std::ldexp(static_cast<double>((static_cast<Number80>(1) << 80) - before), -80),
              0x1p-79);
    EXPECT_NEAR(sum, 1, 1e-15);
    EXPECT_LE(poisson.thresholds().size(), 31U);
  }
}

TEST(Poisson, CountsTheThresholdsThatAllEightyBitsReach) {
  for (const std::uint64_t rows : {1, 37, 1000, 2502, 1000000}) {
    const Poisson poisson(count_mean(rows, kMargin));
    const auto expected = thresholds80(poisson.mean());
    for (const auto& [first, last] : poisson.thresholds())
      for (std::uint32_t bits = first > 0 ? first - 1 : 0; bits <= std::min(first + 1, 65535U);
           ++bits)
        for (const std::uint64_t more :
             {std::uint64_t{0}, last - 1, last, last + 1, ~std::uint64_t{0}})
          EXPECT_EQ(poisson.count(bits, more), count80(expected, number80(bits, more)))
              << rows << " rows, " << bits << ", " << more;
  }
}

/// What is wrong with the counts that a level gives for 64 values of 16 bits.
std::string complaint(const simd::Kernels& kernels, const Poisson& poisson,
                      const std::vector<Number80>& thresholds, const Bytes& high,
                      const Bytes& low) {
  auto lanes = random::simd::crafted(high, low);
  alignas(64) std::uint8_t counts[64];
  OpenRow open[64];
  std::size_t open_rows = 0;
  std::uint64_t total = kernels.counts(lanes, poisson.table(), 64, counts, open, open_rows);
  std::vector<bool> is_open(64);
  for (std::size_t i = 0; i < open_rows; ++i) {
    const std::uint32_t row = open[i].row;
    if (row >= 64 || open[i].bits != (static_cast<std::uint32_t>(high[row]) << 8 | low[row]))
      return text::concat("open row ", row, " has the bits ", open[i].bits);
    if (counts[row] != 0 || is_open[row]) return text::concat("open row ", row, " was counted");
    is_open[row] = true;
  }
  for (std::size_t row = 0; row < 64; ++row) {
    const std::uint32_t bits = static_cast<std::uint32_t>(high[row]) << 8 | low[row];
    const std::uint32_t least = count80(thresholds, number80(bits, 0));
    const std::uint32_t most = count80(thresholds, number80(bits, ~std::uint64_t{0}));
    if (!is_open[row] && least != most)
      return text::concat("bits ", bits, " were counted as ", +counts[row], " but mean ", least,
                          " to ", most, ", depending on more bits");
    if (!is_open[row] && counts[row] != least)
      return text::concat("bits ", bits, " were counted as ", +counts[row], " but mean ", least);
    total -= counts[row];
  }
  return total == 0 ? "" : text::concat("the total is off by ", static_cast<std::int64_t>(total));
}

// Every value once with 64 equal high bytes and once with 64 equal low bytes.
TEST(PoissonTable, DecidesEveryValueOf16BitsAsTheThresholdsDoAtEverySimdLevel) {
  for (const std::uint64_t rows : many_rows()) {
    const Poisson poisson(count_mean(rows, kMargin));
    const auto thresholds = thresholds80(poisson.mean());
    for (const auto level : execution::available_levels()) {
      SCOPED_TRACE(testing::Message() << execution::name(level) << ", " << rows << " rows");
      const auto& kernels = simd::kernels(level);
      std::set<std::string> complaints;
      for (std::uint32_t value = 0; value < 65536; value += 64) {
        Bytes same;
        Bytes rising;
        same.fill(static_cast<std::uint8_t>(value >> 8));
        for (std::size_t i = 0; i < 64; ++i)
          rising[i] = static_cast<std::uint8_t>((value & 255) + i);
        complaints.insert(complaint(kernels, poisson, thresholds, same, rising));
        complaints.insert(complaint(kernels, poisson, thresholds, rising, same));
      }
      complaints.erase("");
      EXPECT_TRUE(complaints.empty())
          << complaints.size() << " complaints, such as: " << *complaints.begin();
    }
  }
}

// The table of the test above contains what is rare.
TEST(PoissonTable, IsTestedWithNoneOneAndTwoOddCells) {
  std::set<int> seen;
  for (const std::uint64_t rows : many_rows()) seen.insert(odd_cells(count_mean(rows, kMargin)));
  EXPECT_EQ(seen, (std::set<int>{0, 1, 2}));
}

// The structure that the kernels rely on.
TEST(PoissonTable, HasOneThresholdACellBeforeTheLast) {
  for (const std::uint64_t rows : many_rows()) {
    const Poisson poisson(count_mean(rows, kMargin));
    std::set<std::uint32_t> cells;
    std::size_t before_last = 0;
    for (const auto& threshold : poisson.thresholds())
      if (threshold.first >> 8 < 255) {
        cells.insert(threshold.first >> 8);
        ++before_last;
      }
    EXPECT_EQ(cells.size(), before_last) << rows << " rows";
    EXPECT_EQ(poisson.table().cells, before_last) << rows << " rows";
    EXPECT_GE(poisson.thresholds().size(), before_last + 3) << rows << " rows";
  }
}

}  // namespace poisson_test
}  // namespace bootfold::resample
