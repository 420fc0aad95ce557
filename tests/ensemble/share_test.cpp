// What else must know that members share weights and rows: files, out-of-bag predictions, joined
// ensembles, jackknife+, checkpoints, plans, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stop_token>

#include "bootfold/ensemble/bootstrap.h"
#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/ensemble/training_plan.h"
#include "bootfold/error.h"
#include "data/temp_file.h"
#include "ensemble/spirals.h"
#include "ensemble/training/member_rows.h"
#include "temp_folder.h"

namespace bootfold::ensemble {
namespace share_test {

using testing::HasSubstr;
using testing_data::message_of;

Training training_of(std::size_t members, std::size_t share) {
  Training training{.members = members, .steps = 40, .seed = 3};
  training.share = share;
  training.settings[0].architecture.hidden = {8};
  training.settings[0].batch_size = 32;
  return training;
}

struct Numbers {
  explicit Numbers(std::size_t rows) : spirals(rows, 0.2, 5) {}
  [[nodiscard]] Examples examples() const {
    return {.inputs = DataView({ColumnView(spirals.x)}, {"x"}),
            .targets = DataView({ColumnView(spirals.y)}, {"y"})};
  }
  Spirals spirals;
};

void expect_same(const Prediction& a, const Prediction& b) {
  EXPECT_EQ(a.members, b.members);
  ASSERT_EQ(a.mean.size(), b.mean.size());
  for (std::size_t i = 0; i < a.mean.size(); ++i)
    EXPECT_TRUE(a.mean[i] == b.mean[i] || (a.mean[i] != a.mean[i] && b.mean[i] != b.mean[i])) << i;
}

TEST(Share, MembersOfAGroupHaveTheSameRowsInDifferentOrders) {
  for (const Resampling resampling :
       {Resampling::bootstrap, Resampling::subsample, Resampling::none, Resampling::bayesian}) {
    const auto rows_of = [&](std::uint64_t number) {
      return MemberRows({7, number, 4}, resampling, 50, 0.4, false, execution::default_level());
    };
    const auto walk = [&](std::uint64_t number) {
      std::vector<std::uint32_t> found;
      const MemberRows rows = rows_of(number);
      rows.for_each(0, rows.size(), [&](std::size_t, std::uint32_t row) { found.push_back(row); });
      return found;
    };
    const std::vector<std::uint32_t> first = walk(4);
    for (const std::uint64_t number : {5U, 6U, 7U}) {
      const std::vector<std::uint32_t> other = walk(number);
      EXPECT_NE(other, first);
      EXPECT_TRUE(std::ranges::is_permutation(other, first));
      EXPECT_EQ(rows_of(number).held_out(), rows_of(4).held_out());
      EXPECT_EQ(rows_of(number).weights(), rows_of(4).weights());
    }
    // The resample of group 1 is that of independent member 1, and group 2 has another.
    const MemberRows independent({7, 1}, resampling, 50, 0.4, false, execution::default_level());
    EXPECT_EQ(rows_of(4).held_out(), independent.held_out());
    EXPECT_EQ(rows_of(4).weights(), independent.weights());
    EXPECT_EQ(rows_of(8).weights() == rows_of(4).weights(), resampling != Resampling::bayesian);
    Settings settings;
    settings.subsample = 0.4;
    EXPECT_EQ(rows_of(8).held_out() == rows_of(4).held_out(),
              !leaves_rows_out(resampling, {&settings, 1}));
  }
}

TEST(Share, FilesKnowTheGroups) {
  const Spirals spirals(80);
  const Ensemble ensemble = train(spirals.examples(), training_of(12, 4));
  const TempFolder folder;
  ensemble.save(folder.path("m.safetensors"));
  const Ensemble loaded = Ensemble::load(folder.path("m.safetensors"));
  EXPECT_EQ(loaded.frame().share, 4U);
  expect_same(out_of_bag(loaded, spirals.examples()), ensemble.out_of_bag());
  expect_same(loaded.predict(spirals.examples().inputs),
              ensemble.predict(spirals.examples().inputs));
}

TEST(Share, PartsAreJoined) {
  const Spirals spirals(80);
  Training training = training_of(12, 4);
  const Ensemble whole = train(spirals.examples(), training);
  std::vector<Ensemble> parts;
  training.members = 8;
  parts.push_back(train(spirals.examples(), training));
  training.members = 4;
  training.first_member = 8;
  parts.push_back(train(spirals.examples(), training));
  const Ensemble joined = join(parts, spirals.examples());
  for (std::size_t m = 0; m < 12; ++m)
    EXPECT_TRUE(std::ranges::equal(joined.parameters(m), whole.parameters(m)));
  expect_same(joined.out_of_bag(), whole.out_of_bag());
  training.share = 2;
  parts[1] = train(spirals.examples(), training);
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { static_cast<void>(join(parts, spirals.examples())); }),
      HasSubstr("part 1 was trained on other data or with other options"));
}

TEST(Share, BestMembersPredictTheirOutOfBagRows) {
  const Spirals spirals(80);
  const Ensemble whole = train(spirals.examples(), training_of(12, 4));
  const Ensemble few = best(whole, 5, spirals.examples());
  for (std::size_t row = 0; row < 80; ++row) {
    std::uint64_t expected = 0;
    for (std::size_t m = 0; m < few.size(); ++m)
      expected += MemberRows({3, few.member(m).number / 4}, Resampling::bootstrap, 80, 1, false,
                             execution::default_level())
                              .held_out()[row] > 0
                      ? 1U
                      : 0U;
    EXPECT_EQ(few.out_of_bag().members[row], expected);
  }
}

