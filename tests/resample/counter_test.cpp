// Counts of many replicates: the same resamples as those of the engine, for every scheme, type,
// range of replicates, number of threads and SIMD level.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <stop_token>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/resample.h"
#include "resample/design.h"
#include "resample/sampler.h"
#include "resample/super_blocks.h"

namespace bootfold::resample {
namespace counter_test {

constexpr std::uint64_t kSeed = 21;

std::vector<std::uint8_t> make(std::uint64_t rows, const CounterOptions& options,
                               std::uint64_t first, std::uint64_t replicates,
                               const Execution& execution = {}) {
  std::vector<std::uint8_t> found(rows * replicates, 77);
  Counter(rows, options).counts(first, found, execution);
  return found;
}

/// Labels 0 .. groups - 1, mixed.
std::vector<std::uint32_t> labels(std::uint32_t rows, std::uint32_t groups) {
  std::vector<std::uint32_t> found(rows);
  for (std::uint32_t i = 0; i < rows; ++i) found[i] = i * 7 % groups;
  return found;
}

TEST(Counter, MakesTheCountsOfSingleReplicates) {
  for (const std::uint64_t rows :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{63}, std::uint64_t{64},
        std::uint64_t{4095}, std::uint64_t{4096}, std::uint64_t{4160}, std::uint64_t{4161},
        std::uint64_t{8257}, kSuperBlockRows + 1, 2 * kSuperBlockRows + 70'000}) {
    SCOPED_TRACE(testing::Message() << rows << " rows");
    const auto found = make(rows, {.seed = kSeed}, 3, 3);
    for (std::uint64_t r = 0; r < 3; ++r) {
      const auto expected = counts(rows, {kSeed, 3 + r});
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                             found.begin() + static_cast<std::ptrdiff_t>(r * rows)));
    }
  }
}

TEST(Counter, MakesTheSameCountsForAnyThreadsLevelRangeAndType) {
  for (const std::uint64_t rows :
       {std::uint64_t{40}, std::uint64_t{5000}, kSuperBlockRows + 5000}) {
    SCOPED_TRACE(testing::Message() << rows << " rows");
    const CounterOptions options{.seed = kSeed};
    const auto expected = make(rows, options, 0, 4, {.threads = 1});
    for (const unsigned threads : {2U, 7U})
      EXPECT_EQ(make(rows, options, 0, 4, {.threads = threads}), expected);
    for (const auto level : execution::available_levels())
      EXPECT_EQ(make(rows, options, 0, 4, {.level = level}), expected) << execution::name(level);
    const auto later = make(rows, options, 2, 2);
    EXPECT_TRUE(std::equal(later.begin(), later.end(),
                           expected.begin() + static_cast<std::ptrdiff_t>(2 * rows)));
    const Counter counter(rows, options);
    std::vector<std::uint16_t> two(4 * rows);
    std::vector<std::uint32_t> four(4 * rows);
    std::vector<double> weights(4 * rows);
    counter.counts(0, two);
    counter.counts(0, four);
    counter.weights(0, weights);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), two.begin()));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), four.begin()));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), weights.begin()));
  }
}

// What does not stream is counted from the rows that functions of the resample get.
TEST(Counter, CountsTheRowsOfSamplers) {
  constexpr std::uint32_t kRows = 300;
  const auto clusters = labels(kRows, 40);
  std::vector<double> weights(kRows);
  std::iota(weights.begin(), weights.end(), 0.0);
  const std::vector<Scheme> schemes = {
      scheme::Iid{.size = 700},     scheme::Balanced{},         scheme::Unequal{weights},
      scheme::Stratified{clusters}, scheme::Cluster{clusters},  scheme::Cluster{clusters, true},
      scheme::MovingBlocks{7},      scheme::CircularBlocks{7},  scheme::StationaryBlocks{7.5},
      scheme::Jackknife{},          scheme::Jackknife{clusters}};
  for (const Scheme& scheme : schemes) {
    SCOPED_TRACE(name(scheme));
    const CounterOptions options{.seed = kSeed, .scheme = scheme, .replicates = 20};
    const auto found = make(kRows, options, 0, 20);
    const auto sampler =
        design(scheme)->sampling(kRows, kSeed, 20, execution::Level::portable)->sampler();
    for (std::uint64_t r = 0; r < 20; ++r) {
      std::vector<std::uint8_t> expected(kRows);
      for (const std::uint32_t row : sampler->draw(r)) ++expected[row];
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                             found.begin() + static_cast<std::ptrdiff_t>(r * kRows)));
    }
  }
}

