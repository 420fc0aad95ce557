// Every SIMD level gives the same bits: counts, replaced rows, totals, row numbers, rejected draws,
// blocks, and the state it leaves behind, at lengths around the vector widths too. Nothing is
// written outside.
#include "resample/simd/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "random/lane_states.h"
#include "resample/blocks.h"
#include "resample/count_law.h"
#include "resample/rows.h"

namespace bootfold::resample::simd {
namespace kernels_test {

constexpr std::size_t kLengths[] = {0,  1,  15,  16,  17,  31,   32,   33,  63,
                                    64, 65, 127, 128, 129, 4095, 4096, 4097};

LaneState some_lanes(std::uint64_t number) {
  return random::simd::lane_state({.seed = 20}, number);
}

std::size_t round_up(std::size_t size, std::size_t step) { return (size + step - 1) / step * step; }

/// What a call of kernels.counts did.
struct Drawn {
  std::vector<std::uint8_t> counts = std::vector<std::uint8_t>(kCountTile + 64 + 8, 0xAA);
  std::unique_ptr<Replaced> replaced = std::make_unique<Replaced>();
  bool open = false;
  std::uint64_t total = 0;
  LaneState lanes;
};

Drawn draw(execution::Level level, const LayerTable& table, std::size_t rows,
           const LaneState& lanes) {
  Drawn drawn;
  drawn.lanes = lanes;
  drawn.open =
      kernels(level).counts(drawn.lanes, table, rows, drawn.counts.data(), *drawn.replaced);
  drawn.total = kernels(level).total(drawn.counts.data(), rows);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(drawn.counts[kCountTile + 64 + i], 0xAA) << "wrote behind the counts";
  return drawn;
}

void expect_same(const Drawn& found, const Drawn& expected, std::size_t rows) {
  const auto end = static_cast<std::ptrdiff_t>(round_up(rows, 128));
  EXPECT_TRUE(
      std::equal(found.counts.begin(), found.counts.begin() + end, expected.counts.begin()));
  EXPECT_EQ(found.open, expected.open);
  EXPECT_EQ(found.total, expected.total);
  EXPECT_TRUE(found.lanes == expected.lanes);
  ASSERT_EQ(found.replaced->first_rare, expected.replaced->first_rare);
  ASSERT_EQ(found.replaced->rows, expected.replaced->rows);
  for (std::uint32_t i = 0; i < found.replaced->rows; ++i) {
    ASSERT_EQ(found.replaced->row[i], expected.replaced->row[i]);
    ASSERT_EQ(found.replaced->count[i], expected.replaced->count[i]);
  }
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

TEST_P(Kernel, DrawsTheSameCounts) {
  for (const double mean : {0x1p-12, 0.3, 0.5, 0.7, 0.9, 1.0, 1.5, 2.0})
    for (const std::size_t rows : kLengths) {
      if (rows == 0 || rows > kCountTile) continue;
      const resample::CountLaw law(mean, static_cast<std::uint32_t>(std::bit_ceil(rows)));
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(testing::Message() << rows << " rows of mean " << mean);
        const Drawn expected =
            draw(execution::Level::portable, law.table(), rows, some_lanes(seed));
        const Drawn found = draw(GetParam(), law.table(), rows, some_lanes(seed));
        expect_same(found, expected, rows);
        std::uint64_t sum = 0;
        for (std::size_t row = 0; row < rows; ++row) sum += found.counts[row];
        EXPECT_EQ(found.total, sum);
        for (std::size_t i = rows; i < round_up(rows, 128); ++i) EXPECT_EQ(found.counts[i], 0);
      }
    }
}

// Far more of the third layer, and far more of it left open, than chance will ever bring.
TEST_P(Kernel, LeavesTheSameRowsOpen) {
  const resample::CountLaw law(0.7, 4096);
  std::size_t opened = 0;
  for (const std::uint32_t decided : {1U, 2U, 32767U, 32768U, 32769U, 65535U, 65536U}) {
    LayerTable table = law.table();
    table.rare_rows = table.sparse_rows;
    table.rare_open = decided;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Drawn expected = draw(execution::Level::portable, table, 4000, some_lanes(seed));
      expect_same(draw(GetParam(), table, 4000, some_lanes(seed)), expected, 4000);
      opened += static_cast<std::size_t>(expected.open);
      if (decided == 65536) {
        EXPECT_FALSE(expected.open);
      }
    }
  }
  EXPECT_GT(opened, 80U);
}

TEST_P(Kernel, DrawsTheSameTopUp) {
  for (const RowDraw& which :
       {RowDraw{1, 0}, RowDraw{1000, 296}, RowDraw{1 << 20, 0}, RowDraw{1000, 1U << 31}})
    for (const std::size_t draws : kLengths) {
      SCOPED_TRACE(testing::Message() << draws << " draws from " << which.rows << " rows");
      std::vector<std::uint32_t> made[2];
      LaneState lanes[2] = {some_lanes(1), some_lanes(1)};
      for (int i = 0; i < 2; ++i) {
        made[i].assign(draws + 17, 0xAAAAAAAA);
        kernels(i == 0 ? execution::Level::portable : GetParam())
            .top_up(lanes[i], which, draws, made[i].data());
        EXPECT_EQ(made[i].back(), 0xAAAAAAAA) << "wrote behind the rows";
        made[i].resize(draws);
      }
      EXPECT_EQ(made[0], made[1]);
      EXPECT_TRUE(lanes[0] == lanes[1]);
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

// Strata of 1 to 9 rows and a large one; some draws that may be ones to reject.
TEST_P(Kernel, DrawsTheSameRowsOfStrata) {
  for (const std::size_t draws : kLengths)
    for (const bool doubtful : {false, true}) {
      SCOPED_TRACE(testing::Message() << draws << " draws");
      std::vector<std::uint32_t> bits(draws);
      std::vector<std::uint32_t> first(draws);
      std::vector<std::uint32_t> rows(draws);
      std::vector<std::uint32_t> expected(draws);
      for (std::size_t i = 0; i < draws; ++i) {
        rows[i] = i % 50 == 7 ? 3'000'000'000U : static_cast<std::uint32_t>(1 + i % 9);
        first[i] = static_cast<std::uint32_t>(i);
        bits[i] = static_cast<std::uint32_t>(i * 2654435761U) | 1U << 30;
        if (doubtful && i + 1 == draws) bits[i] = 0;
        expected[i] = first[i] + static_cast<std::uint32_t>(std::uint64_t{bits[i]} * rows[i] >> 32);
      }
      bool any = false;
      for (std::size_t i = 0; i < draws; ++i) any = any || bits[i] * rows[i] < rows[i];
      std::vector<std::uint32_t> drawn(draws + 1, 0xAAAAAAAA);
      EXPECT_EQ(kernels(GetParam())
                    .stratum_rows(bits.data(), first.data(), rows.data(), draws, drawn.data()),
                any);
      EXPECT_EQ(drawn.back(), 0xAAAAAAAA) << "wrote behind the rows";
      drawn.pop_back();
      EXPECT_EQ(drawn, expected);
    }
}

INSTANTIATE_TEST_SUITE_P(, Kernel, testing::ValuesIn(execution::available_levels()),
                         [](const auto& level) {
                           return std::string(execution::name(level.param));
                         });

}  // namespace kernels_test
}  // namespace bootfold::resample::simd
