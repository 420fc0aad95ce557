// Summaries of settings, selection of the best members, and joined ensembles.
#include "bootfold/ensemble/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "bootfold/ensemble/evaluation.h"
#include "bootfold/error.h"
#include "data/temp_file.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace selection_test {

using testing_data::message_of;
using testing_data::says;

bool same(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

Training two_rates(std::size_t members) {
  Training training{.members = members, .epochs = 20};
  training.settings.resize(2);
  training.settings[0].learning_rate = 1e-3;
  training.settings[1].learning_rate = 3e-2;
  for (Settings& settings : training.settings) {
    settings.schedule = Schedule::constant;
    settings.batch_size = 32;
    settings.architecture.hidden = {8};
  }
  return training;
}

TEST(SettingsSummary, HasMeansAndDeviationsOverMembers) {
  Ensemble::Frame frame;
  frame.settings.resize(3);
  const std::vector<Member> members = {{.settings = 1, .steps = 10, .loss = 1, .held_out_loss = 2},
                                       {.settings = 1, .steps = 20, .loss = 3, .held_out_loss = 6},
                                       {.settings = 0, .steps = 5, .loss = 4},
                                       {.settings = 1, .loss = 1e9, .failure = "diverged"}};
  const std::vector<SettingsSummary> found = summarize_settings(
      EnsembleAccess::make(frame, members, std::vector<std::vector<float>>(4), 0));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1].members, 3U);
  EXPECT_EQ(found[1].failed, 1U);
  EXPECT_EQ(found[1].loss.mean, 2);
  EXPECT_DOUBLE_EQ(found[1].loss.deviation, std::sqrt(2.0));
  EXPECT_EQ(found[1].held_out_loss.mean, 4);
  EXPECT_DOUBLE_EQ(found[1].held_out_loss.deviation, std::sqrt(8.0));
  EXPECT_EQ(found[1].steps.mean, 15);
  EXPECT_EQ(found[0].loss.mean, 4);
  EXPECT_TRUE(std::isnan(found[0].loss.deviation));
  EXPECT_TRUE(std::isnan(found[0].held_out_loss.mean));
  EXPECT_EQ(found[2].members, 0U);
  EXPECT_TRUE(std::isnan(found[2].loss.mean));
}

TEST(OutOfBag, RecomputedPredictionMatchesTraining) {
  const Spirals spirals(90);
  const Ensemble trained = train(spirals.examples(), two_rates(20));
  const Prediction& expected = trained.out_of_bag();
  const Prediction again = out_of_bag(trained, spirals.examples());
  EXPECT_EQ(again.members, expected.members);
  ASSERT_EQ(again.mean.size(), expected.mean.size());
  // With several settings, chunks of members differ, so sums may be rounded differently.
  for (std::size_t i = 0; i < again.mean.size(); ++i)
    EXPECT_NEAR(again.mean[i], expected.mean[i], 1e-12);
  EXPECT_EQ(out_of_bag(trained, spirals.examples(), {.threads = 7}).mean,
            out_of_bag(trained, spirals.examples(), {.threads = 1}).mean);
}

TEST(Best, SelectsTheLowestHeldOutLosses) {
  const Spirals spirals(90);
  const Ensemble trained = train(spirals.examples(), two_rates(20));
  const Ensemble kept = best(trained, 7, spirals.examples());
  ASSERT_EQ(kept.size(), 7U);
  double worst = 0;
  for (std::size_t m = 0; m < kept.size(); ++m)
    worst = std::max(worst, kept.member(m).held_out_loss);
  std::size_t lower = 0;
  for (std::size_t m = 0; m < trained.size(); ++m)
    lower += trained.member(m).held_out_loss <= worst ? 1U : 0U;
  EXPECT_EQ(lower, 7U);
  // Its out-of-bag prediction is its own: at most 7 members predict a row.
  EXPECT_EQ(kept.out_of_bag().rows, 90U);
  for (const std::uint64_t count : kept.out_of_bag().members) EXPECT_LE(count, 7U);
  const auto accuracy = [&](const Prediction& prediction) {
    return evaluate_classes(prediction, spirals.classes.codes).accuracy;
  };
  EXPECT_GT(accuracy(kept.out_of_bag()), 0.6);
}

TEST(Best, EstimatesItsOwnNoise) {
  random::Stream stream({.seed = 3});
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 200; ++i) {
    x.push_back(random::normal(stream));
    y.push_back(5 * x.back() + 2 * random::normal(stream));
  }
  const Examples examples{DataView(x), nullptr, DataView(y)};
  Training training = two_rates(10);
  training.settings[0].learning_rate = 1e-5;  // learns nothing: what is left looks like noise
  const Ensemble trained = train(examples, training);
  const Ensemble kept = best(trained, 10, examples);
  EXPECT_EQ(kept.member(0).settings, 1U);
  // 4 and a little more, of 200 rows: the standard error of a variance is 0.4.
  EXPECT_NEAR(kept.frame().noise[0], 4.2, 1.6);
  EXPECT_GT(trained.frame().noise[0], 1.5 * kept.frame().noise[0]);
}

TEST(Join, MatchesOneTraining) {
  const Spirals spirals(90);
  const Ensemble whole = train(spirals.examples(), two_rates(21));
  std::vector<Ensemble> parts;
  for (const auto& [first, count] : {std::pair{0, 16}, {16, 5}}) {
    Training training = two_rates(count);
    training.first_member = first;
    parts.push_back(train(spirals.examples(), training));
  }
  const Ensemble joined = join(parts, spirals.examples());
  ASSERT_EQ(joined.size(), whole.size());
  for (std::size_t m = 0; m < whole.size(); ++m) {
    EXPECT_TRUE(same(joined.parameters(m), whole.parameters(m))) << m;
    EXPECT_EQ(joined.member(m).number, whole.member(m).number);
    EXPECT_EQ(joined.member(m).held_out_loss, whole.member(m).held_out_loss);
  }
  EXPECT_EQ(joined.out_of_bag().members, whole.out_of_bag().members);
  EXPECT_EQ(joined.predict(spirals.examples().inputs).mean,
            whole.predict(spirals.examples().inputs).mean);
}

TEST(Selection, RejectsInvalidArguments) {
  const Spirals spirals(60);
  const Ensemble trained = train(spirals.examples(), two_rates(2));
  const auto refuses = [](auto&& act) {
    return message_of<InvalidArgument>([&] { static_cast<void>(act()); });
  };
  EXPECT_TRUE(
      says(refuses([&] { return best(trained, 5, spirals.examples()); }), "count is 5", "4"));
  EXPECT_TRUE(says(refuses([&] { return best(trained, 0, spirals.examples()); }), "count is 0"));
  const Spirals others(61);
  EXPECT_TRUE(says(refuses([&] { return out_of_bag(trained, others.examples()); }), "61", "60"));
  const std::vector<Ensemble> twice = {trained, trained};
  EXPECT_TRUE(
      says(refuses([&] { return join(twice, spirals.examples()); }), "member 0", "first_member"));
  EXPECT_TRUE(says(refuses([&] { return join({}, spirals.examples()); }), "no parts"));
  Training training = two_rates(2);
  training.seed = 2;
  const std::vector<Ensemble> strangers = {trained, train(spirals.examples(), training)};
  EXPECT_TRUE(says(refuses([&] { return join(strangers, spirals.examples()); }), "part 1"));
  training.resampling = Resampling::none;
  const Ensemble all = train(spirals.examples(), training);
  EXPECT_TRUE(says(refuses([&] { return out_of_bag(all, spirals.examples()); }), "none"));
}

}  // namespace selection_test
}  // namespace bootfold::ensemble