// The rule of jackknife+ by hand: limits are quantiles of the residuals of rows, each from the
// members that were not trained on it.
TEST(Share, JackknifePlusLeavesOutWholeGroups) {
  const Numbers numbers(60);
  const Ensemble ensemble = train(numbers.examples(), training_of(40, 4));
  const std::vector<double> at = {-0.5, 0.1, 0.6};
  const Band band =
      jackknife_plus(ensemble, numbers.examples(), DataView(ColumnView(at)), {.confidence = 0.8});
  std::vector<std::vector<float>> held_out;
  for (std::uint64_t group = 0; group < 10; ++group)
    held_out.push_back(
        MemberRows({3, group}, Resampling::bootstrap, 60, 1, false, execution::default_level())
            .held_out());
  std::vector<std::vector<double>> low(at.size());
  std::vector<std::vector<double>> high(at.size());
  for (std::size_t row = 0; row < 60; ++row) {
    std::vector<std::size_t> members;
    for (std::size_t m = 0; m < 40; ++m)
      if (held_out[m / 4][row] > 0) members.push_back(m);
    if (members.empty()) {  // nothing is known of the row
      for (std::size_t p = 0; p < at.size(); ++p) {
        low[p].push_back(-HUGE_VAL);
        high[p].push_back(HUGE_VAL);
      }
      continue;
    }
    const Ensemble out = ensemble.subset(members);
    const std::vector<double> here = {numbers.spirals.x[row]};
    const double residual =
        std::abs(numbers.spirals.y[row] - out.predict(DataView(ColumnView(here))).mean[0]);
    const Prediction there = out.predict(DataView(ColumnView(at)));
    for (std::size_t p = 0; p < at.size(); ++p) {
      low[p].push_back(there.mean[p] - residual);
      high[p].push_back(there.mean[p] + residual);
    }
  }
  for (std::size_t p = 0; p < at.size(); ++p) {
    std::ranges::sort(low[p]);
    std::ranges::sort(high[p]);
    const std::size_t rank = 49;  // 0.8 (60 + 1), rounded up
    EXPECT_NEAR(band.high[p], high[p][rank - 1], 1e-5);
    EXPECT_NEAR(band.low[p], low[p][60 - rank], 1e-5);
  }
}

TEST(Share, CheckpointsGoOnToTheSameBits) {
  const Spirals spirals(80);
  const TempFolder folder;
  Training training = training_of(24, 4);
  const Ensemble whole = train(spirals.examples(), training);
  training.checkpoint = folder.path("run");
  std::stop_source source;
  int done = 0;
  Training first = training;
  first.finished = [&](const Member&) {
    if (++done >= 6) source.request_stop();
  };
  first.execution.threads = 1;
  first.execution.stop = source.get_token();
  try {
    static_cast<void>(train(spirals.examples(), first));
    ADD_FAILURE() << "it was not cancelled";
  } catch (const Cancelled& cancelled) {
    EXPECT_THAT(cancelled.kept(), HasSubstr("8 of 24 members"));
  }
  Training other = training;
  other.share = 8;
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { static_cast<void>(train(spirals.examples(), other)); }),
      HasSubstr("the number of members that share weights"));
  const Ensemble resumed = train(spirals.examples(), training);
  for (std::size_t m = 0; m < 24; ++m)
    EXPECT_TRUE(std::ranges::equal(resumed.parameters(m), whole.parameters(m)));
  expect_same(resumed.out_of_bag(), whole.out_of_bag());
}

TEST(Share, PlansTellTheGroups) {
  const Spirals spirals(80);
  EXPECT_THAT(
      plan(spirals.examples(), training_of(12, 4)).explain(),
      HasSubstr("12 networks 2-8-2 of 42 parameters, in groups of 4 that share weights; 40 steps"));
}

TEST(Share, RefusesWhatCannotBe) {
  const Spirals spirals(60);
  const auto message = [&](auto&& change) {
    Training training = training_of(8, 4);
    change(training);
    return message_of<InvalidArgument>(
        [&] { static_cast<void>(train(spirals.examples(), training)); });
  };
  EXPECT_THAT(message([](Training& t) { t.share = 1; }),
              HasSubstr("share is 1 but must be 2 members or more"));
  EXPECT_THAT(message([](Training& t) { t.members = 10; }),
              HasSubstr("members is 10 but must be a multiple of share, the 4 members of a group "
                        "that shares weights: 8 or 12"));
  EXPECT_THAT(message([](Training& t) { t.members = 3; }), HasSubstr("shares weights: 4"));
  EXPECT_THAT(message([](Training& t) { t.first_member = 2; }),
              HasSubstr("first_member is 2 but must be a multiple of share, 4"));
  EXPECT_THAT(message([](Training& t) { t.keep_optimizer = true; }),
              HasSubstr("cannot go on from an earlier training"));
  EXPECT_THAT(message([](Training& t) { t.settings[0].architecture.hidden = {}; }),
              HasSubstr("networks without hidden layers have no weights to share"));
  const Ensemble earlier = train(spirals.examples(), training_of(8, 4));
  EXPECT_THAT(message([&](Training& t) {
                t.share = 0;
                t.start = &earlier;
              }),
              HasSubstr("members of the given ensemble share weights, which cannot go on"));
  EXPECT_NO_THROW(static_cast<void>(train(spirals.examples(), training_of(8, 4))));
  const Examples examples = spirals.examples();
  EXPECT_THAT(
      message_of<InvalidArgument>([&] {
        static_cast<void>(bootstrap_predictions(examples, training_of(8, 4), examples.inputs));
      }),
      HasSubstr("replicates of a bootstrap need independent members; omit share"));
}

}  // namespace share_test
}  // namespace bootfold::ensemble
