// Training: accuracy, loss curves, divergence and invalid arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/error.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace train_test {

using testing::HasSubstr;

// Two spirals of 100 points, 2-32-2, Adam at 1e-3 on the full batch without standardising: the
// published runs end at a mean loss of 0.45 to 0.49 after 100 steps and 0.118 to 0.123 after 1000.
// Points and initial weights differ here, so the bounds are wider.
TEST(Spirals, AreLearnedAsFastAsByTheReference) {
  const Spirals spirals(100);
  Training training{.members = 32, .steps = 100};
  training.standardize = false;
  training.resampling = Resampling::none;
  training.settings[0].batch_size = 0;
  training.settings[0].learning_rate = 1e-3;
  training.settings[0].schedule = Schedule::constant;
  const auto loss_after = [&](std::uint64_t steps) {
    training.steps = steps;
    const Ensemble ensemble = train(spirals.examples(), {.hidden = {32}}, training);
    double sum = 0;
    for (std::size_t m = 0; m < ensemble.size(); ++m) sum += ensemble.member(m).loss;
    return sum / static_cast<double>(ensemble.size());
  };
  EXPECT_NEAR(loss_after(100), 0.47, 0.06);
  EXPECT_NEAR(loss_after(1000), 0.12, 0.05);
}

TEST(Spirals, AreClassifiedOutOfBag) {
  const Spirals spirals(400);
  Training training{.members = 50, .epochs = 300};
  training.settings[0].learning_rate = 1e-2;
  const Ensemble ensemble = train(spirals.examples(), {.hidden = {32}}, training);
  const Prediction& prediction = ensemble.out_of_bag();
  std::size_t right = 0;
  double members = 0;
  for (std::size_t row = 0; row < prediction.rows; ++row) {
    right += prediction.predicted_class(row) == spirals.classes.codes[row] ? 1U : 0U;
    members += static_cast<double>(prediction.members[row]);
    EXPECT_NEAR(prediction.probability(row, 0) + prediction.probability(row, 1), 1, 1e-12);
    EXPECT_GE(prediction.epistemic[row], 0);
    EXPECT_NEAR(prediction.total[row], prediction.aleatoric[row] + prediction.epistemic[row],
                1e-12);
  }
  EXPECT_GT(right, 370U);
  // Each row is out of bag for a share of 0.368 of the members.
  EXPECT_NEAR(members / 400 / 50, std::pow(1 - 1.0 / 400, 400), 0.02);
}

// 32 rows, or all rows of a member that has fewer; the ensemble keeps what was taken.
TEST(AutomaticBatch, FollowsTheRowsOfAMember) {
  const auto batch = [](std::size_t rows, Training training) {
    training.members = 1;
    training.steps = 2;
    const Spirals spirals(rows);
    return train(spirals.examples(), {.hidden = {2}}, training).frame().settings[0].batch_size;
  };
  EXPECT_EQ(batch(100, {}), 32U);
  EXPECT_EQ(batch(32, {}), 32U);
  EXPECT_EQ(batch(30, {}), Settings::kFullBatch);
  Training half;
  half.resampling = Resampling::subsample;
  EXPECT_EQ(batch(100, half), 32U);
  EXPECT_EQ(batch(40, half), Settings::kFullBatch);
}

TEST(LossCurve, HasOnePointPerEpochOnRequest) {
  const Spirals spirals(100);
  Training training{.members = 20, .epochs = 5};
  training.settings[0].batch_size = 0;
  EXPECT_TRUE(train(spirals.examples(), {.hidden = {4}}, training).member(0).curve.empty());
  training.curves = true;
  const Ensemble whole = train(spirals.examples(), {.hidden = {4}}, training);
  for (std::size_t m = 0; m < whole.size(); ++m) {
    ASSERT_EQ(whole.member(m).curve.size(), 5U);
    EXPECT_EQ(whole.member(m).curve.back(), static_cast<float>(whole.member(m).loss));
    EXPECT_LT(whole.member(m).curve.back(), whole.member(m).curve.front());
  }
  // 13 steps of 32 rows are 3 epochs of 4 steps (all 100 rows) and one step more.
  training.settings[0].batch_size = 32;
  training.steps = 13;
  EXPECT_EQ(train(spirals.examples(), {.hidden = {4}}, training).member(0).curve.size(), 4U);
  // 2000 epochs of one step: every point is the mean of two.
  training.settings[0].batch_size = 0;
  training.members = 1;
  training.steps = 2000;
  EXPECT_EQ(train(spirals.examples(), {.hidden = {4}}, training).member(0).curve.size(), 1000U);
}

