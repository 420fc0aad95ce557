// The three layers of a count together are the Poisson law, to more digits than anybody can draw.
#include "resample/count_law.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/poisson.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "random/theory.h"
#include "resample/counts.h"

namespace bootfold::resample {
namespace count_law_test {

using Real = boost::multiprecision::cpp_bin_float_100;
using theory::kAlarm;

/// Small and large numbers of rows, around powers of two, and m out of n.
std::vector<double> many_means() {
  std::vector<double> means = {1, 2, 1.5, 0.5, 0x1p-12, 0x1p-20, 0.01, 0.1, 0.25};
  for (std::uint64_t rows = 1; rows <= kSuperBlockRows; rows = rows * 3 / 2 + 1)
    means.push_back(count_mean(rows, rows));
  for (const std::uint64_t draws : {1, 1000, 1'000'000, 1'048'576, 1'052'000, 1'100'000})
    if (const double mean = count_mean(kSuperBlockRows, draws); mean > 0) means.push_back(mean);
  return means;
}

Real threshold(const simd::NumberTable& table, std::uint32_t k) {
  return ldexp(Real(table.high[k]), -64) + ldexp(Real(table.low[k]), -128);
}

/// The mean of the number of rows that a layer replaces: the sum of 1 - F(k).
Real mean_number(const simd::NumberTable& table) {
  Real mean = 0;
  for (std::uint32_t k = 0; k < table.thresholds; ++k) mean += 1 - threshold(table, k);
  return mean;
}

/// The probabilities of the counts of the third layer.
std::vector<Real> rare_law(const CountLaw& law) {
  const simd::LayerTable& table = law.table();
  std::vector<Real> probability(simd::kMostCount + 1);
  std::uint32_t before = 0;
  for (std::size_t k = 0; k <= simd::kRareSteps; ++k) {
    const std::uint32_t end =
        std::min(k < simd::kRareSteps ? table.rare_end[k] : 65536, table.rare_open);
    probability.at(table.rare_first + k) = Real(end - before) / 65536;
    before = end;
  }
  const Real open = Real(65536 - table.rare_open) / 65536;
  Real below = 0;
  for (std::size_t k = 0; k <= law.rare_thresholds().size(); ++k) {
    const Real end =
        k < law.rare_thresholds().size() ? ldexp(Real(law.rare_thresholds()[k]), -64) : Real(1);
    probability[k] += open * (end - below);
    below = end;
  }
  return probability;
}

TEST(CountLaw, IsThePoissonLaw) {
  for (const double mean : many_means())
    for (const std::uint32_t positions : {1U, 64U, 4096U}) {
      SCOPED_TRACE(testing::Message() << "mean " << mean << ", " << positions << " positions");
      const CountLaw law(mean, positions);
      const simd::LayerTable& table = law.table();
      EXPECT_EQ(table.positions, positions);
      const Real sparse = 1 - exp(-mean_number(table.sparse_rows) / positions);
      const Real rare = 1 - exp(-mean_number(table.rare_rows) / positions);
      const std::vector<Real> last = rare_law(law);
      Real expected = exp(-Real(mean));
      Real sum = 0;
      for (std::size_t k = 0; k <= simd::kMostCount; ++k) {
        Real dense_share = 0;
        Real sparse_share = 0;
        for (std::size_t seat = 0; seat < 16; ++seat) {
          dense_share += table.dense[seat] == k ? Real(1) / 16 : Real(0);
          sparse_share += table.sparse[seat] == k ? Real(1) / 16 : Real(0);
        }
        const Real found =
            (1 - rare) * ((1 - sparse) * dense_share + sparse * sparse_share) + rare * last[k];
        EXPECT_LT(abs(found - expected), Real(1e-22)) << "count " << k;
        sum += found;
        expected *= Real(mean) / (k + 1);
      }
      EXPECT_LT(abs(sum - 1), Real(1e-22));
    }
}

// The numbers of replaced rows are Poisson: every threshold is floor(F(k) 2^128).
TEST(CountLaw, ReplacesAPoissonNumberOfRows) {
  for (const double mean : many_means()) {
    const CountLaw law(mean, 4096);
    for (const simd::NumberTable* table : {&law.table().sparse_rows, &law.table().rare_rows}) {
      const Real number = mean_number(*table);
      Real probability = exp(-number);
      Real below = probability;
      for (std::uint32_t k = 0; k < table->thresholds; ++k) {
        EXPECT_LT(abs(threshold(*table, k) - below), ldexp(Real(1), -110)) << mean << ", " << k;
        probability *= number / (k + 1);
        below += probability;
      }
      EXPECT_LT(1 - below, ldexp(Real(1), -120));
    }
    EXPECT_LE(law.table().sparse_rows.thresholds + law.table().rare_rows.thresholds,
              simd::Replaced::kMost);
  }
}

// The guide is a shortcut: the number is how many thresholds the 128 bits reach.
TEST(NumberTable, CountsTheThresholdsThatTheBitsReach) {
  const CountLaw law(count_mean(1000, 1000), 1024);
  const simd::NumberTable& table = law.table().sparse_rows;
  random::Stream stream({.seed = 20});
  const auto expect_number = [&](std::uint64_t bits, std::uint64_t more) {
    std::uint32_t expected = 0;
    for (std::uint32_t k = 0; k < table.thresholds; ++k)
      expected += static_cast<std::uint32_t>(table.high[k] < bits ||
                                             (table.high[k] == bits && table.low[k] <= more));
    ASSERT_EQ(table(bits, more), expected);
  };
  for (int time = 0; time < 10'000; ++time) expect_number(stream(), stream());
  for (std::uint32_t k = 0; k < table.thresholds; ++k)
    for (const std::uint64_t bits : {table.high[k] - 1, table.high[k], table.high[k] + 1})
      for (const std::uint64_t more :
           {std::uint64_t{0}, table.low[k] - 1, table.low[k], ~std::uint64_t{0}})
        expect_number(bits, more);
}

TEST(CountMean, IsALittleBelowTheShareOnAGrid) {
  EXPECT_EQ(count_mean(1, 1), 0.5);
  EXPECT_EQ(count_mean(16, 16), 0.5);
  EXPECT_EQ(count_mean(36, 36), 21.0 / 32);      // below 1 - 2 / 6 on a grid of 32
  EXPECT_EQ(count_mean(1, 100), 2);              // at most 2: the top-up brings the rest
  EXPECT_EQ(count_mean(kSuperBlockRows, 1), 0);  // so few are all left to the top-up
  EXPECT_EQ(count_mean(kSuperBlockRows, 100), 0);
  EXPECT_EQ(count_mean(kSuperBlockRows, 400), 1.0 / 4096);
  EXPECT_LT(count_mean(kSuperBlockRows, 400) * kSuperBlockRows, 400);
  const double mean = count_mean(kSuperBlockRows, kSuperBlockRows);
  EXPECT_LE(mean, 1 - 2.0 / 1024);
  EXPECT_GT(mean, 1 - 2.0 / 1024 - 1.0 / 4096);
  EXPECT_EQ(mean * 4096, std::floor(mean * 4096));
}

// Single counts and pairs of neighbours, in tiles of all kinds. Poisson counts of mean 1: a
// chi-square each; eight share one alarm of 1e-6.
TEST(CountLaw, IsWhatIsDrawn) {
  for (const std::uint64_t rows : {1, 100, 5000, 100'000}) {
    CountLaws laws;
    constexpr std::size_t kCells = 9;
    std::vector<std::uint64_t> seen(kCells);
    std::vector<std::uint64_t> pairs(kCells);
    std::vector<std::uint8_t> tile(simd::kCountTile + 64);
    simd::Replaced replaced;
    std::uint8_t last = 0;
    bool even = false;
    for (std::uint64_t r = 0; r < 2'000'000 / rows; ++r) {
      BlockCounts counts(execution::available_levels().back(), laws(1, rows), {3, r, 0}, rows);
      for (std::uint64_t row = 0; row < rows;) {
        const std::size_t size = counts.next(tile.data(), replaced);
        for (std::size_t i = 0; i < size; ++i) {
          ++seen[std::min<std::size_t>(tile[i], kCells - 1)];
          if (even) ++pairs[std::min<std::size_t>(tile[i] + last, kCells - 1)];
          even = !even;
          last = tile[i];
        }
        row += size;
      }
    }
    for (const int together : {1, 2}) {
      const boost::math::poisson law(together);
      std::vector<double> expected(kCells);
      for (std::size_t k = 0; k < kCells; ++k)
        expected[k] = k + 1 < kCells ? pdf(law, static_cast<double>(k))
                                     : cdf(complement(law, static_cast<double>(k - 1)));
      EXPECT_TRUE(theory::follows(together == 1 ? seen : pairs, expected, kAlarm / 8))
          << rows << " rows, " << together;
    }
  }
}

}  // namespace count_law_test
}  // namespace bootfold::resample
