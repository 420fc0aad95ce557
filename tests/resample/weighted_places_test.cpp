// Counts under unequal probabilities: their law by enumeration and by theory, and their bits.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "random/theory.h"
#include "resample/weighted_reference.h"

namespace bootfold::resample {
namespace weighted_places_test {

using Counts = std::vector<std::uint32_t>;
using theory::kAlarm;

/// All vectors of counts that add up to `left`, with their multinomial probabilities.
void enumerate(const std::vector<double>& weights, double sum, std::uint32_t left, double factor,
               Counts& counts, std::map<Counts, double>& law) {
  const std::size_t row = counts.size();
  if (row == weights.size()) {
    if (left == 0) law[counts] = factor;
    return;
  }
  for (std::uint32_t count = 0; count <= left; ++count) {
    counts.push_back(count);
    enumerate(weights, sum, left - count,
              factor * std::pow(weights[row] / sum, count) / std::tgamma(count + 1.0), counts, law);
    counts.pop_back();
  }
}

testing::AssertionResult has_law(const std::vector<double>& weights, std::uint32_t draws,
                                 const WeightedPlaces::Sizes& sizes, std::uint64_t replicates,
                                 double alarm, std::uint64_t& voids) {
  std::map<Counts, double> law;
  Counts counts;
  enumerate(weights, std::accumulate(weights.begin(), weights.end(), 0.0), draws,
            std::tgamma(draws + 1.0), counts, law);
  std::map<Counts, std::uint64_t> seen;
  WeightedReplicates made(weights, draws, sizes);
  for (std::uint64_t r = 0; r < replicates; ++r) {
    ++seen[made.counts(1, r)];
    voids += made.voids();
  }
  std::vector<std::uint64_t> observed;
  std::vector<double> probabilities;
  for (const auto& [each, probability] : law) {
    observed.push_back(seen[each]);
    probabilities.push_back(probability);
  }
  return theory::follows(observed, probabilities, alarm);
}

// Tiles are counted from the first draw on, in super-blocks of 1, 2, 3 and all places, with the
// usual margin and with none, where every second attempt is void. 32 chi-squares share one alarm.
TEST(WeightedPlaces, CountsAreMultinomial) {
  std::uint64_t voids = 0;
  for (const std::vector<double>& weights :
       {std::vector<double>{1, 2, 4, 3}, {0.5, 0, 7, 0.5, 1}, {1e-3, 20, 1}, {1, 1, 1, 1}})
    for (const std::uint64_t block_places :
         {kSuperBlockRows, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}})
      for (const double margin : {4.0, 0.0})
        EXPECT_TRUE(has_law(weights, 5,
                            {.block_places = block_places,
                             .margin = margin,
                             .least_draws = 0,
                             .least_mean = 0x1p-10},
                            60'000 * theory::effort(), kAlarm / 32, voids))
            << weights.size() << " rows in blocks of " << block_places << ", margin " << margin;
  EXPECT_GT(voids, 50'000U);
}

/// Weights of five kinds over several tiles and, with small super-blocks, over many of those.
struct Kinds {
  explicit Kinds(std::size_t rows) : weights(rows) {
    for (std::size_t i = 0; i < rows; ++i) weights[i] = kKinds[i % 5] * (1 + 0.001 * double(i % 9));
    for (const double weight : weights) sum += weight;
  }
  static constexpr double kKinds[] = {0, 0.04, 0.3, 1, 6};
  std::vector<double> weights;
  double sum = 0;
};

// How often each kind comes up, and each row of the heaviest kind, over all replicates:
// chi-squares. How much the number of draws of the middle kind varies: its variance over 400
// replicates is that of a binomial. Six comparisons share one alarm of 1e-6.
TEST(WeightedPlaces, CountsFollowTheWeights) {
  constexpr std::size_t kRows = 50'000;
  constexpr std::uint64_t kReplicates = 400;
  const Kinds kinds(kRows);
  for (const std::uint64_t block_places : {kSuperBlockRows, std::uint64_t{8192}}) {
    WeightedReplicates made(kinds.weights, kRows, {.block_places = block_places});
    std::vector<std::uint64_t> seen(5);
    std::vector<std::uint64_t> heavy(kRows / 5);
    std::vector<double> probabilities(5);
    std::vector<double> shares;
    for (std::size_t i = 0; i < kRows; ++i) {
      probabilities[i % 5] += kinds.weights[i] / kinds.sum;
      if (i % 5 == 4) shares.push_back(kinds.weights[i]);
    }
    const double heavy_sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= heavy_sum;
    double deviation = 0;
    std::uint64_t late = 0;
    for (std::uint64_t r = 0; r < kReplicates; ++r) {
      const Counts& counts = made.counts(3, r);
      ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), kRows);
      std::uint64_t middle = 0;
      for (std::size_t i = 0; i < kRows; ++i) {
        seen[i % 5] += counts[i];
        if (i % 5 == 3) middle += counts[i];
        if (i % 5 == 4) heavy[i / 5] += counts[i];
      }
      deviation += std::pow(double(middle) - kRows * probabilities[3], 2);
      late += made.late();
    }
    EXPECT_TRUE(theory::follows(seen, probabilities, kAlarm / 6));
    EXPECT_TRUE(theory::follows(heavy, shares, kAlarm / 6));
    EXPECT_TRUE(theory::is_chi_square(
        deviation / (kRows * probabilities[3] * (1 - probabilities[3])), kReplicates, kAlarm / 6));
    EXPECT_LT(late, kReplicates * kRows / 5) << "most draws are counted";
  }
}

TEST(WeightedPlaces, HaveTheSameCountsAtEveryLevel) {
  for (const std::size_t rows : {1U, 63U, 64U, 65U, 4095U, 4096U, 4097U, 8193U, 40'000U}) {
    const Kinds kinds(rows + 4);
    for (const std::uint64_t block_places : {kSuperBlockRows, std::uint64_t{4097}}) {
      const WeightedPlaces::Sizes sizes{.block_places = block_places, .least_draws = 30};
      WeightedReplicates portable(kinds.weights, 2 * rows, sizes, execution::Level::portable);
      const Counts expected = portable.counts(5, 6);
      for (const execution::Level level : execution::available_levels()) {
        WeightedReplicates made(kinds.weights, 2 * rows, sizes, level);
        EXPECT_EQ(made.counts(5, 6), expected) << execution::name(level) << ", " << rows << " rows";
      }
    }
  }
}

// Around a super-block of places, the usual sizes. Every sum is right and no row of weight 0 comes
// up.
TEST(WeightedPlaces, CountAroundSuperBlocks) {
  for (const std::size_t rows : {std::size_t{kSuperBlockRows} - 1, std::size_t{kSuperBlockRows},
                                 std::size_t{kSuperBlockRows} + 1}) {
    std::vector<double> weights(rows, 0.75);
    weights[rows / 2] = 0;
    WeightedReplicates made(weights, rows);
    EXPECT_EQ(made.places().rows().size(), rows - 1);
    const Counts& counts = made.counts(1, 2);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), rows);
    EXPECT_EQ(counts[rows / 2], 0U);
    EXPECT_LT(made.late(), rows / 40);
  }
}

TEST(WeightedPlaces, OneHeavyRowStandsAtManyPlaces) {
  std::vector<double> weights(1000, 1e-9);
  weights[7] = 1e9;
  constexpr std::uint64_t kDraws = 100'000;
  WeightedReplicates made(weights, kDraws);
  EXPECT_EQ(made.places().rows().size(), WeightedPlaces::count(weights, kDraws));
  EXPECT_EQ(made.places().rows().size(), 999 + kDraws / 2);
  for (std::uint64_t r = 0; r < 10; ++r) EXPECT_EQ(made.counts(1, r)[7], kDraws);
  EXPECT_LT(made.late(), kDraws / 20);
}

// Weights over the whole range of doubles, also subnormal ones.
TEST(WeightedPlaces, TakeWeightsOfAnySize) {
  std::vector<double> weights = {1e300, 5e-324, 1e-300, 0, 1, 1e300};
  WeightedReplicates made(weights, 1000);
  const Counts counts = made.counts(1, 1);
  EXPECT_EQ(counts[0] + counts[5], 1000U);
  EXPECT_TRUE(theory::is_binomial(counts[0], 1000, 0.5));
  for (double& weight : weights) weight *= 0x1p-1000;
  for (const std::size_t subnormal : {0U, 5U}) weights[subnormal] = 5e-324;
  weights[4] = 0;
  WeightedReplicates tiny(weights, 1000);
  EXPECT_TRUE(theory::is_binomial(tiny.counts(1, 2)[0], 1000, 0.5));
}

}  // namespace weighted_places_test
}  // namespace bootfold::resample
