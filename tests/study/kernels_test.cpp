// Every SIMD level gives the same bits: sums of gathered, weighted and counted features and of
// blocks, and the state it leaves behind. Nothing is written outside.
#include "study/simd/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "bootfold/random.h"
#include "random/lane_states.h"
#include "resample/rows.h"

namespace bootfold::study::simd {
namespace kernels_test {

LaneState some_lanes(std::uint64_t number) {
  return random::simd::lane_state({.seed = 20}, number);
}

class Kernel : public testing::TestWithParam<execution::Level> {};

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
    kernels(execution::Level::portable)
        .weigh(weights.data(), features.data(), kStride, 3, rows, expected);
    kernels(GetParam()).weigh(weights.data(), features.data(), kStride, 3, rows, found);
    EXPECT_EQ(std::memcmp(found, expected, sizeof found), 0) << rows;
    double naive = 0;
    for (std::size_t i = 0; i < rows; ++i) naive += weights[i] * features[2 * kStride + i];
    EXPECT_NEAR(found[2], naive, 1e-11);
  }
}

TEST_P(Kernel, RepeatsValuesAsOftenAsTheyAreCounted) {
  random::Stream stream({.seed = 8});
  for (const std::size_t rows : {0U, 1U, 3U, 4U, 5U, 63U, 64U, 65U, 4096U}) {
    std::vector<double> values(rows);
    std::vector<std::uint8_t> counts(rows);
    std::vector<double> expected;
    for (std::size_t i = 0; i < rows; ++i) {
      values[i] = random::normal(stream);
      counts[i] = static_cast<std::uint8_t>(i % 50 == 7 ? 255 : i * i % 7);
      expected.insert(expected.end(), counts[i], values[i]);
    }
    std::vector<double> found(expected.size() + kRepeated + 1, 7.0);
    const double* const end =
        kernels(GetParam()).repeat(values.data(), counts.data(), rows, found.data());
    EXPECT_EQ(found.back(), 7.0) << "wrote behind the room";
    ASSERT_EQ(end - found.data(), static_cast<std::ptrdiff_t>(expected.size()));
    found.resize(expected.size());
    EXPECT_EQ(found, expected) << rows << " rows";
  }
}

// The largest weights and integers too: 128 products in a lane just fit.
TEST_P(Kernel, WeighsIntegersExactly) {
  constexpr std::size_t kStride = 1040;
  constexpr std::int32_t kMost = 0x7F7F7F7F;
  random::Stream stream({.seed = 8});
  for (const bool most : {false, true}) {
    std::vector<std::uint32_t> weights(kStride, random::simd::kMostWeight);
    std::vector<std::int32_t> integers(7 * kStride);
    std::vector<std::uint32_t> masks(3 * kStride, ~0U);
    for (std::size_t i = 0; i < integers.size(); ++i)
      integers[i] = i % kStride < 512 ? kMost : -kMost;
    for (std::size_t i = 0; i < kStride; ++i) integers[i] = kMost;
    if (!most) {
      for (auto& weight : weights)
        weight =
            static_cast<std::uint32_t>(random::uniform_index(stream, random::simd::kMostWeight));
      for (auto& integer : integers)
        integer = static_cast<std::int32_t>(random::uniform_index(stream, kMost)) -
                  static_cast<std::int32_t>(random::uniform_index(stream, kMost));
      for (auto& mask : masks) mask = stream() % 2 == 0 ? 0 : ~0U;
    }
    for (const std::size_t rows : {0U, 16U, 32U, 48U, 1008U, 1024U})
      for (const std::size_t count : {0U, 1U, 2U, 3U, 4U, 5U, 7U}) {
        SCOPED_TRACE(testing::Message() << rows << " rows, " << count);
        std::vector<__int128> sums(count + 1, 5);
        std::vector<std::uint64_t> of_masks(count % 4 + 1, 5);
        kernels(GetParam())
            .weigh_integers(weights.data(), integers.data(), kStride, count, rows, sums.data());
        kernels(GetParam())
            .weigh_masks(weights.data(), masks.data(), kStride, count % 4, rows, of_masks.data());
        for (std::size_t f = 0; f < count; ++f) {
          __int128 expected = 5;
          for (std::size_t i = 0; i < rows; ++i)
            expected += __int128{weights[i]} * integers[f * kStride + i];
          EXPECT_TRUE(sums[f] == expected);
        }
        for (std::size_t m = 0; m < count % 4; ++m) {
          std::uint64_t expected = 5;
          for (std::size_t i = 0; i < rows; ++i)
            if (masks[m * kStride + i] != 0) expected += weights[i];
          EXPECT_EQ(of_masks[m], expected);
        }
        EXPECT_TRUE(sums[count] == 5);
        EXPECT_EQ(of_masks[count % 4], 5);
      }
  }
}

