// Threads that train one network together.
#include "ensemble/training/team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/random.h"
#include "ensemble/ensemble_access.h"

namespace bootfold::ensemble {
namespace team_test {

TEST(Team, EveryThreadSeesWhatTheOthersWroteBeforeTheyMet) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    Team team(threads);
    ASSERT_EQ(team.threads(), threads);
    std::vector<std::size_t> values(threads);
    std::vector<std::size_t> sums(threads);
    for (std::size_t round = 1; round <= 50; ++round) {
      team.run(true, [&](const simd::Share& share) {
        values[share.thread] = round * (share.thread + 1);
        share.meet();
        std::size_t sum = 0;
        for (const std::size_t value : values) sum += value;
        share.meet();
        sums[share.thread] = sum;
      });
      for (const std::size_t sum : sums) ASSERT_EQ(sum, round * threads * (threads + 1) / 2);
    }
  }
}

TEST(Team, OneThreadCanDoAllOfTheWork) {
  Team team(3);
  std::size_t calls = 0;
  team.run(false, [&](const simd::Share& share) {
    EXPECT_EQ(share.threads, 1U);
    share.meet();
    ++calls;
  });
  EXPECT_EQ(calls, 1U);
}

TEST(TeamChoice, TakesTheFasterWayAndLooksAgain) {
  TeamChoice choice;
  const auto steps_until_change = [&](double seconds, std::size_t most) {
    const bool before = choice.together();
    std::size_t steps = 0;
    while (steps < most && choice.together() == before) {
      choice.took(seconds);
      ++steps;
    }
    return steps;
  };
  EXPECT_FALSE(choice.together());
  EXPECT_EQ(steps_until_change(1.0, 10), 2U);       // alone, to know the time
  EXPECT_EQ(steps_until_change(0.6, 1000), 1000U);  // together is faster
  EXPECT_LE(steps_until_change(5.0, 1000), 64U);    // the machine becomes busy
  EXPECT_EQ(steps_until_change(2.0, 1000), 256U);   // alone, then again together
  EXPECT_EQ(steps_until_change(1.9, 1000), 1000U);
}

TEST(Team, EndsWithoutARun) {
  const Team team(3);
  EXPECT_EQ(team.threads(), 3U);
}

TEST(Team, PartsCoverAllItemsOnce) {
  for (const std::size_t count : {0U, 1U, 5U, 6U, 64U, 131U})
    for (const std::size_t parts : {1U, 2U, 3U, 7U})
      for (const std::size_t together : {1U, 6U, 16U}) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < parts; ++i) {
          const simd::Part part = simd::part_of(count, i, parts, together);
          ASSERT_EQ(part.first, next);
          ASSERT_GE(part.last, part.first);
          ASSERT_TRUE(part.last == count || part.last % together == 0);
          next = part.last;
        }
        ASSERT_EQ(next, count);
      }
}

/// Noise of so many rows and columns, and classes that go round.
struct Noise {
  Noise(std::size_t rows, std::size_t inputs, std::uint32_t groups)
      : columns(inputs, std::vector<float>(rows)) {
    random::Stream stream({.seed = 3});
    for (auto& column : columns)
      for (float& value : column) value = static_cast<float>(random::normal(stream));
    std::vector<std::int32_t> codes;
    for (std::size_t row = 0; row < rows; ++row)
      codes.push_back(static_cast<std::int32_t>(row % groups));
    labels = data::labels(std::span<const std::int32_t>(codes));
  }

  [[nodiscard]] DataView view() const {
    return std::vector<ColumnView>(columns.begin(), columns.end());
  }

  std::vector<std::vector<float>> columns;
  data::Labels labels;
};

void expect_equal(const Ensemble& a, const Ensemble& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t m = 0; m < a.size(); ++m) {
    EXPECT_TRUE(std::ranges::equal(a.parameters(m), b.parameters(m)));
    EXPECT_EQ(a.member(m).held_out_loss, b.member(m).held_out_loss);
    EXPECT_EQ(a.member(m).loss, b.member(m).loss);
  }
  // Some rows are left out by no member: their means are NaN.
  const std::vector<double>& mean = a.out_of_bag().mean;
  ASSERT_EQ(mean.size(), b.out_of_bag().mean.size());
  EXPECT_EQ(std::memcmp(mean.data(), b.out_of_bag().mean.data(), mean.size() * sizeof(double)), 0);
  EXPECT_EQ(a.frame().input_scaling.mean, b.frame().input_scaling.mean);
  EXPECT_EQ(a.frame().input_scaling.scale, b.frame().input_scaling.scale);
  EXPECT_EQ(a.frame().input_range.low, b.frame().input_range.low);
  EXPECT_EQ(EnsembleAccess::fingerprint(a), EnsembleAccess::fingerprint(b));
}

// Large enough for several threads in every part of a training: more than a million values, and
// several million multiplications in a step.
TEST(Team, FewMembersAreTheSameForAnyThreads) {
  const Noise noise(33'000, 31, 3);
  Training training{.members = 1, .steps = 6};
  training.settings[0].batch_size = 129;
  training.settings[0].architecture.hidden = {150, 70};
  const Ensemble one = [&] {
    training.execution.threads = 1;
    return train({noise.view(), &noise.labels}, training);
  }();
  for (const unsigned threads : {2U, 7U}) {
    training.execution.threads = threads;
    expect_equal(one, train({noise.view(), &noise.labels}, training));
  }
  training.members = 2;
  training.execution.threads = 5;  // two for each
  const Ensemble two = train({noise.view(), &noise.labels}, training);
  EXPECT_TRUE(std::ranges::equal(two.parameters(0), one.parameters(0)));
}

}  // namespace team_test
}  // namespace bootfold::ensemble
