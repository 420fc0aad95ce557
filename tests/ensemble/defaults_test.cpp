// Automatic options: the values that the rows give them, the plan that shows them, early stopping
// by default, and progress by steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stop_token>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/training_plan.h"
#include "bootfold/error.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace defaults_test {

using testing::HasSubstr;

/// Classes that do not depend on the inputs.
struct Noise {
  explicit Noise(std::size_t rows) {
    random::Stream stream({.seed = 5});
    std::vector<std::int32_t> label;
    for (std::size_t i = 0; i < rows; ++i) label.push_back(random::uniform(stream) < 0.5 ? 0 : 1);
    classes = data::labels(label);
    for (std::vector<double>& column : columns)
      for (std::size_t i = 0; i < rows; ++i) column.push_back(random::normal(stream));
  }
  [[nodiscard]] Examples examples() const {
    return {DataView(std::vector<ColumnView>(columns.begin(), columns.end())), &classes};
  }
  std::vector<std::vector<double>> columns = std::vector<std::vector<double>>(10);
  data::Labels classes;
};

// The table of docs/ensembles.md.
TEST(Defaults, FollowTheNumberOfRows) {
  struct Row {
    std::size_t rows;
    std::size_t batch;
    std::uint64_t steps;
    std::uint64_t validations;
  };
  for (const Row& row : {Row{20, 20, 2'000, 100}, Row{32, 32, 2'000, 100}, Row{150, 32, 2'000, 100},
                         Row{1'000, 32, 3'125, 100}, Row{4'096, 64, 6'400, 100},
                         Row{10'000, 128, 7'813, 100}, Row{20'000, 256, 7'813, 100},
                         Row{100'000, 256, 20'000, 52}, Row{1'000'000, 256, 20'000, 6}}) {
    SCOPED_TRACE(row.rows);
    const Spirals spirals(row.rows);
    const TrainingPlan found = plan(spirals.examples(), {});
    EXPECT_EQ(found.rows, row.rows);
    EXPECT_EQ(found.inputs, 2U);
    EXPECT_EQ(found.members, 100U);
    EXPECT_EQ(found.patience, 10U);
    ASSERT_EQ(found.settings.size(), 1U);
    EXPECT_EQ(found.settings[0].batch_rows, row.batch);
    EXPECT_EQ(found.settings[0].steps, row.steps);
    EXPECT_EQ(found.settings[0].validations, row.validations);
    EXPECT_EQ(found.settings[0].settings.learning_rate, 1e-2);
    EXPECT_EQ(found.settings[0].settings.schedule, Schedule::cosine);
    EXPECT_EQ(found.settings[0].layers, (std::vector<std::size_t>{2, 32, 2}));
    EXPECT_EQ(found.settings[0].parameters, 162U);
  }
}

TEST(Defaults, FollowTheOptions) {
  const Spirals spirals(1000);
  const auto with = [&](auto&& change) {
    Training training;
    change(training);
    return plan(spirals.examples(), training);
  };
  EXPECT_EQ(with([](Training& t) { t.settings[0].optimizer = Optimizer::sgd; })
                .settings[0]
                .settings.learning_rate,
            3e-2);
  // Half of the rows make half the steps of an epoch, and 2,000 are the fewest.
  const TrainingPlan half = with([](Training& t) { t.resampling = Resampling::subsample; });
  EXPECT_EQ(half.settings[0].steps, 2000U);
  EXPECT_EQ(half.patience, 10U);
  // A length that is given is the length.
  for (const TrainingPlan& given : {with([](Training& t) { t.steps = 77; }),
                                    with([](Training& t) { t.epochs = 77.0 * 32 / 1000; })}) {
    EXPECT_EQ(given.patience, 0U);
    EXPECT_EQ(given.settings[0].steps, 77U);
    EXPECT_EQ(given.settings[0].validations, 0U);
  }
  EXPECT_EQ(with([](Training& t) { t.stopping.patience = 0; }).patience, 0U);
  const TrainingPlan often = with([](Training& t) {
    t.epochs = 20;
    t.stopping = {.patience = 3, .look_every = 0.5};
  });
  EXPECT_EQ(often.patience, 3U);
  EXPECT_EQ(often.settings[0].validations, 40U);
  // Members that are trained on all rows have none to validate on, unless some are given.
  for (const Resampling resampling : {Resampling::none, Resampling::bayesian})
    EXPECT_EQ(with([&](Training& t) { t.resampling = resampling; }).patience, 0U);
  EXPECT_EQ(with([](Training& t) {
              t.resampling = Resampling::subsample;
              t.settings[0].subsample = 1;
            }).patience,
            0U);
  const Examples validation = spirals.examples();
  EXPECT_EQ(with([&](Training& t) {
              t.resampling = Resampling::none;
              t.validation = &validation;
            }).patience,
            10U);
  // A training that may go on has no last step at which the rate could be 0.
  EXPECT_EQ(with([](Training& t) { t.keep_optimizer = true; }).settings[0].settings.schedule,
            Schedule::constant);
  EXPECT_THROW(static_cast<void>(with([](Training& t) { t.members = 0; })), InvalidArgument);
}

TEST(Plan, IsWhatTheTrainingDoes) {
  const Spirals spirals(150);
  Training training{.members = 20};
  training.settings.resize(2);
  training.settings[1].architecture.hidden = {8, 8};
  training.settings[1].optimizer = Optimizer::sgd;
  const TrainingPlan planned = plan(spirals.examples(), training);
  const Ensemble trained = train(spirals.examples(), training);
  ASSERT_EQ(trained.size(), 40U);
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_EQ(trained.frame().settings[s], planned.settings[s].settings);
    EXPECT_EQ(trained.parameters(20 * s).size(), planned.settings[s].parameters);
  }
  for (std::size_t m = 0; m < trained.size(); ++m)
    EXPECT_LE(trained.member(m).steps, planned.settings[trained.member(m).settings].steps);
  // To the bit what the same values give if they are written down.
  Training written = training;
  for (std::size_t s = 0; s < 2; ++s) written.settings[s] = planned.settings[s].settings;
  written.steps = planned.settings[0].steps;
  written.stopping.patience = planned.patience;
  const Ensemble same = train(spirals.examples(), written);
  for (std::size_t m = 0; m < trained.size(); ++m) {
    EXPECT_EQ(same.member(m).steps, trained.member(m).steps);
    EXPECT_TRUE(std::ranges::equal(same.parameters(m), trained.parameters(m)));
  }
}

TEST(Plan, ExplainsItselfInOneLine) {
  const Spirals spirals(10'000);
  TrainingPlan found = plan(spirals.examples(), {});
  EXPECT_GT(found.seconds, 0);
  found.seconds = 12;
  EXPECT_EQ(found.explain(),
            "10,000 rows, 2 inputs; 100 networks 2-32-2 of 162 parameters; up to 7,813 steps each, "
            "batches of 128, learning rate 0.01, early stopping with patience 10; about 12 s or "
            "less");
  Training training{.members = 1, .steps = 500};
  training.settings.resize(2);
  training.settings[1].architecture.hidden = {8};
  training.settings[1].learning_rate = 1e-3;
  found = plan(spirals.examples(), training);
  found.seconds = 0.5;
  EXPECT_EQ(found.explain(),
            "10,000 rows, 2 inputs; 2 networks of 2 settings of 42 to 162 parameters; 500 steps "
            "each, batches of 128, learning rate 0.001 to 0.01; about 0.50 s");
}

// Of three rows, 2 of 9 members draw all: their expected number of 40 is 8.9, and none or all of
// them are drawn less than once in 10,000 seeds. The seed is fixed.
TEST(EarlyStopping, NeedsRowsThatTheMemberIsNotTrainedOn) {
  const std::vector<double> x = {-1, 0, 1};
  const std::vector<double> y = {3, -2, 7};
  const Examples examples{DataView(x), nullptr, DataView(y)};
  Training training{.members = 40};
  training.settings[0].architecture.hidden = {4};
  const Ensemble trained = train(examples, training);
  std::size_t whole = 0;
  std::size_t early = 0;
  for (std::size_t m = 0; m < trained.size(); ++m) {
    if (std::isnan(trained.member(m).held_out_loss)) {
      ++whole;
      EXPECT_EQ(trained.member(m).steps, 2000U);
    } else {
      early += trained.member(m).steps < 2000 ? 1U : 0U;
    }
  }
  EXPECT_GT(whole, 0U);
  EXPECT_GT(early, 0U);
}

// Nothing can be learned from 2,000 rows of noise, so the held-out loss is lowest in the first
// epochs. Without early stopping the default would be 6,250 steps.
TEST(EarlyStopping, StopsMembersOnNoise) {
  const Noise noise(2000);
  const TrainingPlan planned = plan(noise.examples(), {.members = 20});
  EXPECT_EQ(planned.settings[0].steps, 6250U);
  std::uint64_t epochs = 0;
  Training training{.members = 20};
  training.epoch_done = [&](std::span<const MemberEpoch> done) {
    for (const MemberEpoch& each : done) epochs = std::max(epochs, each.epoch);
    return true;
  };
  const Ensemble trained = train(noise.examples(), training);
  for (std::size_t m = 0; m < trained.size(); ++m) {
    EXPECT_LT(trained.member(m).steps, 1250U) << m;  // 20 epochs
    EXPECT_GE(trained.member(m).held_out_loss, 0.68) << m;
  }
  EXPECT_LE(epochs, 40U);  // of 100
  EXPECT_THAT(planned.explain(), HasSubstr("early stopping with patience 10"));
}

// The first callback comes after a tenth of a second, in which no member is done: the pack takes
// about a second, and the large network longer.
TEST(Progress, RisesBeforeTheFirstMemberIsDone) {
  const Spirals spirals(100);
  for (const std::vector<std::size_t>& hidden : {std::vector<std::size_t>{8}, {512, 512}}) {
    SCOPED_TRACE(hidden.size());
    Training training{.members = 1, .steps = 5'000'000};
    training.settings[0].architecture.hidden = hidden;
    std::stop_source stop;
    std::vector<double> done;
    training.execution.stop = stop.get_token();
    training.execution.progress = [&](execution::Progress progress) {
      done.push_back(progress.done);
      EXPECT_EQ(progress.total, 1);
      if (done.size() == 2) stop.request_stop();
    };
    EXPECT_THROW(static_cast<void>(train(spirals.examples(), training)), Cancelled);
    ASSERT_EQ(done.size(), 2U);
    EXPECT_GT(done[0], 0);
    EXPECT_GT(done[1], done[0]);
    EXPECT_LT(done[1], 1);
  }
}

}  // namespace defaults_test
}  // namespace bootfold::ensemble
