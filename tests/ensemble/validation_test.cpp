// Validation of members on rows of another set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/evaluation.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/ensemble/streaming.h"
#include "bootfold/error.h"
#include "data/temp_file.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace validation_test {

using testing_data::message_of;
using testing_data::says;

bool same(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

Training training_of(const Examples& validation, std::size_t members) {
  Training training{.members = members, .steps = 40};
  training.settings[0].architecture.hidden = {8};
  training.settings[0].learning_rate = 0.03;
  training.settings[0].schedule = Schedule::constant;
  training.validation = &validation;
  return training;
}

/// NLL of one member, from its prediction and scores.
double nll(const Ensemble& ensemble, std::size_t member, const Examples& examples,
           const std::optional<ColumnView>& weights = std::nullopt) {
  const Ensemble one = ensemble.subset(std::vector{member});
  return evaluate_classes(one.predict(examples.inputs),
                          class_codes(ensemble.frame(), *examples.classes), weights)
      .negative_log_likelihood;
}

TEST(Validation, LossIsThatOfEachMember) {
  const Spirals spirals(90);
  const Spirals others(70, 0.1, 5);
  for (const Resampling resampling : {Resampling::bootstrap, Resampling::none}) {
    const Examples validation = others.examples();
    Training training = training_of(validation, 25);
    training.resampling = resampling;
    const Ensemble trained = train(spirals.examples(), training);
    for (std::size_t m = 0; m < trained.size(); ++m)
      EXPECT_NEAR(trained.member(m).held_out_loss, nll(trained, m, validation), 1e-5);
    // Out-of-bag predictions are not affected.
    training.validation = nullptr;
    const Ensemble without = train(spirals.examples(), training);
    EXPECT_EQ(trained.out_of_bag().mean, without.out_of_bag().mean);
    EXPECT_TRUE(same(trained.parameters(3), without.parameters(3)));
  }
}

// The last class alone: in its own set of rows it has number 0.
TEST(Validation, MatchesClassesByNameAndUsesWeights) {
  const Spirals spirals(90);
  Spirals others(40, 0.1, 5);
  others.classes = data::labels(std::vector<std::int32_t>(40, 1));
  std::vector<double> weights(40, 0.0);
  for (std::size_t row = 0; row < 10; ++row) weights[row] = 1.0 + static_cast<double>(row);
  Examples validation = others.examples();
  validation.weights = ColumnView(weights);
  const Ensemble trained = train(spirals.examples(), training_of(validation, 3));
  for (std::size_t m = 0; m < trained.size(); ++m)
    EXPECT_NEAR(trained.member(m).held_out_loss, nll(trained, m, validation, ColumnView(weights)),
                1e-5);
}

TEST(Validation, RegressionLossIsInScaledUnits) {
  const Spirals spirals(90);
  const Spirals others(50, 0.1, 5);
  const Examples examples{DataView(spirals.x), nullptr, DataView(spirals.y)};
  const Examples validation{DataView(others.x), nullptr, DataView(others.y)};
  const Ensemble trained = train(examples, training_of(validation, 3));
  const double scale = trained.frame().target_scaling.scale[0];
  for (std::size_t m = 0; m < trained.size(); ++m) {
    const Prediction prediction = trained.subset(std::vector{m}).predict(validation.inputs);
    const double error =
        evaluate_targets(prediction, validation.targets)[0].root_mean_squared_error / scale;
    EXPECT_NEAR(trained.member(m).held_out_loss, error * error, 1e-5);
  }
}

// Trainings with every number of steps give the losses of all validations; the rule of Stopping
// applied to them gives the step at which each member must have stopped.
TEST(Validation, StopsMembersAtTheLowestLoss) {
  const Spirals spirals(60, 0.2);
  const Spirals others(80, 0.2, 9);
  const Examples validation = others.examples();
  constexpr std::size_t kMembers = 4;
  constexpr std::uint64_t kSteps = 60;
  Training training = training_of(validation, kMembers);
  training.resampling = Resampling::none;
  training.settings[0].batch_size = 0;  // an epoch is a step
  training.settings[0].learning_rate = 0.3;
  std::vector<std::vector<double>> losses(kMembers);
  for (std::uint64_t steps = 1; steps <= kSteps; ++steps) {
    training.steps = steps;
    const Ensemble trained = train(spirals.examples(), training);
    for (std::size_t m = 0; m < kMembers; ++m) losses[m].push_back(trained.member(m).held_out_loss);
  }
  training.steps = kSteps;
  training.stopping = {.patience = 3, .look_every = 1};
  const Ensemble stopped = train(spirals.examples(), training);
  std::size_t early = 0;
  for (std::size_t m = 0; m < kMembers; ++m) {
    std::size_t best = 0;
    for (std::size_t look = 1; look < kSteps && look <= best + 3; ++look)
      if (losses[m][look] < losses[m][best]) best = look;
    EXPECT_EQ(stopped.member(m).steps, best + 1) << m;
    EXPECT_EQ(stopped.member(m).held_out_loss, losses[m][best]) << m;
    early += best + 1 < kSteps ? 1U : 0U;
  }
  EXPECT_GT(early, 0U);
}

TEST(Validation, MemberDoesNotDependOnOtherMembers) {
  const Spirals spirals(120, 0.2);
  const Spirals others(300, 0.2, 9);
  const Examples validation = others.examples();
  for (const Resampling resampling : {Resampling::bootstrap, Resampling::bayesian})
    for (const std::vector<std::size_t>& hidden : {std::vector<std::size_t>{8}, {60, 60}}) {
      Training training = training_of(validation, 20);
      training.steps = 0;
      training.epochs = 20;
      training.resampling = resampling;
      training.stopping = {.patience = 2, .look_every = 1};
      training.settings[0].architecture.hidden = hidden;
      training.execution.threads = 7;
      const Ensemble many = train(spirals.examples(), training);
      for (const std::uint64_t member : {0U, 15U, 16U, 19U}) {
        training.members = 1;
        training.first_member = member;
        training.execution.threads = 1;
        const Ensemble alone = train(spirals.examples(), training);
        EXPECT_TRUE(same(many.parameters(member), alone.parameters(0))) << member;
        EXPECT_EQ(many.member(member).steps, alone.member(0).steps);
        EXPECT_EQ(many.member(member).held_out_loss, alone.member(0).held_out_loss);
      }
    }
}

TEST(Validation, RanksMembersTrainedOnAllRows) {
  const Spirals spirals(90);
  const Spirals others(70, 0.1, 5);
  const Examples validation = others.examples();
  Training training = training_of(validation, 6);
  training.resampling = Resampling::none;
  training.settings.push_back(training.settings[0]);
  training.settings[1].learning_rate = 1e-5;  // learns nothing
  const Ensemble trained = train(spirals.examples(), training);
  const std::vector<SettingsSummary> summaries = summarize_settings(trained);
  EXPECT_LT(summaries[0].held_out_loss.mean, summaries[1].held_out_loss.mean);
  const Ensemble kept = best(trained, 6, spirals.examples());
  for (std::size_t m = 0; m < 6; ++m) EXPECT_EQ(kept.member(m).settings, 0U);
}

TEST(Validation, AppliesToStreamedMembers) {
  const Spirals spirals(90);
  const Spirals others(70, 0.1, 5);
  const Examples validation = others.examples();
  const Training training = training_of(validation, 20);
  const Ensemble kept = train(spirals.examples(), training);
  double mean = 0;
  for (std::size_t m = 0; m < 20; ++m) mean += kept.member(m).held_out_loss / 20;
  EXPECT_NEAR(train_and_predict(spirals.examples(), training, validation.inputs).held_out_loss,
              mean, 1e-12);
}

TEST(Validation, RejectsRowsThatDoNotFit) {
  const Spirals spirals(60);
  const Spirals others(30, 0.1, 5);
  const auto complaint = [&](const Examples& validation) -> std::string {
    try {
      static_cast<void>(train(spirals.examples(), training_of(validation, 1)));
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const Examples good = others.examples();
  EXPECT_EQ(complaint(good), "");
  const data::Labels strange = data::labels(std::vector<std::int32_t>(30, 7));
  EXPECT_TRUE(says(complaint({good.inputs, &strange}), "class '7'", "'0', '1'"));
  EXPECT_TRUE(says(complaint({DataView(others.x), good.classes}), "1 columns", "2"));
  EXPECT_TRUE(says(complaint({good.inputs, nullptr, DataView(others.x)}), "classes"));
  const data::Labels few = data::labels(std::vector<std::int32_t>(29, 1));
  EXPECT_TRUE(says(complaint({good.inputs, &few}), "30 rows", "29"));
  const std::vector<double> none;
  const data::Labels nobody;
  EXPECT_TRUE(
      says(complaint({DataView({ColumnView(none), ColumnView(none)}), &nobody}), "no rows"));
}

// With 1, 2 and 7 threads, the callback is called once for every member, with its outcome.
TEST(FinishedCallback, IsCalledForEveryMember) {
  const Spirals spirals(60);
  for (const unsigned threads : {1U, 2U, 7U}) {
    Training training{.members = 40, .steps = 3};
    training.execution.threads = threads;
    std::vector<std::size_t> told(40);
    std::vector<double> losses(40);
    training.finished = [&](const Member& member) {
      ++told[member.number];
      losses[member.number] = member.held_out_loss;
    };
    const Ensemble trained = train(spirals.examples(), training);
    EXPECT_EQ(told, std::vector<std::size_t>(40, 1));
    for (std::size_t m = 0; m < 40; ++m) EXPECT_EQ(losses[m], trained.member(m).held_out_loss);
  }
}

}  // namespace validation_test
}  // namespace bootfold::ensemble
