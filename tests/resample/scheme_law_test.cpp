// The law of every scheme on so few rows that all sequences of drawn rows can be listed with their
// probabilities. Each test raises a false alarm once in a million seeds; the seed is fixed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "bootfold/error.h"
#include "random/theory.h"
#include "resample/blocks.h"
#include "resample/design.h"
#include "resample/sampler.h"

namespace bootfold::resample {
namespace scheme_law_test {

using Rows = std::vector<std::uint32_t>;
using Law = std::map<Rows, double>;

const std::vector<std::uint32_t> kStrata = {0, 4, 0};
const std::vector<std::uint32_t> kClusters = {7, 2, 2};
// Clusters 2 = {1, 2}, 7 = {0} and 9 = {4} lie in stratum 3, cluster 5 = {3} alone in stratum 1.
const std::vector<std::uint32_t> kMoreClusters = {7, 2, 2, 5, 9};
const std::vector<std::uint32_t> kClusterStrata = {3, 3, 3, 1, 3};
const std::vector<double> kWeights = {1, 0, 2, 5};

Rows joined(Rows a, const Rows& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Both laws one after the other, independently.
Law then(const Law& first, const Law& second) {
  Law both;
  for (const auto& [a, p] : first)
    for (const auto& [b, q] : second) both[joined(a, b)] += p * q;
  return both;
}

Law one_of(const std::vector<Rows>& choices) {
  Law law;
  for (const Rows& rows : choices) law[rows] += 1.0 / static_cast<double>(choices.size());
  return law;
}

Law cut(const Law& law, std::size_t rows) {
  Law shorter;
  for (const auto& [sequence, p] : law)
    shorter[Rows(sequence.begin(), sequence.begin() + static_cast<std::ptrdiff_t>(rows))] += p;
  return shorter;
}

/// First row uniform; then the next row with probability 1 - p, any row with probability p.
Law stationary(std::uint32_t rows, double p) {
  Law law = {{{}, 1}};
  for (std::uint32_t i = 0; i < rows; ++i) {
    Law longer;
    for (const auto& [sequence, q] : law)
      for (std::uint32_t row = 0; row < rows; ++row) {
        double chance = (i == 0 ? 1 : p) / rows;
        if (i > 0 && row == (sequence.back() + 1) % rows) chance += 1 - p;
        longer[joined(sequence, {row})] += q * chance;
      }
    law = longer;
  }
  return law;
}

struct Case {
  const char* name;
  Scheme scheme;
  std::uint64_t rows;
  Law law;
};

std::vector<Case> cases() {
  const Law any3 = one_of({{0}, {1}, {2}});
  const Law weighted = {{{0}, 1.0 / 8}, {{2}, 2.0 / 8}, {{3}, 5.0 / 8}};
  const Law cluster = one_of({{1, 2}, {0}});
  const Law of_three = one_of({{1, 2}, {0}, {4}});
  const Law in_two = then(one_of({{1}, {2}}), one_of({{1}, {2}}));
  Law two_stage;
  for (const auto& [rows, p] : in_two) two_stage[rows] += p / 2;
  two_stage[{0}] += 0.5;
  const Law moving = one_of({{0, 1}, {1, 2}});
  const Law circular = one_of({{0, 1}, {1, 2}, {2, 0}});
  return {
      {"iid", scheme::Iid{}, 3, then(then(any3, any3), any3)},
      {"two_out_of_three", scheme::Iid{2}, 3, then(any3, any3)},
      {"four_out_of_three", scheme::Iid{4}, 3, then(then(any3, any3), then(any3, any3))},
      {"weighted", scheme::Unequal{kWeights, 2}, 4, then(weighted, weighted)},
      {"stratified", scheme::Stratified{kStrata}, 3,
       then(then(one_of({{0}, {2}}), one_of({{0}, {2}})), {{{1}, 1}})},
      {"cluster", scheme::Cluster{kClusters}, 3, then(cluster, cluster)},
      {"two_stages", scheme::Cluster{kClusters, true}, 3, then(two_stage, two_stage)},
      {"cluster_within_strata", scheme::Cluster{kMoreClusters, false, kClusterStrata}, 5,
       then({{{3}, 1}}, then(then(of_three, of_three), of_three))},
      {"moving", scheme::MovingBlocks{2}, 3, cut(then(moving, moving), 3)},
      {"circular", scheme::CircularBlocks{2}, 3, cut(then(circular, circular), 3)},
      {"circular_of_all", scheme::CircularBlocks{3}, 3, one_of({{0, 1, 2}, {1, 2, 0}, {2, 0, 1}})},
      {"stationary", scheme::StationaryBlocks{1.6}, 3, stationary(3, 1 / 1.6)},
      {"stationary_of_one", scheme::StationaryBlocks{1}, 3, stationary(3, 1)},
  };
}

testing::AssertionResult follows(const Law& law, std::uint64_t draws,
                                 const std::function<Rows(std::uint64_t)>& draw) {
  std::map<Rows, std::uint64_t> seen;
  for (std::uint64_t i = 0; i < draws; ++i) ++seen[draw(i)];
  std::vector<std::uint64_t> observed;
  std::vector<double> probabilities;
  for (const auto& [rows, probability] : law) {
    observed.push_back(seen[rows]);
    probabilities.push_back(probability);
    seen.erase(rows);
  }
  if (!seen.empty())
    return testing::AssertionFailure()
           << testing::PrintToString(seen.begin()->first) << " came up, which cannot be";
  return theory::follows(observed, probabilities, theory::kAlarm);
}

TEST(SchemeLaw, MatchesTheEnumeratedLaw) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto design = resample::design(c.scheme);
    design->check(c.rows);
    const auto sampler = design->sampling(c.rows, 11, 1, execution::default_level())->sampler();
    EXPECT_TRUE(follows(c.law, 60'000 * theory::effort(), [&](std::uint64_t replicate) {
      const auto rows = sampler->draw(replicate);
      return Rows(rows.begin(), rows.end());
    }));
  }
}

