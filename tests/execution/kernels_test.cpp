// Every SIMD level gives the same bits: counts, totals, row numbers, rejected draws, sums, and the
// state it leaves behind, at lengths around the vector widths too. Nothing is written outside.
#include "execution/simd/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "bootfold/random.h"
#include "execution/crafted.h"
#include "random/counter.h"
#include "random/lane_access.h"
#include "resample/blocks.h"
#include "resample/poisson.h"
#include "resample/rows.h"

namespace bootfold::execution::simd {
namespace kernels_test {

constexpr std::size_t kLengths[] = {0,  1,  15,  16,  17,  31,   32,   33,  63,
                                    64, 65, 127, 128, 129, 4095, 4096, 4097};

LaneState some_lanes(std::uint64_t number) {
  const random::Lanes lanes({.seed = 20}, number);
  LaneState state;
  std::memcpy(state.word, random::LaneAccess::state(lanes), sizeof state.word);
  return state;
}

bool operator==(const LaneState& a, const LaneState& b) {
  return std::memcmp(a.word, b.word, sizeof a.word) == 0;
}

std::size_t round_up(std::size_t size, std::size_t step) { return (size + step - 1) / step * step; }

/// What a call of kernels.counts did, its open rows resolved with the same 64 further bits.
struct Drawn {
  std::vector<std::uint8_t> counts;  // and 8 bytes behind
  std::uint64_t total;
  std::vector<std::uint32_t> open;
  LaneState lanes;
};

Drawn draw(Level level, const resample::Poisson& poisson, std::size_t rows, LaneState lanes) {
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

class Kernel : public testing::TestWithParam<Level> {};

// Against the library's logarithm, and to the bit against the portable level.
TEST_P(Kernel, DrawsTheSameExponentials) {
  for (const std::size_t rows : kLengths) {
    const std::size_t room = round_up(rows, 8);
    std::vector<double> expected(room + 1, -1);
    std::vector<double> found(room + 1, -1);
    LaneState lanes = some_lanes(3);
    LaneState reference = lanes;
    random::Lanes raw({.seed = 20}, 3);
    kernels(Level::portable).exponentials(reference, rows, expected.data());
    kernels(GetParam()).exponentials(lanes, rows, found.data());
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(double)), 0) << rows;
    EXPECT_TRUE(lanes == reference);
    EXPECT_EQ(found[room], -1);
    for (std::size_t first = 0; first < rows; first += 8) {
      const auto words = raw();
      for (std::size_t i = first; i < std::min(rows, first + 8); ++i) {
        const double u = (static_cast<double>(words[i - first] >> 12) + 0.5) * 0x1p-52;
        EXPECT_NEAR(found[i], -std::log(u), 4e-16 * std::max(1.0, found[i]));
      }
    }
    for (std::size_t i = rows; i < room; ++i) EXPECT_EQ(found[i], 0);
  }
}

TEST_P(Kernel, WeighsTheSame) {
  constexpr std::size_t kStride = 4104;
  random::Stream stream({.seed = 8});
  std::vector<double> weights(kStride);
  std::vector<double> features(3 * kStride);
  for (double& weight : weights) weight = random::exponential(stream);
  for (double& feature : features) feature = random::normal(stream);
  for (const std::size_t rows : {0U, 8U, 64U, 4096U}) {
    double expected[3];
    double found[3];
    kernels(Level::portable).weigh(weights.data(), features.data(), kStride, 3, rows, expected);
    kernels(GetParam()).weigh(weights.data(), features.data(), kStride, 3, rows, found);
    EXPECT_EQ(std::memcmp(found, expected, sizeof found), 0) << rows;
    double naive = 0;
    for (std::size_t i = 0; i < rows; ++i) naive += weights[i] * features[2 * kStride + i];
    EXPECT_NEAR(found[2], naive, 1e-11);
  }
}

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
             {std::pair{Level::portable, &expected}, std::pair{GetParam(), &found}})
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

