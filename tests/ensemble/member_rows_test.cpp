// The rows of a member: their number, and the same rows for every way of access.
#include "ensemble/training/member_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "bootfold/resample.h"

namespace bootfold::ensemble {
namespace member_rows_test {

MemberRows member_row_count(Resampling resampling, std::size_t rows, bool reshuffle = false,
                            std::uint64_t number = 3) {
  return {{7, number}, resampling, rows, 0.4, reshuffle, execution::default_level()};
}

std::vector<std::uint32_t> walk(const MemberRows& rows, std::uint64_t place, std::size_t count) {
  std::vector<std::uint32_t> found(count);
  rows.for_each(place, count, [&](std::size_t i, std::uint32_t row) { found[i] = row; });
  return found;
}

TEST(MemberRows, BootstrapMatchesTheReplicate) {
  for (const std::size_t n : {5U, 300U})
    EXPECT_EQ(walk(member_row_count(Resampling::bootstrap, n), 0, n),
              resample::indices(n, {.seed = 7, .replicate = 3}));
}

TEST(MemberRows, EpochsRepeatTheOrder) {
  for (const Resampling resampling :
       {Resampling::bootstrap, Resampling::none, Resampling::subsample}) {
    const MemberRows rows = member_row_count(resampling, 40);
    EXPECT_EQ(walk(rows, 0, 100), [&] {
      std::vector<std::uint32_t> expected;
      for (std::size_t i = 0; i < 100; ++i) expected.push_back(rows.at(i % rows.size()));
      return expected;
    }());
    EXPECT_EQ(walk(rows, 33, 50), [&] {
      std::vector<std::uint32_t> expected;
      for (std::size_t i = 33; i < 83; ++i) expected.push_back(rows.at(i));
      return expected;
    }());
  }
}

TEST(MemberRows, ReshufflingPermutesTheRows) {
  for (const Resampling resampling :
       {Resampling::bootstrap, Resampling::none, Resampling::subsample}) {
    const MemberRows plain = member_row_count(resampling, 50);
    const MemberRows shuffled = member_row_count(resampling, 50, true);
    std::vector<std::uint32_t> expected = walk(plain, 0, plain.size());
    std::sort(expected.begin(), expected.end());
    std::set<std::vector<std::uint32_t>> orders;
    for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
      std::vector<std::uint32_t> found = walk(shuffled, epoch * plain.size(), plain.size());
      orders.insert(found);
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected);
    }
    EXPECT_EQ(orders.size(), 5U);
  }
}

TEST(MemberRows, SubsampleHasDistinctRows) {
  const MemberRows rows = member_row_count(Resampling::subsample, 50);
  EXPECT_EQ(rows.size(), 20U);
  const std::vector<std::uint32_t> found = walk(rows, 0, 20);
  EXPECT_EQ(std::set<std::uint32_t>(found.begin(), found.end()).size(), 20U);
}

TEST(MemberRows, HeldOutRowsAreTheComplement) {
  for (const Resampling resampling :
       {Resampling::bootstrap, Resampling::none, Resampling::subsample, Resampling::bayesian}) {
    const MemberRows rows = member_row_count(resampling, 50);
    const std::vector<std::uint32_t> seen = walk(rows, 0, rows.size());
    const std::vector<float> held_out = rows.held_out();
    for (std::uint32_t row = 0; row < 50; ++row)
      EXPECT_EQ(held_out[row], std::count(seen.begin(), seen.end(), row) == 0 ? 1.0F : 0.0F);
  }
}

// A bootstrap resample of 100 rows has 100 (1 - 0.99^100) = 63.40 different ones on average. The
// number has a standard deviation of 3.1, so the mean over 4,000 members has one of 0.049 and is
// off by 0.25 once in three million.
TEST(MemberRows, BootstrapHasTheExpectedNumberOfDistinctRows) {
  double sum = 0;
  for (std::uint64_t member = 0; member < 4000; ++member) {
    const std::vector<float> held_out =
        member_row_count(Resampling::bootstrap, 100, false, member).held_out();
    sum += 100 - std::accumulate(held_out.begin(), held_out.end(), 0.0);
  }
  EXPECT_NEAR(sum / 4000, 100 * (1 - std::pow(0.99, 100)), 0.25);
}

TEST(MemberRows, BayesianWeightsHaveMeanOne) {
  const MemberRows rows = member_row_count(Resampling::bayesian, 1000);
  ASSERT_EQ(rows.weights().size(), 1000U);
  double sum = 0;
  for (const float weight : rows.weights()) {
    EXPECT_GT(weight, 0);
    sum += weight;
  }
  EXPECT_NEAR(sum, 1000, 1e-3);
}

}  // namespace member_rows_test
}  // namespace bootfold::ensemble