// Counts 0 to 3 of two rows, more as "4".
TEST(SchemeLaw, OfPoissonCountsIsPoisson) {
  Law law;
  const auto probability = [](std::uint32_t k) {
    const double p[] = {1, 1, 0.5, 1.0 / 6};
    return k < 4 ? std::exp(-1) * p[k] : 1 - std::exp(-1) * (1 + 1 + 0.5 + 1.0 / 6);
  };
  for (std::uint32_t a = 0; a <= 4; ++a)
    for (std::uint32_t b = 0; b <= 4; ++b) law[{a, b}] = probability(a) * probability(b);
  const auto sampler =
      design(scheme::Poisson{})->sampling(2, 11, 1, execution::default_level())->sampler();
  EXPECT_TRUE(follows(law, 60'000 * theory::effort(), [&](std::uint64_t replicate) {
    Rows counts(2);
    for (const std::uint32_t row : sampler->draw(replicate)) ++counts[row];
    for (std::uint32_t& count : counts) count = std::min(count, 4U);
    return counts;
  }));
}

// Two replicates of three rows: the six draws hold every row twice, in any order.
TEST(SchemeLaw, OfABalancedRunIsAShuffle) {
  const std::function<Law(Rows)> shuffles = [&](Rows left) {
    if (left.empty()) return Law{{{}, 1}};
    Law law;
    for (std::size_t i = 0; i < left.size(); ++i) {
      Rows others = left;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      for (const auto& [rest, p] : shuffles(others))
        law[joined({left[i]}, rest)] += p / static_cast<double>(left.size());
    }
    return law;
  };
  EXPECT_TRUE(
      follows(shuffles({0, 0, 1, 1, 2, 2}), 60'000 * theory::effort(), [&](std::uint64_t seed) {
        const auto sampler =
            design(scheme::Balanced{})->sampling(3, seed, 2, execution::default_level())->sampler();
        const auto first = sampler->draw(0);
        Rows all(first.begin(), first.end());
        const auto second = sampler->draw(1);
        all.insert(all.end(), second.begin(), second.end());
        return all;
      }));
}

