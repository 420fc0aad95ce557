// Every SIMD level gives the same bits: counts, totals, row numbers, rejected draws, blocks, and
// the state it leaves behind, at lengths around the vector widths too. Nothing is written outside.
#include "resample/simd/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "random/lane_states.h"
#include "resample/blocks.h"
#include "resample/poisson.h"
#include "resample/rows.h"

namespace bootfold::resample::simd {
namespace kernels_test {

constexpr std::size_t kLengths[] = {0,  1,  15,  16,  17,  31,   32,   33,  63,
                                    64, 65, 127, 128, 129, 4095, 4096, 4097};

LaneState some_lanes(std::uint64_t number) {
  return random::simd::lane_state({.seed = 20}, number);
}

std::size_t round_up(std::size_t size, std::size_t step) { return (size + step - 1) / step * step; }

/// What a call of kernels.counts did, its open rows resolved with the same 64 further bits.
struct Drawn {
  std::vector<std::uint8_t> counts;  // and 8 bytes behind
  std::uint64_t total;
  std::vector<std::uint32_t> open;
  LaneState lanes;
};

Drawn draw(execution::Level level, const resample::Poisson& poisson, std::size_t rows,
           LaneState lanes) {
  const std::size_t room = round_up(rows, 64);
  Drawn drawn{std::vector<std::uint8_t>(room + 8, 0xAA), 0, {}, lanes};
  constexpr OpenRow kUntouched{0xAAAAAAAA, 0xAAAAAAAA};
  std::vector<OpenRow> open(room + 1, kUntouched);
  std::size_t open_rows = 77;
  drawn.total = kernels(level).counts(drawn.lanes, poisson.table(), rows, drawn.counts.data(),
                                      open.data(), open_rows);
  EXPECT_EQ(open[room].row, kUntouched.row) << "wrote behind the list of open rows";
  for (std::size_t i = 0; i < open_rows; ++i) {
    EXPECT_LT(open[i].row, rows);
    const std::uint8_t count = poisson.count(open[i].bits, 0x9E3779B97F4A7C15U * (open[i].row + 1));
    EXPECT_EQ(drawn.counts[open[i].row], 0);
    drawn.counts[open[i].row] = count;
    drawn.total += count;
    drawn.open.push_back(open[i].row);
  }
  return drawn;
}

class Kernel : public testing::TestWithParam<execution::Level> {};

TEST_P(Kernel, DrawsTheSameBlocks) {
  for (const double mean : {1.0, 1.3, 20.0, 3000.0})
    for (const std::uint32_t rows : {1U, 7U, 3'000'000'000U}) {
      const resample::GeometricLengths lengths(mean);
      for (const std::uint32_t* table :
           {lengths.table(), static_cast<const std::uint32_t*>(nullptr)}) {
        const BlockDraw draw{resample::row_draw(rows), 5, table};
        struct Blocks {
          std::array<std::uint32_t, 512> starts;
          std::array<std::uint32_t, 512> lengths;
          std::array<OpenBlock, 512> open;
          std::size_t opened;
          LaneState lanes = some_lanes(4);
        } expected, found;
        for (const auto& [level, blocks] :
             {std::pair{execution::Level::portable, &expected}, std::pair{GetParam(), &found}})
          kernels(level).blocks(blocks->lanes, draw, 512, blocks->starts.data(),
                                blocks->lengths.data(), blocks->open.data(), blocks->opened);
        EXPECT_EQ(found.starts, expected.starts);
        EXPECT_EQ(found.lengths, expected.lengths);
        ASSERT_EQ(found.opened, expected.opened);
        for (std::size_t i = 0; i < found.opened; ++i) {
          EXPECT_EQ(found.open[i].word, expected.open[i].word);
          EXPECT_EQ(found.open[i].block, expected.open[i].block);
        }
        EXPECT_TRUE(found.lanes == expected.lanes);
      }
    }
}

// Levels may leave different rows open (a table that cannot tell asks for more bits), but what
// those bits then say is the same.
TEST_P(Kernel, DrawsTheSameCounts) {
  for (const std::uint64_t n : {1, 37, 164, 1000, 2502, 65536, 1000000000})
    for (const std::size_t rows : kLengths) {
      const resample::Poisson poisson(resample::count_mean(n, resample::kMargin));
      SCOPED_TRACE(testing::Message() << rows << " of " << n << " rows");
      const Drawn expected = draw(execution::Level::portable, poisson, rows, some_lanes(n));
      const Drawn found = draw(GetParam(), poisson, rows, some_lanes(n));
      EXPECT_EQ(found.counts, expected.counts);
      EXPECT_EQ(found.total, expected.total);
      EXPECT_TRUE(found.lanes == expected.lanes);
      EXPECT_TRUE(std::includes(found.open.begin(), found.open.end(), expected.open.begin(),
                                expected.open.end()));
      std::uint64_t sum = 0;
      for (std::size_t row = 0; row < rows; ++row) sum += found.counts[row];
      EXPECT_EQ(found.total, sum);
      for (std::size_t i = rows; i < found.counts.size(); ++i)
        EXPECT_EQ(found.counts[i], i < round_up(rows, 64) ? 0 : 0xAA) << "behind the rows";
    }
}

// All 64 rows of a step open at once: more than chance will ever bring.
TEST_P(Kernel, LeavesAsManyRowsOpenAsThereAre) {
  const resample::Poisson poisson(resample::count_mean(1000, resample::kMargin));
  const std::uint32_t bits = poisson.thresholds()[0].first;
  random::simd::Bytes high;
  random::simd::Bytes low;
  high.fill(static_cast<std::uint8_t>(bits >> 8));
  low.fill(static_cast<std::uint8_t>(bits & 255));
  for (const std::size_t rows : {1, 2, 63, 64}) {
    const Drawn found = draw(GetParam(), poisson, rows, random::simd::crafted(high, low));
    EXPECT_EQ(found.open.size(), rows);
    EXPECT_EQ(
        found.counts,
        draw(execution::Level::portable, poisson, rows, random::simd::crafted(high, low)).counts);
  }
}

constexpr RowDraw kRowDraws[] = {{1, 0},
                                 {6, 4},
                                 {1000, 296},
                                 {3U << 30, 1U << 30},
                                 {0xFFFFFFF0U, 16},
                                 {1000, 1U << 31},      // rejects every other draw
                                 {1000, 0xFFFFFFFFU}};  // and almost all

TEST_P(Kernel, DrawsTheSameRows) {
  for (const RowDraw& which : kRowDraws)
    for (const std::size_t draws : kLengths) {
      SCOPED_TRACE(testing::Message() << draws << " draws from " << which.rows << " rows");
      struct {
        std::vector<std::uint32_t> rows;
        std::vector<std::uint32_t> rejected;
        std::size_t rejections = 77;
        LaneState lanes = some_lanes(1);
      } made[2];
      for (int i = 0; i < 2; ++i) {
        made[i].rows.assign(round_up(draws, 16) + 1, 0xAAAAAAAA);
        made[i].rejected.assign(draws + 1, 0xAAAAAAAA);
        kernels(i == 0 ? execution::Level::portable : GetParam())
            .rows(made[i].lanes, which, draws, made[i].rows.data(), made[i].rejected.data(),
                  made[i].rejections);
        EXPECT_EQ(made[i].rows.back(), 0xAAAAAAAA) << "wrote behind the rows";
        EXPECT_EQ(made[i].rejected.back(), 0xAAAAAAAA) << "wrote behind the rejected draws";
      }
      EXPECT_EQ(made[0].rows, made[1].rows);
      EXPECT_EQ(made[0].rejections, made[1].rejections);
      EXPECT_EQ(made[0].rejected, made[1].rejected);
      EXPECT_TRUE(made[0].lanes == made[1].lanes);
    }
}

// The bits 0, 1, ... 15 leave the low halves 0, 1000, ... 15000: exactly those below the bound are
// rejected.
TEST_P(Kernel, RejectsBelowTheBoundAndNotAtIt) {
  random::simd::Bytes words;
  for (std::uint32_t i = 0; i < 16; ++i) std::memcpy(words.data() + 4 * i, &i, sizeof i);
  for (const auto& [reject, size] : {std::pair{4999U, 5U}, {5000U, 5U}, {5001U, 6U}}) {
    std::vector<std::uint32_t> expected(size);
    std::iota(expected.begin(), expected.end(), 0U);
    std::vector<std::uint32_t> rows(16);
    std::vector<std::uint32_t> rejected(16);
    std::size_t rejections = 0;
    LaneState lanes = random::simd::crafted(words, words);
    kernels(GetParam()).rows(lanes, {1000, reject}, 16, rows.data(), rejected.data(), rejections);
    rejected.resize(rejections);
    EXPECT_EQ(rejected, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(, Kernel, testing::ValuesIn(execution::available_levels()),
                         [](const auto& level) {
                           return std::string(execution::name(level.param));
                         });

}  // namespace kernels_test
}  // namespace bootfold::resample::simd
