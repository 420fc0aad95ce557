// Row numbers of path `gather`: every row equally likely at every place, unfair draws made again,
// the same at every SIMD level.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "bootfold/error.h"
#include "bootfold/resample.h"
#include "random/counter.h"
#include "random/theory.h"
#include "resample/rows.h"

namespace bootfold::resample {
namespace indices_test {

using theory::kAlarm;

constexpr std::uint32_t kThreeQuarters = 3U << 30;  // of all 32-bit words: a quarter is rejected

std::vector<std::uint32_t> draw(std::uint32_t rows, std::size_t size, std::uint64_t replicate,
                                execution::Level level = execution::available_levels().back()) {
  std::vector<std::uint32_t> found(size + kSideBySide);
  draw_rows(level, 20, replicate, rows, {found.data(), size});
  found.resize(size);
  return found;
}

TEST(Indices, AreTheSameAtEverySimdLevel) {
  for (const std::uint32_t rows :
       {1U, 2U, 15U, 16U, 17U, 255U, 256U, 257U, 2047U, 2048U, 2049U, 70'000U})
    for (std::uint64_t r = 0; r < 20; ++r) {
      const auto expected = indices(rows, {20, r}, execution::Level::portable);
      ASSERT_EQ(expected.size(), rows);
      for (const std::uint32_t row : expected) ASSERT_LT(row, rows);
      for (const auto level : execution::available_levels())
        ASSERT_EQ(indices(rows, {20, r}, level), expected)
            << execution::name(level) << ", " << rows << " rows";
    }
}

TEST(Indices, OfNoRowOrTooManyAreErrors) {
  EXPECT_THAT([] { static_cast<void>(indices(0, {})); },
              testing::ThrowsMessage<InvalidArgument>(
                  testing::StrEq("rows is 0 but must be at least 1: there is no row to draw")));
  EXPECT_THAT([] { static_cast<void>(indices(std::size_t{1} << 32, {})); },
              testing::ThrowsMessage<InvalidArgument>(
                  testing::StrEq("rows is 4294967296 but row numbers are drawn from at most "
                                 "4294967280 rows; counts() has no such limit")));
}

// What was drawn does not depend on how much is drawn after it.
TEST(Indices, OfAShorterResampleAreTheFirstOfALonger) {
  for (const std::uint32_t rows : {6U, 256U, 257U, 1000U, kThreeQuarters}) {
    const auto all = draw(rows, 5000, 41);
    for (const std::size_t size : {1, 15, 16, 17, 2047, 2048, 2049, 4096}) {
      auto first = all;
      first.resize(size);
      EXPECT_EQ(draw(rows, size, 41), first) << rows << " rows, " << size << " draws";
    }
  }
}

// Pairs of draws at distances that fall into the same word, the neighbouring lane, the next
// step. Twelve chi-squares share one alarm of 1e-6.
TEST(Indices, AreUnrelatedToEarlierOnes) {
  for (const std::uint32_t rows : {11U, 300U})
    for (const std::size_t apart : {1, 2, 8, 15, 16, 17}) {
      const std::uint32_t cells = 10;
      std::vector<std::uint64_t> seen(cells * cells);
      std::vector<double> share(cells);
      for (std::uint32_t row = 0; row < rows; ++row) share[row * cells / rows] += 1.0 / rows;
      std::vector<double> expected;
      for (const double a : share)
        for (const double b : share) expected.push_back(a * b);
      for (std::uint64_t r = 0; r < 100 * theory::effort(); ++r) {
        const auto found = draw(rows, 4000, r);
        for (std::size_t i = 0; i + apart < found.size(); ++i)
          if (i / apart % 2 == 0)  // no draw stands in two pairs
            ++seen[found[i] * cells / rows * cells + found[i + apart] * cells / rows];
      }
      EXPECT_TRUE(theory::follows(seen, expected, kAlarm / 12))
          << rows << " rows, " << apart << " apart";
    }
}

// Each of the first 40 draws over many replicates is uniform. 120 chi-squares share one alarm of
// 1e-6.
TEST(Indices, AreUniformAtEveryPlace) {
  for (const std::uint32_t rows : {6U, 200U, 300U}) {
    std::vector<std::vector<std::uint64_t>> seen(40, std::vector<std::uint64_t>(rows));
    for (std::uint64_t r = 0; r < 20'000 * theory::effort(); ++r) {
      const auto found = draw(rows, 40, r);
      for (std::size_t i = 0; i < 40; ++i) ++seen[i].at(found[i]);
    }
    for (const auto& place : seen) EXPECT_TRUE(theory::follows_uniform(place, kAlarm / 120));
  }
}

// The kernel lists a quarter of the draws for redrawing. Without that, every third row would come
// twice as often. Three comparisons share one alarm of 1e-6.
TEST(Rejection, TakesAQuarterOfTheDrawsAndLeavesTheRestUniform) {
  constexpr std::size_t kDraws = 2048;
  constexpr std::size_t kTimes = 200;
  const execution::Level level = execution::available_levels().back();
  const simd::Kernels& kernels = simd::kernels(level);
  random::simd::LaneState lanes;
  random::simd::kernels(level).seed({{20, 0}, {0, 0, 0, 0}}, lanes);
  const auto which = row_draw(kThreeQuarters);
  EXPECT_EQ(which.reject, 1U << 30);
  std::vector<std::uint32_t> rows(kDraws + kSideBySide);
  std::vector<std::uint32_t> rejected(kDraws);
  std::vector<std::uint64_t> residues(3);
  std::vector<std::uint64_t> ranges(96);
  std::size_t total = 0;
  for (std::size_t time = 0; time < kTimes; ++time) {
    std::size_t rejections = 0;
    kernels.rows(lanes, which, kDraws, rows.data(), rejected.data(), rejections);
    total += rejections;
    std::vector<bool> is_rejected(kDraws);
    for (std::size_t i = 0; i < rejections; ++i) is_rejected.at(rejected[i]) = true;
    for (std::size_t i = 0; i < kDraws; ++i) {
      if (is_rejected[i]) continue;
      ++residues[rows[i] % 3];
      ++ranges.at(rows[i] >> 25);
    }
  }
  EXPECT_TRUE(theory::is_binomial(total, kDraws * kTimes, 0.25, kAlarm / 3));
  EXPECT_TRUE(theory::follows_uniform(residues, kAlarm / 3));
  EXPECT_TRUE(theory::follows_uniform(ranges, kAlarm / 3));
}

// What replaces a rejected draw is uniform as well, and so is the mixture. Four chi-squares share
// one alarm of 1e-6.
TEST(Rejection, IsMadeGoodByUniformDraws) {
  const auto which = row_draw(kThreeQuarters);
  std::vector<std::uint64_t> residues(3);
  std::vector<std::uint64_t> ranges(96);
  for (std::uint32_t position = 0; position < 300'000; ++position) {
    const std::uint32_t row =
        redraw({20, 41, random::Purpose::index_retry}, position * 7919U, which);
    ++residues[row % 3];
    ++ranges.at(row >> 25);
  }
  EXPECT_TRUE(theory::follows_uniform(residues, kAlarm / 4));
  EXPECT_TRUE(theory::follows_uniform(ranges, kAlarm / 4));

  std::vector<std::uint64_t> all_residues(3);
  std::vector<std::uint64_t> all_ranges(96);
  for (std::uint64_t r = 0; r < 100; ++r)
    for (const std::uint32_t row : draw(kThreeQuarters, 4099, r)) {
      ++all_residues[row % 3];
      ++all_ranges.at(row >> 25);
    }
  EXPECT_TRUE(theory::follows_uniform(all_residues, kAlarm / 4));
  EXPECT_TRUE(theory::follows_uniform(all_ranges, kAlarm / 4));
}

// Sixteen short resamples come from one stream. Of 244 rows fewer than one draw in ten million is
// rejected: the batches that have one are looked for.
TEST(Rejection, IsTheSameInBatchesOfShortResamples) {
  constexpr std::uint32_t kRows = 244;
  constexpr std::uint64_t kSeed = 20;
  const auto which = row_draw(kRows);
  const execution::Level fastest = execution::available_levels().back();
  std::size_t rejected = 0;
  for (std::uint64_t batch = 0; batch < 60'000; ++batch) {
    random::simd::LaneState lanes;
    random::simd::kernels(fastest).seed(
        random::lane_counter({kSeed, batch, random::Purpose::short_index}, 0), lanes);
    std::vector<std::uint32_t> steps(kRows * kSideBySide);
    std::vector<std::uint32_t> places(steps.size());
    std::size_t rejections = 0;
    simd::kernels(fastest).rows(lanes, which, steps.size(), steps.data(), places.data(),
                                rejections);
    if (rejections == 0 && batch > 20) continue;
    rejected += rejections;
    for (std::size_t i = 0; i < rejections; ++i)
      steps[places[i]] = redraw(
          {kSeed, batch * kSideBySide + places[i] % kSideBySide, random::Purpose::index_retry},
          static_cast<std::uint32_t>(places[i] / kSideBySide), which);
    for (const auto level : execution::available_levels()) {
      std::vector<std::uint32_t> all(kRows * kSideBySide);
      draw_batch(level, kSeed, batch, kRows, all);
      for (std::uint32_t lane = 0; lane < kSideBySide; ++lane) {
        std::vector<std::uint32_t> one(kRows + kSideBySide);
        draw_rows(level, kSeed, batch * kSideBySide + lane, kRows, {one.data(), kRows});
        for (std::uint32_t i = 0; i < kRows; ++i) {
          ASSERT_EQ(one[i], steps[i * kSideBySide + lane]) << execution::name(level);
          ASSERT_EQ(all[lane * kRows + i], one[i]) << execution::name(level);
        }
      }
    }
  }
  EXPECT_GT(rejected, 3U);
}

// A rejected draw does not move its neighbours: those that are fair are what the bits say.
TEST(Rejection, MovesNoOtherDraw) {
  const auto found = draw(kThreeQuarters, 5000, 41);
  random::Lanes lanes({20, 41, random::Purpose::index}, 0);
  std::size_t position = 0;
  std::size_t rejected = 0;
  while (position < found.size())
    for (const std::uint64_t word : lanes())
      for (const std::uint64_t bits : {word & 0xFFFFFFFFU, word >> 32}) {
        if (position == found.size()) break;
        const std::uint64_t product = bits * kThreeQuarters;
        if ((product & 0xFFFFFFFFU) >= 1U << 30) {
          EXPECT_EQ(found[position], product >> 32) << position;
        } else {
          ++rejected;
        }
        ++position;
      }
  EXPECT_GT(rejected, 1000U);
}

}  // namespace indices_test
}  // namespace bootfold::resample