// Integers and their digits at lengths around whole registers; nothing is written behind the rows.
TEST_P(Kernel, QuantizesAndSplitsTheSame) {
  random::Stream stream({.seed = 10});
  const FixedPoint point{.centre = 0.25, .scale = 0x1p40, .rescale = 0x1p10};
  for (const std::size_t rows : {0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 127, 128, 4095})
    for (std::size_t digits = 1; digits <= 8; ++digits) {
      SCOPED_TRACE(testing::Message() << rows << " rows, " << digits << " digits");
      std::vector<double> values(rows);
      for (double& value : values) value = random::normal(stream);
      const std::size_t stride = rows + 5;
      struct {
        std::vector<std::int64_t> integers;
        std::vector<std::int8_t> planes;
      } made[2];
      for (int i = 0; i < 2; ++i) {
        const Kernels& own = kernels(i == 0 ? execution::Level::portable : GetParam());
        made[i].integers.assign(rows + 1, 77);
        made[i].planes.assign(digits * stride, 77);
        own.quantize(values.data(), rows, point, made[i].integers.data());
        own.split(made[i].integers.data(), rows, digits, made[i].planes.data(), stride);
      }
      ASSERT_EQ(made[0].integers, made[1].integers);
      ASSERT_EQ(made[0].planes, made[1].planes);
      for (std::size_t i = 0; i < rows; ++i) {
        // The digits give the integer again, modulo 2^(8 digits).
        std::uint64_t sum = 0;
        for (std::size_t d = 0; d < digits; ++d) {
          const auto digit = static_cast<std::uint64_t>(made[1].planes[d * stride + i]);
          sum += digit << (8 * d);
        }
        const std::uint64_t difference = sum - static_cast<std::uint64_t>(made[1].integers[i]);
        ASSERT_EQ(difference << (64 - 8 * digits), 0U) << "row " << i;
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

// The bits 0, 1, ... 15 leave the low halves 0, 1000, ... 15000: the rows of exactly those below
// the bound are left out.
TEST_P(Kernel, GathersAtTheBoundAndNotBelowIt) {
  random::simd::Bytes words;
  for (std::uint32_t i = 0; i < 16; ++i) std::memcpy(words.data() + 4 * i, &i, sizeof i);
  for (const auto& [reject, size] : {std::pair{4999U, 5U}, {5000U, 5U}, {5001U, 6U}}) {
    std::vector<std::uint32_t> expected(size);
    std::iota(expected.begin(), expected.end(), 0U);
    for (const std::size_t features : {1, 2}) {
      const std::vector<std::int64_t> values(2000, 1);
      std::vector<std::int64_t> sums(32);
      std::vector<std::uint32_t> rejected(16);
      std::size_t rejections = 0;
      LaneState lanes = random::simd::crafted(words, words);
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
            resample::simd::kPortable.rows(lanes, which, draws, drawn.data(), rejected.data(),
                                           rejections);
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
  for (const std::size_t rows : {0, 128, 256, 4096, 65536})
    for (const std::size_t replicates : {1, 2, 3, 4, 5, 9})
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
          std::vector<std::uint64_t> expected_totals(replicates, 7);
          for (std::size_t r = 0; r < replicates; ++r)
            for (std::size_t i = 0; i < rows; ++i) expected_totals[r] += counts[r * stride + i];
          for (std::size_t r = 0; r < replicates; ++r)
            for (std::size_t p = 0; p < planes; ++p)
              for (std::size_t i = 0; i < rows; ++i)
                expected[r * planes + p] +=
                    static_cast<std::int64_t>(counts[r * stride + i]) * digits[p * stride + i];
          std::vector<std::int64_t> found(replicates * planes, 1000);  // sums are added to
          std::vector<std::uint64_t> totals(replicates, 7);
          kernels(GetParam())
              .dot(counts.data(), stride, replicates, digits.data(), stride, planes, rows,
                   found.data(), totals.data());
          ASSERT_EQ(found, expected);
          ASSERT_EQ(totals, expected_totals);
        }
}

INSTANTIATE_TEST_SUITE_P(, Kernel, testing::ValuesIn(execution::available_levels()),
                         [](const auto& level) {
                           return std::string(execution::name(level.param));
                         });

}  // namespace kernels_test
}  // namespace bootfold::study::simd