TEST(Regression, RecoversALineAndItsNoise) {
  random::Stream stream({.seed = 3});
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 1000; ++i) {
    x.push_back(10 + 3 * random::normal(stream));
    y.push_back(100 + 5 * x.back() + 2 * random::normal(stream));
  }
  const Examples examples{DataView(x), nullptr, DataView({ColumnView(y)}, {"y"})};
  for (const Loss loss : {Loss::squared_error, Loss::gaussian}) {
    Training training{.members = 30, .epochs = 60};
    training.loss = loss;
    training.settings[0].learning_rate = 1e-2;
    const Ensemble ensemble = train(examples, {.hidden = {16}}, training);
    const std::vector<double> at = {7, 10, 13};
    const Prediction prediction = ensemble.predict(DataView(at));
    for (std::size_t i = 0; i < at.size(); ++i) {
      EXPECT_NEAR(prediction.mean[i], 100 + 5 * at[i], 1) << name(loss);
      EXPECT_NEAR(prediction.aleatoric[i], 2, 0.4) << name(loss);
      EXPECT_LT(prediction.epistemic[i], 1) << name(loss);
    }
  }
}

TEST(Divergence, FailsOnlyTheMember) {
  random::Stream stream({.seed = 3});
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 100; ++i) {
    x.push_back(random::normal(stream));
    y.push_back(x.back() * x.back());
  }
  Training training{.members = 3, .epochs = 50};
  training.settings.resize(2);
  for (Settings& settings : training.settings) settings.optimizer = Optimizer::sgd;
  training.settings[1].learning_rate = 1e6;
  const Ensemble ensemble = train({DataView(x), nullptr, DataView(y)}, training);
  for (std::size_t m = 0; m < 3; ++m) {
    EXPECT_EQ(ensemble.member(m).failure, "");
    EXPECT_THAT(ensemble.member(3 + m).failure, HasSubstr("1e+06"));
  }
  const Prediction prediction = ensemble.predict(DataView(x));
  EXPECT_EQ(prediction.members[0], 3U);
  EXPECT_TRUE(std::isfinite(prediction.mean[0]));
}

std::string complaint(const Examples& examples, const Training& training) {
  try {
    static_cast<void>(train(examples, training));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Train, RejectsInvalidArguments) {
  const Spirals spirals(50);
  const Examples good = spirals.examples();
  const auto with = [&](auto&& change) {
    Training training{.members = 1, .steps = 1};
    change(training);
    return complaint(good, training);
  };
  EXPECT_EQ(with([](Training&) {}), "");
  EXPECT_THAT(with([](Training& t) { t.settings[0].learning_rate = -1; }),
              HasSubstr("learning_rate is -1"));
  EXPECT_THAT(with([](Training& t) { t.epochs = -1; }), HasSubstr("epochs is -1"));
  EXPECT_THAT(with([](Training& t) { t.stopping.look_every = -1; }), HasSubstr("look_every is -1"));
  EXPECT_THAT(with([](Training& t) { t.settings[0].architecture.hidden = {0}; }),
              HasSubstr("hidden is 0"));
  EXPECT_THAT(with([](Training& t) { t.settings[0].batch_size = 51; }), HasSubstr("50"));
  EXPECT_THAT(with([](Training& t) { t.members = 0; }), HasSubstr("members is 0"));
  EXPECT_THAT(with([](Training& t) { t.loss = Loss::gaussian; }), HasSubstr("cross_entropy"));
  EXPECT_THAT(with([](Training& t) {
                t.resampling = Resampling::none;
                t.stopping.patience = 2;
              }),
              HasSubstr("patience is 2"));
  const data::Labels one = data::labels(std::vector<std::string>(50, "a"));
  EXPECT_THAT(complaint({good.inputs, &one}, {}), HasSubstr("'a'"));
  const std::vector<double> constant(50, 3.5);
  EXPECT_THAT(complaint({good.inputs, nullptr, DataView(constant)}, {}), HasSubstr("3.5"));
  std::vector<double> hole(50, 1.0);
  hole[17] = std::nan("");
  EXPECT_THAT(complaint({DataView(hole), &spirals.classes}, {}), HasSubstr("row 18"));
  EXPECT_THAT(complaint({DataView(std::vector<double>(49, 1.0)), &spirals.classes}, {}),
              HasSubstr("49"));
}

}  // namespace train_test
}  // namespace bootfold::ensemble