TEST(SchemeLaw, OfABalancedRunUsesEveryRowEquallyOften) {
  constexpr std::size_t kRows = 101;
  constexpr std::size_t kReplicates = 57;
  const auto sampler = design(scheme::Balanced{})
                           ->sampling(kRows, 3, kReplicates, execution::default_level())
                           ->sampler();
  std::vector<std::size_t> counts(kRows);
  for (std::size_t r = 0; r < kReplicates; ++r)
    for (const std::uint32_t row : sampler->draw(r)) ++counts.at(row);
  EXPECT_THAT(counts, testing::Each(kReplicates));
}

// Long blocks go round the table of lengths: their mean and the share of long ones are geometric.
TEST(SchemeLaw, OfLongStationaryBlocksIsGeometric) {
  constexpr double kMean = 9000;
  const double stay = 1 - 1 / kMean;
  const BlockLaw blocks_of_all(BlockKind::stationary, kMean, 40'000'000,
                               execution::default_level());
  std::vector<std::uint64_t> observed(4);
  for (std::uint64_t replicate = 0; replicate < 10; ++replicate) {
    std::uint64_t left = blocks_of_all.rows();
    blocks_of_all.for_each(5, replicate, [&](const BlockList& blocks) {
      for (const std::uint32_t length : blocks.lengths) {
        left -= length;
        if (left == 0) continue;  // the last block is cut
        ++observed[length <= 100 ? 0 : length <= 4096 ? 1 : length <= 10'000 ? 2 : 3];
      }
    });
  }
  const double p100 = std::pow(stay, 100);
  const double p4096 = std::pow(stay, 4096);
  const double p10000 = std::pow(stay, 10'000);
  const std::vector<double> law = {1 - p100, p100 - p4096, p4096 - p10000, p10000};
  EXPECT_TRUE(theory::follows(observed, law, theory::kAlarm));
}

TEST(Scheme, ThatDoesNotFitIsNamed) {
  const auto complaint = [](const Scheme& scheme, std::uint64_t rows) -> std::string {
    try {
      design(scheme)->check(rows);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  using testing::AllOf;
  using testing::HasSubstr;
  EXPECT_THAT(complaint(scheme::Stratified{kStrata}, 4), AllOf(HasSubstr("3"), HasSubstr("4")));
  EXPECT_THAT(complaint(scheme::Cluster{kClusters}, 2), AllOf(HasSubstr("3"), HasSubstr("2")));
  EXPECT_THAT(complaint(scheme::Unequal{kWeights}, 3), AllOf(HasSubstr("4"), HasSubstr("3")));
  const std::vector<double> negative = {1, -2};
  EXPECT_THAT(complaint(scheme::Unequal{negative}, 2), AllOf(HasSubstr("row 2"), HasSubstr("-2")));
  const std::vector<double> nan = {std::nan(""), 1};
  EXPECT_THAT(complaint(scheme::Unequal{nan}, 2), HasSubstr("row 1"));
  const std::vector<double> zero = {0, 0};
  EXPECT_THAT(complaint(scheme::Unequal{zero}, 2), HasSubstr("all probabilities are 0"));
  EXPECT_THAT(complaint(scheme::MovingBlocks{0}, 5), AllOf(HasSubstr("0"), HasSubstr("1 to 5")));
  EXPECT_THAT(complaint(scheme::CircularBlocks{6}, 5), AllOf(HasSubstr("6"), HasSubstr("1 to 5")));
  EXPECT_THAT(complaint(scheme::StationaryBlocks{0.5}, 5), HasSubstr("0.5"));
  EXPECT_EQ(complaint(scheme::StationaryBlocks{5}, 5), "");
}

}  // namespace scheme_law_test
}  // namespace bootfold::resample
