// Path `stream` keeps to its definition: counts add up, totals above n take a further attempt, and
// neither super-blocks drawn alone nor SIMD levels change a count.
#include "resample/counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/resample.h"
#include "random/theory.h"
#include "resample/reference.h"

namespace bootfold::resample {
namespace counts_test {

using theory::kAlarm;

constexpr std::uint64_t kSeed = 20;

/// Around the vector widths, the step, the tile.
constexpr std::size_t kLengths[] = {1,    2,    15,   16,   17,   31,   32,    33,
                                    63,   64,   65,   127,  128,  129,  255,   1000,
                                    4095, 4096, 4097, 8191, 8192, 8193, 65536, 70'000};

TEST(Counts, AddUpToTheNumberOfRowsAndAreTheSameAtEverySimdLevel) {
  for (const std::size_t rows : kLengths) {
    SCOPED_TRACE(testing::Message() << rows << " rows");
    for (std::uint64_t replicate = 0; replicate < 3; ++replicate) {
      const auto expected = counts(rows, {kSeed, replicate}, execution::Level::portable);
      EXPECT_EQ(expected.size(), rows);
      EXPECT_EQ(std::accumulate(expected.begin(), expected.end(), std::uint64_t{0}), rows);
      for (const auto level : execution::available_levels())
        EXPECT_EQ(counts(rows, {kSeed, replicate}, level), expected) << execution::name(level);
    }
  }
}

// The edges of super-blocks, where the last of them has one row, all rows, or one row less.
TEST(Counts, AddUpAroundTheEndOfASuperBlock) {
  for (const std::uint64_t rows :
       {kSuperBlockRows - 1, kSuperBlockRows, kSuperBlockRows + 1, 2 * kSuperBlockRows + 1}) {
    const auto expected = counts(rows, {kSeed, 5}, execution::Level::portable);
    EXPECT_EQ(std::accumulate(expected.begin(), expected.end(), std::uint64_t{0}), rows);
    for (const auto level : execution::available_levels())
      EXPECT_EQ(counts(rows, {kSeed, 5}, level), expected) << execution::name(level);
  }
}

// Many more replicates than above, so that ties, void attempts and rejected draws come up.
TEST(Counts, AreTheSameAtEverySimdLevelInManyReplicates) {
  for (const std::size_t rows : {std::size_t{3}, std::size_t{40}, std::size_t{1000},
                                 std::size_t{65'000}, std::size_t{70'000}})
    for (const std::uint64_t block_rows : {kSuperBlockRows, std::uint64_t{37}}) {
      if (rows > 1000 && block_rows == 37) continue;
      const std::uint64_t replicates = rows > 10'000 ? 100 : 5000;
      for (const auto level : execution::available_levels()) {
        if (level == execution::Level::portable) continue;
        Replicates reference(rows, {.level = execution::Level::portable, .block_rows = block_rows});
        Replicates tested(rows, {.level = level, .block_rows = block_rows});
        std::uint64_t different = 0;
        for (std::uint64_t r = 0; r < replicates; ++r)
          different +=
              static_cast<std::uint64_t>(reference.counts(kSeed, r) != tested.counts(kSeed, r));
        EXPECT_EQ(different, 0U) << execution::name(level) << ", " << rows << " rows";
      }
    }
}

// The driver of the tests in this folder draws what the public function draws.
TEST(Counts, OfTheTestDriverAreThePublicOnes) {
  for (const std::size_t rows : {1, 2, 6, 50, 1000, 70'000}) {
    Replicates replicates(rows);
    for (std::uint64_t r = 0; r < 20; ++r)
      ASSERT_EQ(replicates.counts(kSeed, r), counts(rows, {kSeed, r})) << rows << " rows, " << r;
  }
}

TEST(Counts, OfOneRowIsOne) {
  Replicates replicates(1);
  for (std::uint64_t r = 0; r < 1000; ++r)
    ASSERT_EQ(replicates.counts(kSeed, r), std::vector<std::uint32_t>{1});
}

TEST(Counts, OfNoRowIsAnError) {
  EXPECT_THAT([] { static_cast<void>(counts(0, {})); },
              testing::ThrowsMessage<InvalidArgument>(
                  testing::StrEq("rows is 0 but must be at least 1: there is no row to draw")));
}

// A holder of some super-blocks draws them alone, in any order.
TEST(Counts, OfASuperBlockNeedNoOther) {
  Replicates all(10'000, {.block_rows = 640});
  for (std::uint64_t r = 0; r < 20; ++r) {
    const auto expected = all.counts(kSeed, r);
    for (std::uint64_t b = 0; b < all.blocks().count(); ++b) {
      Replicates alone(10'000, {.block_rows = 640});
      const auto& found = alone.counts(kSeed + 1, r);  // something else
      alone.draw(kSeed, r, b);
      for (std::uint64_t row = all.blocks().first_row(b); row < all.blocks().first_row(b + 1);
           ++row)
        ASSERT_EQ(found[row], expected[row]) << row;
    }
  }
}

// The numbers of draws add up, and each is binomial(n, share of the super-block). One chi-square
// for each of 5 super-blocks and their covariance share one alarm of 1e-6.
TEST(SuperBlocks, ShareTheDrawsAsTheirRowsSay) {
  constexpr std::uint64_t kRows = 22;
  const SuperBlocks blocks(kRows, 5);
  ASSERT_EQ(blocks.count(), 5U);
  EXPECT_EQ(blocks.rows(4), 2U);
  constexpr std::uint64_t kReplicates = 200'000;
  std::vector<std::vector<std::uint64_t>> seen(5, std::vector<std::uint64_t>(kRows + 1));
  double product = 0;
  for (std::uint64_t r = 0; r < kReplicates; ++r) {
    std::uint64_t sum = 0;
    std::vector<double> centred;
    for (std::uint64_t b = 0; b < 5; ++b) {
      const std::uint64_t draws = blocks.draws(kSeed, r, kRows, b);
      ++seen[b].at(draws);
      sum += draws;
      centred.push_back(static_cast<double>(draws) - static_cast<double>(blocks.rows(b)));
    }
    ASSERT_EQ(sum, kRows);
    product += centred[0] * centred[4];
  }
  for (std::uint64_t b = 0; b < 5; ++b) {
    const boost::math::binomial law(kRows, static_cast<double>(blocks.rows(b)) / kRows);
    std::vector<double> expected;
    for (std::uint64_t k = 0; k <= kRows; ++k) expected.push_back(pdf(law, k));
    EXPECT_TRUE(theory::follows(seen[b], expected, kAlarm / 6)) << "super-block " << b;
  }
  // Covariance of two cells of a multinomial: -n p q. Its estimate has a deviation of about
  // sqrt(variance product / replicates), here below sqrt((n p)(n q) + ...) / 447.
  const double expected = -22 * (5.0 / 22) * (2.0 / 22);
  EXPECT_TRUE(theory::is_normal(product / kReplicates, expected,
                                std::sqrt(3.86 * 1.82 + 2 * expected * expected) / 447.2,
                                kAlarm / 6));
}

// Attempts are void with the probability that a Poisson total exceeds n, and independent: their
// number is geometric. Fifteen chi-squares share one alarm of 1e-6.
TEST(VoidAttempts, AreAsManyAsThePoissonTotalSays) {
  for (const double margin : {3.0, 2.0, 0.0})
    for (const std::uint64_t rows : {1, 2, 6, 10, 20}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, margin " << margin);
      constexpr std::uint64_t kReplicates = 40'000;
      Replicates replicates(rows, {.margin = margin});
      const double mean = count_mean(rows, rows, margin) * static_cast<double>(rows);
      const double is_void = cdf(complement(boost::math::poisson(mean), static_cast<double>(rows)));
      std::vector<std::uint64_t> seen(10);
      std::vector<double> expected(10);
      for (std::size_t k = 0; k < 10; ++k)
        expected[k] = std::pow(is_void, k) * (k < 9 ? 1 - is_void : 1);
      for (std::uint64_t r = 0; r < kReplicates; ++r) {
        const auto& found = replicates.counts(kSeed, r);
        ASSERT_EQ(std::accumulate(found.begin(), found.end(), std::uint64_t{0}), rows);
        ++seen[std::min<std::size_t>(replicates.voids(), 9)];
      }
      EXPECT_GT(seen[1], margin == 0 ? 5000U : 10U);
      EXPECT_TRUE(theory::follows(seen, expected, kAlarm / 15));
    }
}

// The total before the top-up, given that the attempt held, is a Poisson law cut at n. Three
// chi-squares share one alarm of 1e-6.
TEST(VoidAttempts, LeaveThePoissonTotalCutAtTheNumberOfRows) {
  for (const std::uint64_t rows : {6, 50, 1000}) {
    Replicates replicates(rows);
    const boost::math::poisson law(count_mean(rows, rows) * static_cast<double>(rows));
    const double held = cdf(law, static_cast<double>(rows));
    std::vector<std::uint64_t> seen(rows + 1);
    std::vector<double> expected(rows + 1);
    for (std::uint64_t t = 0; t <= rows; ++t) expected[t] = pdf(law, static_cast<double>(t)) / held;
    for (std::uint64_t r = 0; r < 40'000; ++r) {
      replicates.counts(kSeed, r);
      ++seen.at(replicates.total());
    }
    EXPECT_TRUE(theory::follows(seen, expected, kAlarm / 3)) << rows << " rows";
  }
}

// Chi-square over all rows of a top-up; three chi-squares share one alarm of 1e-6. 6,553 rows
// reject some draws.
TEST(TopUp, DrawsEveryRowEquallyOften) {
  for (const std::uint64_t rows : {3, 1000, 6553}) {
    Replicates replicates(rows);
    std::vector<std::uint64_t> seen(rows);
    for (std::uint64_t r = 0; r < 100'000; ++r) {
      if (rows > 1000 && r == 20'000) break;
      replicates.counts(kSeed, r);
      for (const std::uint32_t row : replicates.late()) ++seen.at(row);
    }
    EXPECT_TRUE(theory::follows_uniform(seen, kAlarm / 3)) << rows << " rows";
  }
}

}  // namespace counts_test
}  // namespace bootfold::resample