// Sums that wrap around, blocks that go round, numbers of blocks that are no whole step.
TEST_P(Kernel, SumsTheSameBlocks) {
  random::Stream stream({.seed = 9});
  constexpr std::uint32_t kRows = 1000;
  std::vector<std::uint64_t> values(kRows);
  std::vector<std::uint64_t> running(kRows + 1);
  for (std::size_t i = 0; i < kRows; ++i) running[i + 1] = running[i] + (values[i] = stream());
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> lengths;
  std::uint64_t expected = 0;
  for (std::size_t blocks = 0; blocks < 100; ++blocks) {
    EXPECT_EQ(kernels(GetParam())
                  .sum_blocks(running.data(), kRows, starts.data(), lengths.data(), blocks),
              expected);
    starts.push_back(static_cast<std::uint32_t>(random::uniform_index(stream, kRows)));
    lengths.push_back(
        blocks == 5 ? kRows : static_cast<std::uint32_t>(1 + random::uniform_index(stream, kRows)));
    for (std::size_t i = 0; i < lengths.back(); ++i)
      expected += values[(starts.back() + i) % kRows];
  }
}

TEST_P(Kernel, SeedsTheSameLanes) {
  random::Stream stream({.seed = 20});
  for (int time = 0; time < 1000; ++time) {
    const random::StreamId id{stream(), stream(), static_cast<random::Purpose>(stream() & 255),
                              static_cast<std::uint8_t>(stream())};
    const std::uint64_t number = stream() >> 20;  // 44 bits
    const random::Lanes expected(id, number);
    LaneState found;
    kernels(GetParam()).seed(random::lane_counter(id, number), found);
    ASSERT_EQ(std::memcmp(found.word, random::LaneAccess::state(expected), sizeof found.word), 0);
  }
}

// Levels may leave different rows open (a table that cannot tell asks for more bits), but what
// those bits then say is the same.
TEST_P(Kernel, DrawsTheSameCounts) {
  for (const std::uint64_t n : {1, 37, 164, 1000, 2502, 65536, 1000000000})
    for (const std::size_t rows : kLengths) {
      const resample::Poisson poisson(resample::count_mean(n, resample::kMargin));
      SCOPED_TRACE(testing::Message() << rows << " of " << n << " rows");
      const Drawn expected = draw(Level::portable, poisson, rows, some_lanes(n));
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
  Bytes high;
  Bytes low;
  high.fill(static_cast<std::uint8_t>(bits >> 8));
  low.fill(static_cast<std::uint8_t>(bits & 255));
  for (const std::size_t rows : {1, 2, 63, 64}) {
    const Drawn found = draw(GetParam(), poisson, rows, crafted(high, low));
    EXPECT_EQ(found.open.size(), rows);
    EXPECT_EQ(found.counts, draw(Level::portable, poisson, rows, crafted(high, low)).counts);
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
        kernels(i == 0 ? Level::portable : GetParam())
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
  Bytes words;
  for (std::uint32_t i = 0; i < 16; ++i) std::memcpy(words.data() + 4 * i, &i, sizeof i);
  for (const auto& [reject, size] : {std::pair{4999U, 5U}, {5000U, 5U}, {5001U, 6U}}) {
    std::vector<std::uint32_t> expected(size);
    std::iota(expected.begin(), expected.end(), 0U);
    std::vector<std::uint32_t> rows(16);
    std::vector<std::uint32_t> rejected(16);
    std::size_t rejections = 0;
    LaneState lanes = crafted(words, words);
    kernels(GetParam()).rows(lanes, {1000, reject}, 16, rows.data(), rejected.data(), rejections);
    rejected.resize(rejections);
    EXPECT_EQ(rejected, expected);
    for (const std::size_t features : {1, 2}) {
      const std::vector<std::int64_t> values(2000, 1);
      std::vector<std::int64_t> sums(32);
      rejected.resize(16);
      lanes = crafted(words, words);
      kernels(GetParam())
          .gather(lanes, {1000, reject}, 1, 16, values.data(), 1000, features, sums.data(),
                  rejected.data(), rejections);
      rejected.resize(rejections);
      EXPECT_EQ(rejected, expected);
      EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}),
                static_cast<std::int64_t>((16 - size) * features));
    }
  }
}

