// Trainings that go on from trained members, reports of epochs, and members with other parameters.
#include "bootfold/ensemble/continuation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <mutex>

#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/error.h"
#include "ensemble/spirals.h"
#include "statistic/reference.h"

namespace bootfold::ensemble {
namespace continuation_test {

using testing::HasSubstr;

struct Rows {
  std::vector<double> x = reference::normals(120, 1);
  std::vector<double> z = reference::normals(120, 2);
  std::vector<double> y = std::vector<double>(120);
  Rows() {
    for (std::size_t row = 0; row < y.size(); ++row) y[row] = x[row] * z[row] + 0.1 * z[row];
  }
  [[nodiscard]] Examples examples() const {
    return {.inputs = DataView({ColumnView(x), ColumnView(z)}, {"x", "z"}),
            .targets = DataView({ColumnView(y)}, {"y"})};
  }
};

Training training_of(Optimizer optimizer, std::vector<std::size_t> hidden) {
  Training training{.members = 20, .steps = 37, .seed = 3, .keep_optimizer = true};
  training.settings[0].architecture.hidden = std::move(hidden);
  training.settings[0].optimizer = optimizer;
  training.settings[0].weight_decay = 0.01;
  training.settings[0].learning_rate = 0.01;
  return training;
}

void expect_same(const Ensemble& a, const Ensemble& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t m = 0; m < a.size(); ++m) {
    EXPECT_EQ(a.member(m).steps, b.member(m).steps);
    EXPECT_EQ(a.member(m).loss, b.member(m).loss);
    EXPECT_EQ(a.member(m).held_out_loss, b.member(m).held_out_loss);
    EXPECT_TRUE(std::ranges::equal(a.parameters(m), b.parameters(m))) << "member " << m;
  }
  EXPECT_EQ(a.out_of_bag().mean, b.out_of_bag().mean);
}

// Networks of 8 units are trained in packs, those of 64 x 64 one by one; two settings share packs.
TEST(Continuation, TwoTrainingsAreOneOfTheirLengthToTheBit) {
  const Rows rows;
  for (const Optimizer optimizer : {Optimizer::adam, Optimizer::adamw, Optimizer::sgd})
    for (const auto& hidden : {std::vector<std::size_t>{8}, std::vector<std::size_t>{64, 64}})
      for (const bool reshuffle : {false, true}) {
        SCOPED_TRACE(testing::Message() << name(optimizer) << " " << hidden[0] << reshuffle);
        Training training = training_of(optimizer, hidden);
        training.reshuffle = reshuffle;
        training.settings.push_back(training.settings[0]);
        training.settings[1].learning_rate = 0.003;
        training.settings[1].clip = 0.5;
        const Ensemble half = train(rows.examples(), training);
        training.start = &half;
        const Ensemble both = train(rows.examples(), training);
        training.start = nullptr;
        training.steps *= 2;
        expect_same(both, train(rows.examples(), training));
        EXPECT_EQ(both.member(0).steps, 74U);
      }
}

// Dropout masks go by the number of the step, and the state keeps what is averaged.
TEST(Continuation, DropoutAndAveragesGoOn) {
  const Rows rows;
  for (const auto& hidden : {std::vector<std::size_t>{8, 8}, std::vector<std::size_t>{64, 64}}) {
    Training training = training_of(Optimizer::adamw, hidden);
    training.settings[0].architecture.layer_norm = true;
    training.settings[0].architecture.residual = true;
    training.settings[0].dropout = 0.2;
    training.settings.push_back(training.settings[0]);
    training.settings[1].average = 0.95;
    const Ensemble half = train(rows.examples(), training);
    training.start = &half;
    const Ensemble both = train(rows.examples(), training);
    training.start = nullptr;
    training.steps *= 2;
    expect_same(both, train(rows.examples(), training));
    EXPECT_FALSE(std::ranges::equal(both.parameters(0), both.parameters(20)));
    // Without the state, the averages are where it goes on.
    training.steps = 1;
    training.keep_optimizer = false;
    training.settings[0].learning_rate = training.settings[1].learning_rate = 1e-30;
    training.settings[0].weight_decay = training.settings[1].weight_decay = 0;
    Training again = training_of(Optimizer::adamw, hidden);
    again.settings = training.settings;
    again.settings[0].learning_rate = again.settings[1].learning_rate = 0.01;
    again.keep_optimizer = false;
    const Ensemble stateless = train(rows.examples(), again);
    training.start = &stateless;
    const Ensemble still = train(rows.examples(), training);
    for (std::size_t m = 0; m < still.size(); ++m)
      EXPECT_TRUE(std::ranges::equal(still.parameters(m), stateless.parameters(m)));
  }
}

TEST(Continuation, WithoutTheOptimizerItsStateBeginsAnew) {
  const Rows rows;
  Training training = training_of(Optimizer::adam, {8});
  training.keep_optimizer = false;
  const Ensemble half = train(rows.examples(), training);
  training.start = &half;
  const Ensemble both = train(rows.examples(), training);
  training.start = nullptr;
  training.steps *= 2;
  const Ensemble whole = train(rows.examples(), training);
  EXPECT_EQ(both.member(0).steps, whole.member(0).steps);
  EXPECT_FALSE(std::ranges::equal(both.parameters(0), whole.parameters(0)));
  // Steps of 0 change nothing, so both start from the same parameters.
  training = training_of(Optimizer::sgd, {8});
  training.settings[0].learning_rate = 1e-30;
  training.start = &half;
  EXPECT_THROW(static_cast<void>(train(rows.examples(), training)), InvalidArgument);
  training = training_of(Optimizer::adam, {8});
  training.settings[0].learning_rate = 1e-30;
  training.settings[0].weight_decay = 0;
  training.start = &half;
  EXPECT_TRUE(
      std::ranges::equal(train(rows.examples(), training).parameters(3), half.parameters(3)));
}

TEST(Continuation, OtherRowsKeepTheScaling) {
  const Rows rows;
  Rows more;
  for (double& value : more.x) value = 5 * value + 100;
  Training training = training_of(Optimizer::adam, {8});
  const Ensemble first = train(rows.examples(), training);
  training.start = &first;
  const Ensemble both = train(more.examples(), training);
  EXPECT_EQ(both.frame().input_scaling.mean, first.frame().input_scaling.mean);
  EXPECT_EQ(both.frame().target_scaling.scale, first.frame().target_scaling.scale);
  EXPECT_EQ(both.frame().input_range.low[0], first.frame().input_range.low[0]);
  EXPECT_EQ(both.frame().input_range.high[0], std::ranges::max(more.x));
}

TEST(Continuation, RefusesWhatDoesNotFit) {
  const Rows rows;
  const Training training = training_of(Optimizer::adam, {8});
  const Ensemble first = train(rows.examples(), training);
  const auto message = [&](auto&& change) {
    Training other = training;
    other.start = &first;
    change(other);
    try {
      static_cast<void>(train(rows.examples(), other));
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message([](Training& t) { t.members = 3; }), HasSubstr("the number of members"));
  EXPECT_THAT(message([](Training& t) { t.loss = Loss::gaussian; }), HasSubstr("the loss differs"));
  EXPECT_THAT(message([](Training& t) { t.first_member = 1; }), HasSubstr("numbering"));
  EXPECT_THAT(message([](Training& t) { t.settings[0].architecture.hidden = {9}; }),
              HasSubstr("the network differs; train a new one"));
  EXPECT_THAT(message([](Training& t) { t.checkpoint = "some"; }), HasSubstr("omit checkpoint"));
}

// 120 rows in batches of 32 are 3.75 steps an epoch.
TEST(Epochs, AreToldOfEveryMember) {
  const Rows rows;
  for (const auto& hidden : {std::vector<std::size_t>{8}, std::vector<std::size_t>{64, 64}}) {
    Training training = training_of(Optimizer::adam, hidden);
    training.steps = 0;
    training.epochs = 4;
    const Ensemble alone = train(rows.examples(), training);
    std::map<std::uint64_t, std::vector<MemberEpoch>> told;
    training.epoch_done = [&](std::span<const MemberEpoch> epochs) {
      for (const MemberEpoch& epoch : epochs) {
        EXPECT_EQ(epoch.step, epochs[0].step);
        told[epoch.number].push_back(epoch);
      }
      return true;
    };
    const Ensemble watched = train(rows.examples(), training);
    expect_same(watched, alone);  // a report changes nothing
    ASSERT_EQ(told.size(), 20U);
    for (const auto& [number, epochs] : told) {
      ASSERT_EQ(epochs.size(), 4U);
      const std::uint64_t steps[] = {4, 8, 11, 15};
      for (std::size_t e = 0; e < 4; ++e) {
        EXPECT_EQ(epochs[e].epoch, e + 1);
        EXPECT_EQ(epochs[e].step, steps[e]);
        EXPECT_TRUE(std::isfinite(epochs[e].loss));
      }
      // After the last step the held-out loss is that of the member.
      EXPECT_NEAR(epochs[3].held_out_loss, watched.member(number).held_out_loss, 1e-5);
    }
  }
}

TEST(Epochs, MembersStopWhenTheyAreTold) {
  const Rows rows;
  for (const auto& hidden : {std::vector<std::size_t>{8}, std::vector<std::size_t>{64, 64}}) {
    Training training = training_of(Optimizer::adam, hidden);
    training.steps = 40;
    training.epoch_done = [](std::span<const MemberEpoch> epochs) { return epochs[0].epoch < 3; };
    const Ensemble stopped = train(rows.examples(), training);
    training.epoch_done = {};
    training.steps = 11;
    expect_same(stopped, train(rows.examples(), training));
  }
}

TEST(Epochs, WithoutRowsThatAreHeldOutThereIsNoHeldOutLoss) {
  const Rows rows;
  Training training = training_of(Optimizer::adam, {8});
  training.resampling = Resampling::none;
  training.epoch_done = [](std::span<const MemberEpoch> epochs) {
    EXPECT_TRUE(std::isnan(epochs[0].held_out_loss));
    return true;
  };
  static_cast<void>(train(rows.examples(), training));
}

TEST(WithParameters, PredictsByThem) {
  const Rows rows;
  const Ensemble own = train(rows.examples(), training_of(Optimizer::adam, {8}));
  std::vector<std::vector<float>> parameters;
  for (std::size_t m = 0; m < own.size(); ++m)
    parameters.emplace_back(own.parameters(m).begin(), own.parameters(m).end());
  expect_same(with_parameters(own, parameters), own);
  for (auto& member : parameters) std::ranges::fill(member, 0.0F);
  for (auto& member : parameters) member.back() = 1;  // the bias of the output
  const Ensemble other = with_parameters(own, parameters);
  const Scaling& scaling = own.frame().target_scaling;
  for (const double mean : other.predict(rows.examples().inputs).mean)
    EXPECT_NEAR(mean, scaling.mean[0] + scaling.scale[0], 1e-6);
  EXPECT_EQ(other.frame().resampling, Resampling::none);
  EXPECT_TRUE(other.frame().noise.empty());
  EXPECT_EQ(other.out_of_bag().rows, 0U);
  EXPECT_THROW(static_cast<void>(jackknife_plus(other, rows.examples(), rows.examples().inputs)),
               InvalidArgument);
  parameters[2][0] = INFINITY;
  EXPECT_THROW(static_cast<void>(with_parameters(own, parameters)), InvalidArgument);
  parameters[2].pop_back();
  EXPECT_THROW(static_cast<void>(with_parameters(own, parameters)), InvalidArgument);
  parameters.pop_back();
  EXPECT_THROW(static_cast<void>(with_parameters(own, parameters)), InvalidArgument);
}

// Of 40 rows a share of 0.99 rounds to all, so none are left to validate a member on.
TEST(EpochCalls, HaveNoHeldOutLossWithoutHeldOutRows) {
  const Spirals spirals(40);
  for (const std::size_t share : {std::size_t{0}, std::size_t{4}}) {
    Training training{.members = 4, .epochs = 3, .resampling = Resampling::subsample};
    training.settings[0].subsample = 0.99;
    training.settings[0].batch_size = 8;
    training.share = share;
    int calls = 0;
    training.epoch_done = [&](std::span<const MemberEpoch> epochs) {
      for (const MemberEpoch& epoch : epochs) EXPECT_TRUE(std::isnan(epoch.held_out_loss));
      ++calls;
      return true;
    };
    static_cast<void>(train(spirals.examples(), training));
    EXPECT_GE(calls, 3);
  }
}

}  // namespace continuation_test
}  // namespace bootfold::ensemble
