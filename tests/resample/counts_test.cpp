// Path `stream` keeps to its definition: ties take 64 more bits, totals above n a further attempt,
// and neither tiles nor SIMD levels change a count.
#include "resample/counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <map>
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

/// Around the vector widths, the tile, the block.
constexpr std::size_t kLengths[] = {1,    2,    15,   16,    17,    31,    32,    33,
                                    63,   64,   65,   127,   128,   129,   255,   1000,
                                    4095, 4096, 4097, 65535, 65536, 65537, 70'000};

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

// Many more replicates than above, so that ties, void attempts and rejected draws come up.
TEST(Counts, AreTheSameAtEverySimdLevelInManyReplicates) {
  for (const std::size_t rows : {std::size_t{3}, std::size_t{40}, std::size_t{1000},
                                 std::size_t{65'000}, std::size_t{70'000}}) {
    const std::uint64_t replicates = rows > 10'000 ? 100 : 5000;
    for (const auto level : execution::available_levels()) {
      if (level == execution::Level::portable) continue;
      Replicates reference(rows, execution::Level::portable);
      Replicates tested(rows, level);
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

// A tile goes on where the last one stopped: only its block and row matter.
TEST(Counts, DoNotDependOnTheTile) {
  for (const std::size_t rows : {100, 4097, 65'536, 70'001}) {
    Replicates expected(rows, execution::available_levels().back(), kMargin, kBlockRows);
    for (const std::size_t tile : {64, 128, 1024, 4096, 16'384}) {
      Replicates tested(rows, execution::available_levels().back(), kMargin, tile);
      for (std::uint64_t r = 0; r < 3; ++r)
        EXPECT_EQ(tested.counts(kSeed, r), expected.counts(kSeed, r))
            << rows << " rows, tiles of " << tile;
    }
  }
}

// Whole blocks can be made anywhere: the second block alone is the second block of all.
TEST(Counts, OfABlockNeedNoOtherBlock) {
  constexpr std::uint64_t kRows = 200'000;
  Replicates all(kRows, execution::available_levels().back(), kMargin, kBlockRows);
  const Attempt attempt{kSeed, 5, 0};
  const auto expected = all.draw(attempt);
  for (std::uint64_t row = 3 * kBlockRows;; row -= kBlockRows) {
    const std::size_t size = std::min<std::uint64_t>(kBlockRows, kRows - row);
    std::vector<std::uint8_t> found((size + 63) / 64 * 64);
    std::vector<simd::OpenRow> open(found.size());
    random::simd::LaneState lanes{};
    draw_tile(execution::available_levels().back(), all.poisson(), attempt, row, size, lanes,
              found.data(), open.data());
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(found[i], expected[row + i]) << row + i;
    if (row == 0) break;
  }
}

// The definition draws 80 bits for every row. The engine draws the last 64 in one row of ten
// thousand and still gives the same counts.
TEST(Ties, GiveTheCountsOfEightyBitsInEveryRow) {
  for (const std::uint64_t rows :
       {std::uint64_t{1000}, std::uint64_t{2502}, std::uint64_t{65'536}, std::uint64_t{131'073}})
    for (const auto level : execution::available_levels()) {
      Replicates replicates(rows, level);
      const auto thresholds = thresholds80(replicates.poisson().mean());
      for (std::uint64_t r = 0; r < (rows < 10'000 ? 100 : 6); ++r) {
        const Attempt attempt{kSeed, r, static_cast<std::uint8_t>(r)};
        const auto bits = row_bits(attempt, rows);
        std::vector<std::uint32_t> expected(rows);
        for (std::uint64_t row = 0; row < rows; ++row)
          expected[row] = count80(thresholds, number80(bits[row], more_bits(attempt, row)));
        ASSERT_EQ(replicates.draw(attempt), expected)
            << execution::name(level) << ", " << rows << " rows, replicate " << r;
        ASSERT_EQ(replicates.total(),
                  std::accumulate(expected.begin(), expected.end(), std::uint64_t{0}));
      }
    }
}

// A tie with threshold k becomes k + 1 with the probability that the last 64 bits of the threshold
// say. More than 2000 ties; all thresholds share one alarm of 1e-6.
TEST(Ties, AreSplitAsTheThresholdsSay) {
  constexpr std::uint64_t kRows = 65'536;
  Replicates replicates(kRows);
  std::map<std::uint32_t, std::vector<std::size_t>> at;  // thresholds that share their first bits
  const auto& thresholds = replicates.poisson().thresholds();
  for (std::size_t k = 0; k < thresholds.size(); ++k) at[thresholds[k].first].push_back(k);
  struct Split {
    std::uint64_t ties = 0;
    std::uint64_t above = 0;
  };
  std::map<std::size_t, Split> splits;
  std::uint64_t ties = 0;
  for (std::uint64_t r = 0; ties <= 3000; ++r) {
    const Attempt attempt{kSeed, r, 0};
    const auto bits = row_bits(attempt, kRows);
    const auto& found = replicates.draw(attempt);
    for (std::uint64_t row = 0; row < kRows; ++row) {
      const auto hit = at.find(bits[row]);
      if (hit == at.end()) continue;
      ++ties;
      if (hit->second.size() > 1) continue;  // the top: several thresholds, see the test above
      const std::size_t k = hit->second[0];
      ASSERT_TRUE(found[row] == k || found[row] == k + 1);
      ++splits[k].ties;
      splits[k].above += static_cast<std::uint64_t>(found[row] == k + 1);
    }
  }
  EXPECT_GT(ties, 2000U);
  EXPECT_GE(splits.size(), 7U);
  for (const auto& [k, split] : splits)
    EXPECT_TRUE(theory::is_binomial(split.above, split.ties,
                                    1 - std::ldexp(static_cast<double>(thresholds[k].last), -64),
                                    kAlarm / static_cast<double>(splits.size())))
        << "threshold " << k;
}

// Attempts are void with the probability that a Poisson total exceeds n, and independent: their
// number is geometric. Ten chi-squares share one alarm of 1e-6.
TEST(VoidAttempts, AreAsManyAsThePoissonTotalSays) {
  for (const double margin : {kMargin, 0.0})
    for (const std::uint64_t rows : {1, 2, 6, 10, 20}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, margin " << margin);
      constexpr std::uint64_t kReplicates = 40'000;
      Replicates replicates(rows, execution::available_levels().back(), margin);
      const double mean = count_mean(rows, margin) * static_cast<double>(rows);
      const double is_void = cdf(complement(boost::math::poisson(mean), static_cast<double>(rows)));
      std::vector<std::uint64_t> seen(10);
      std::vector<double> expected(10);
      for (std::size_t k = 0; k < 10; ++k)
        expected[k] = std::pow(is_void, k) * (k < 9 ? 1 - is_void : 1);
      for (std::uint64_t r = 0; r < kReplicates; ++r) {
        const auto& found = replicates.counts(kSeed, r);
        ASSERT_EQ(std::accumulate(found.begin(), found.end(), std::uint64_t{0}), rows);
        ++seen[std::min<std::size_t>(replicates.attempt().number, 9)];
      }
      EXPECT_GT(seen[1], margin == 0 ? 5000U : 10U);
      EXPECT_TRUE(theory::follows(seen, expected, kAlarm / 10));
    }
}

// The total before the top-up, given that the attempt held, is a Poisson law cut at n. Three
// chi-squares share one alarm of 1e-6.
TEST(VoidAttempts, LeaveThePoissonTotalCutAtTheNumberOfRows) {
  for (const std::uint64_t rows : {6, 50, 1000}) {
    Replicates replicates(rows);
    const boost::math::poisson law(count_mean(rows, kMargin) * static_cast<double>(rows));
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

}  // namespace counts_test
}  // namespace bootfold::resample