// Sums of the features of the rows drawn, against those rows looked up one at a time. Up to 16 rows
// AVX-512 keeps in registers.
TEST_P(Kernel, GathersTheSameSums) {
  for (const std::uint32_t rows : {1U, 2U, 7U, 8U, 9U, 15U, 16U, 17U, 1000U})
    for (const std::uint32_t reject : {resample::row_draw(rows).reject, 1U << 31, 0xF0000000U})
      for (const std::size_t features : {1, 2, 5})
        for (const std::size_t steps : {1, 2, 3, 128})
          for (const std::size_t last : {1, 2, 7, 8, 9, 15, 16}) {
            SCOPED_TRACE(testing::Message()
                         << rows << " rows, rejecting below " << reject << ", " << features
                         << " features, " << steps << " steps, " << last << " draws in the last");
            const RowDraw which{rows, reject};
            const std::size_t draws = (steps - 1) * 16 + last;
            const std::size_t stride = rows + 3;
            random::Stream stream({.seed = rows, .replicate = features});
            std::vector<std::int64_t> values(features * stride);
            for (auto& value : values) value = static_cast<std::int64_t>(stream()) >> 9;

            LaneState lanes = some_lanes(2);
            std::vector<std::uint32_t> drawn(steps * 16);
            std::vector<std::uint32_t> rejected(draws);
            std::size_t rejections = 0;
            kPortable.rows(lanes, which, draws, drawn.data(), rejected.data(), rejections);
            rejected.resize(rejections);
            std::vector<std::int64_t> expected(features * 16, 1000);
            for (std::uint32_t i = 0; i < draws; ++i) {
              if (std::binary_search(rejected.begin(), rejected.end(), i)) continue;
              for (std::size_t f = 0; f < features; ++f)
                expected[f * 16 + i % 16] += values[f * stride + drawn[i]];
            }

            LaneState after = some_lanes(2);
            std::vector<std::int64_t> sums(features * 16, 1000);  // sums are added to
            std::vector<std::uint32_t> found(draws + 1, 0xAAAAAAAA);
            std::size_t found_size = 77;
            kernels(GetParam())
                .gather(after, which, steps, last, values.data(), stride, features, sums.data(),
                        found.data(), found_size);
            ASSERT_EQ(found.back(), 0xAAAAAAAA) << "wrote behind the rejected draws";
            found.resize(found_size);
            ASSERT_EQ(found, rejected);
            ASSERT_EQ(sums, expected);
            ASSERT_TRUE(after == lanes);
          }
}

// The largest counts (31) and the largest digits (-128, 127) included.
TEST_P(Kernel, MakesTheSameDotProducts) {
  for (const std::size_t rows : {0, 64, 128, 4096, 65536})
    for (const std::size_t replicates : {1, 2, 3, 4})
      for (const std::size_t planes : {1, 2, 3, 4, 5, 7, 8, 9})
        for (const bool extreme : {false, true}) {
          if (rows == 65536 && planes > 5) continue;  // enough
          SCOPED_TRACE(testing::Message() << rows << " rows, " << replicates << " replicates, "
                                          << planes << " planes");
          const std::size_t stride = rows + 64;
          random::Stream stream({.seed = rows, .replicate = planes});
          std::vector<std::uint8_t> counts(replicates * stride);
          std::vector<std::int8_t> digits(planes * stride);
          for (auto& count : counts)
            count = extreme ? 31 : static_cast<std::uint8_t>(stream() % 32);
          for (auto& digit : digits)
            digit = extreme ? -128 : static_cast<std::int8_t>(stream() & 255);
          std::vector<std::int64_t> expected(replicates * planes, 1000);
          for (std::size_t r = 0; r < replicates; ++r)
            for (std::size_t p = 0; p < planes; ++p)
              for (std::size_t i = 0; i < rows; ++i)
                expected[r * planes + p] +=
                    static_cast<std::int64_t>(counts[r * stride + i]) * digits[p * stride + i];
          std::vector<std::int64_t> found(replicates * planes, 1000);  // sums are added to
          kernels(GetParam())
              .dot(counts.data(), stride, replicates, digits.data(), stride, planes, rows,
                   found.data());
          ASSERT_EQ(found, expected);
        }
}

INSTANTIATE_TEST_SUITE_P(, Kernel, testing::ValuesIn(available_levels()),
                         [](const auto& level) { return std::string(name(level.param)); });

TEST(Crafted, LanesGiveTheWordsTheyWereMadeFor) {
  random::Stream stream({.seed = 20});
  Bytes first;
  Bytes second;
  for (auto& byte : first) byte = static_cast<std::uint8_t>(stream());
  for (auto& byte : second) byte = static_cast<std::uint8_t>(stream());
  random::Lanes lanes({}, 0);
  const LaneState state = crafted(first, second);
  std::memcpy(random::LaneAccess::state(lanes), state.word, sizeof state.word);
  EXPECT_EQ(std::bit_cast<Bytes>(lanes()), first);
  EXPECT_EQ(std::bit_cast<Bytes>(lanes()), second);
}

}  // namespace kernels_test
}  // namespace bootfold::execution::simd