TEST(Counter, KeepsTheSizesOfStrata) {
  constexpr std::uint32_t kRows = 3000;
  const auto strata = labels(kRows, 4);
  const auto found = make(kRows, {.seed = kSeed, .scheme = scheme::Stratified{strata}}, 0, 10);
  for (std::uint64_t r = 0; r < 10; ++r) {
    std::vector<std::uint64_t> drawn(4);
    for (std::uint32_t i = 0; i < kRows; ++i) drawn[strata[i]] += found[r * kRows + i];
    EXPECT_THAT(drawn, testing::Each(kRows / 4));
  }
}

// Poisson counts add up to 100,000 on average, with a standard deviation of 316: further away than
// 5 of these once in 1.7 million.
TEST(Counter, PoissonCountsHaveNoFixedSum) {
  const auto found = make(100'000, {.seed = kSeed, .scheme = scheme::Poisson{}}, 0, 2);
  const std::span<const std::uint8_t> all(found);
  const auto total = [](auto part) {
    return std::accumulate(part.begin(), part.end(), std::uint64_t{0});
  };
  EXPECT_NE(total(all.first(100'000)), total(all.last(100'000)));
  EXPECT_NEAR(static_cast<double>(total(all)), 200'000, 5 * 447);
}

TEST(Counter, BayesianWeightsAddUpToTheRows) {
  constexpr std::uint64_t kRows = 70'001;
  const Counter counter(kRows, {.seed = kSeed, .scheme = scheme::Bayesian{}});
  std::vector<double> found(2 * kRows);
  counter.weights(5, found, {.threads = 2});
  for (std::size_t r = 0; r < 2; ++r)
    EXPECT_NEAR(std::accumulate(found.begin() + static_cast<std::ptrdiff_t>(r * kRows),
                                found.begin() + static_cast<std::ptrdiff_t>((r + 1) * kRows), 0.0),
                kRows, 1e-6);
  EXPECT_NE(found[0], found[kRows]);
  std::vector<double> one(kRows);
  counter.weights(6, one, {.threads = 1, .level = execution::Level::portable});
  EXPECT_TRUE(std::equal(one.begin(), one.end(), found.begin() + kRows));
  std::vector<std::uint8_t> none(kRows);
  EXPECT_THROW(counter.counts(0, none), InvalidArgument);
}

TEST(Counter, ACountThatDoesNotFitIsAnError) {
  const std::vector<double> weights = {0, 1, 0};
  const Counter counter(3, {.scheme = scheme::Unequal{weights, 70'000}});
  EXPECT_EQ(counter.count_bytes(), 4U);
  std::vector<std::uint8_t> one(3);
  std::vector<std::uint16_t> two(3);
  std::vector<std::uint32_t> four(3);
  try {
    counter.counts(0, one);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("row 2 is drawn more than 255 times in replicate "
                                                 "0, which a count of 8 bits cannot hold; use "
                                                 "dtype uint16 or uint32"));
  }
  EXPECT_THROW(counter.counts(0, two), InvalidArgument);
  counter.counts(0, four);
  EXPECT_THAT(four, testing::ElementsAre(0, 70'000, 0));
  EXPECT_EQ(Counter(3).count_bytes(), 1U);
  EXPECT_EQ(Counter(3, {.scheme = scheme::Iid{.size = 3000}}).count_bytes(), 2U);
}

TEST(Counter, RefusesWhatHasNoCounts) {
  std::vector<std::uint8_t> room(10);
  EXPECT_THROW(Counter(0), InvalidArgument);
  EXPECT_THROW(Counter(3, {.scheme = scheme::StationaryBlocks{}}), InvalidArgument);
  EXPECT_THROW(Counter(3, {.scheme = scheme::Balanced{}}), InvalidArgument);
  EXPECT_THROW(Counter(3).counts(0, room), InvalidArgument);
  EXPECT_THROW(Counter(5, {.scheme = scheme::Jackknife{}}).counts(4, room), InvalidArgument);
  EXPECT_THROW(Counter(5, {.scheme = scheme::Balanced{}, .replicates = 2}).counts(1, room),
               InvalidArgument);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(Counter(5).counts(0, room, {.stop = stop.get_token()}), Cancelled);
}

}  // namespace counter_test
}  // namespace bootfold::resample
