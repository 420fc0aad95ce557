// Members that share the weights of their hidden layers: the gradient, and what a group decides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/reference.h"
#include "ensemble/shape.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace shared_trainer_test {

using testing::HasSubstr;

using Parameters = std::vector<std::vector<double>>;

Parameters parameters_of(const Ensemble& ensemble) {
  Parameters all;
  for (std::size_t m = 0; m < ensemble.size(); ++m)
    all.emplace_back(ensemble.parameters(m).begin(), ensemble.parameters(m).end());
  return all;
}

/// What is trained, in double: W of all members, r and s of hidden layers and the rest of each.
struct Shared {
  Shared(const Architecture& architecture, const Parameters& members)
      : shape(2, architecture, 1), own(members), weights(members[0]) {
    // At the start r of the first layer is 1 or -1, which the signs of its weights tell.
    for (const std::vector<double>& each : members) {
      std::vector<double> in;
      std::vector<double> out;
      for (std::size_t l = 0; l + 1 < shape.layers.size(); ++l) {
        const Layer& layer = shape.layers[l];
        for (std::size_t i = 0; i < layer.in; ++i)
          in.push_back(each[layer.weights + i] * members[0][layer.weights + i] > 0 ? 1 : -1);
        out.resize(out.size() + layer.out, 1);
      }
      r.push_back(in);
      s.push_back(out);
    }
  }

  [[nodiscard]] std::vector<double> composed(std::size_t member) const {
    std::vector<double> found = own[member];
    std::size_t in = 0;
    std::size_t out = 0;
    for (std::size_t l = 0; l + 1 < shape.layers.size(); ++l) {
      const Layer& layer = shape.layers[l];
      for (std::size_t j = 0; j < layer.out; ++j)
        for (std::size_t i = 0; i < layer.in; ++i)
          found[layer.weights + j * layer.in + i] =
              weights[layer.weights + j * layer.in + i] * s[member][out + j] * r[member][in + i];
      in += layer.in;
      out += layer.out;
    }
    return found;
  }

  Shape shape;
  Parameters own;
  std::vector<double> weights;
  Parameters r;
  Parameters s;
};

/// One step of sgd on all rows from the same start, against finite differences of the mean loss in
/// double. A rate of 1e-30 leaves the start as it is. Rounding to 24 bits is what differs.
void expect_step_of_gradient(std::size_t members, const Architecture& architecture) {
  const Spirals spirals(20);
  const Examples examples{DataView({ColumnView(spirals.x), ColumnView(spirals.y)}), nullptr,
                          DataView({ColumnView(spirals.y)})};
  Training training{.members = members, .steps = 1};
  training.share = members;
  training.resampling = Resampling::none;
  training.standardize = false;
  Settings& settings = training.settings[0];
  settings.architecture = architecture;
  settings.optimizer = Optimizer::sgd;
  settings.momentum = 0;
  settings.batch_size = Settings::kFullBatch;
  settings.learning_rate = 1e-30;
  Shared state(architecture, parameters_of(train(examples, training)));
  settings.learning_rate = 2;
  const Parameters found = parameters_of(train(examples, training));

  std::vector<std::size_t> sizes = {2};
  sizes.insert(sizes.end(), architecture.hidden.begin(), architecture.hidden.end());
  sizes.push_back(1);
  const auto loss = [&](std::size_t member) {
    double sum = 0;
    const reference::Network network{sizes, architecture.activation, state.composed(member),
                                     architecture.layer_norm, architecture.residual};
    for (std::size_t row = 0; row < spirals.x.size(); ++row)
      sum += reference::cost(Loss::squared_error, network({spirals.x[row], spirals.y[row]}),
                             {spirals.y[row]}) /
             static_cast<double>(spirals.x.size() * members);
    return sum;
  };
  Shared moved = state;
  // Only members first .. last - 1 depend on the list.
  const auto move = [&](std::vector<double>& list, std::vector<double>& result, std::size_t first,
                        std::size_t last) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const double value = list[i];
      double slope = 0;
      for (std::size_t m = first; m < last; ++m) {
        list[i] = value + 1e-6;
        slope += loss(m);
        list[i] = value - 1e-6;
        slope -= loss(m);
      }
      list[i] = value;
      result[i] = value - 2 * slope / 2e-6;
    }
  };
  move(state.weights, moved.weights, 0, members);
  for (std::size_t m = 0; m < members; ++m) {
    move(state.own[m], moved.own[m], m, m + 1);
    move(state.r[m], moved.r[m], m, m + 1);
    move(state.s[m], moved.s[m], m, m + 1);
  }
  double change = 0;
  for (std::size_t m = 0; m < members; ++m) {
    const std::vector<double> wanted = moved.composed(m);
    const std::vector<double> before = state.composed(m);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_NEAR(found[m][i], wanted[i], 3e-6) << "member " << m << ", parameter " << i;
      change = std::max(change, std::abs(wanted[i] - before[i]));
    }
  }
  EXPECT_GT(change, 0.01);
}

TEST(SharedTrainer, StepsAgainstTheGradientOfTheMeanLoss) {
  expect_step_of_gradient(3, {.hidden = {7}, .activation = Activation::silu});
  expect_step_of_gradient(
      5, {.hidden = {5, 5}, .activation = Activation::tanh, .layer_norm = true, .residual = true});
  // One and a part of the next 16 members, and more weights in a row than are added at a time.
  expect_step_of_gradient(18, {.hidden = {19, 3}, .activation = Activation::tanh});
}

Training training_of(std::size_t members, std::size_t share) {
  Training training{.members = members, .steps = 25};
  training.share = share;
  Settings& own = training.settings[0];
  own.architecture = {.hidden = {9, 9}, .activation = Activation::silu, .layer_norm = true};
  own.batch_size = 16;
  own.learning_rate = 0.01;
  own.dropout = 0.1;
  own.clip = 0.5;
  own.optimizer = Optimizer::adamw;
  own.weight_decay = 0.01;
  return training;
}

TEST(SharedTrainer, ThreadsAndSimdLevelsGiveTheSameBits) {
  const Spirals spirals(90);
  for (const std::size_t share : {3U, 8U, 21U})
    for (const Resampling resampling : {Resampling::bootstrap, Resampling::bayesian}) {
      SCOPED_TRACE(share);
      Training training = training_of(2 * share, share);
      training.resampling = resampling;
      training.settings.push_back(training.settings[0]);
      training.settings[1].average = 0.9;
      training.execution.level = execution::Level::portable;
      training.execution.threads = 1;
      const Parameters expected = parameters_of(train(spirals.examples(), training));
      EXPECT_NE(expected[0], expected[1]);
      EXPECT_NE(expected[0], expected[2 * share]);
      for (const execution::Level level : execution::available_levels())
        for (const unsigned threads : {1U, 2U}) {
          training.execution.level = level;
          training.execution.threads = threads;
          EXPECT_EQ(parameters_of(train(spirals.examples(), training)), expected)
              << execution::name(level);
        }
    }
}

TEST(SharedTrainer, GroupsAreTheSameByThemselves) {
  const Spirals spirals(80);
  Training training = training_of(12, 4);
  training.stopping = {.patience = 2, .look_every = 1};
  training.steps = 60;
  const Parameters all = parameters_of(train(spirals.examples(), training));
  training.members = 4;
  for (const std::size_t first : {0U, 4U, 8U}) {
    training.first_member = first;
    const Parameters group = parameters_of(train(spirals.examples(), training));
    for (std::size_t m = 0; m < 4; ++m) EXPECT_EQ(group[m], all[first + m]);
  }
}

// No weight of a group has seen its out-of-bag rows: other classes there change nothing.
TEST(SharedTrainer, OutOfBagRowsHaveNoPartInTheTraining) {
  for (const Resampling resampling : {Resampling::bootstrap, Resampling::subsample})
    for (const bool reshuffle : {false, true}) {
      Spirals spirals(60);
      Training training = training_of(5, 5);
      training.resampling = resampling;
      training.reshuffle = reshuffle;
      training.first_member = 10;
      const Ensemble before = train(spirals.examples(), training);
      std::size_t left_out = 0;
      std::size_t seen = 0;
      for (std::size_t row = 0; row < 60; ++row) {
        const std::uint64_t members = before.out_of_bag().members[row];
        EXPECT_TRUE(members == 0 || members == 5) << row;
        if (members > 0) spirals.classes.codes[row] ^= 1U;
        (members > 0 ? left_out : seen) = row;
      }
      EXPECT_EQ(parameters_of(train(spirals.examples(), training)), parameters_of(before));
      EXPECT_GT(left_out, 0U);
      spirals.classes.codes[seen] ^= 1U;
      EXPECT_NE(parameters_of(train(spirals.examples(), training)), parameters_of(before));
    }
}

TEST(SharedTrainer, LearnsAndPredictsOutOfBag) {
  const Spirals spirals(400, 0.05);
  Training training = training_of(32, 4);
  training.settings[0].dropout = 0;
  training.settings[0].architecture.hidden = {32, 32};
  training.steps = 1500;
  const Ensemble ensemble = train(spirals.examples(), training);
  std::size_t right = 0;
  std::size_t known = 0;
  for (std::size_t row = 0; row < 400; ++row) {
    if (ensemble.out_of_bag().members[row] == 0) continue;
    ++known;
    right += ensemble.out_of_bag().predicted_class(row) == spirals.classes.codes[row] ? 1 : 0;
  }
  // A row is in all of 8 resamples with probability (1 - 1/e)^8 = 0.026.
  EXPECT_GT(known, 370U);
  EXPECT_GT(static_cast<double>(right), 0.85 * static_cast<double>(known));
}

// Members of a group stop together, at the lowest mean of their losses; groups stop by themselves.
TEST(SharedTrainer, GroupsStopEarly) {
  const Spirals spirals(300, 0.3);
  Training training = training_of(20, 5);
  training.steps = 0;
  training.epochs = 60;
  training.settings[0].learning_rate = 0.03;
  training.stopping = {.patience = 2, .look_every = 1};
  std::map<std::uint64_t, std::pair<double, std::uint64_t>> lowest;  // of the group: loss, step
  training.epoch_done = [&](std::span<const MemberEpoch> epochs) {
    EXPECT_EQ(epochs.size(), 5U);
    double mean = 0;
    for (const MemberEpoch& epoch : epochs) mean += epoch.held_out_loss / 5;
    auto& low = lowest.try_emplace(epochs[0].number / 5, 1e9, 0).first->second;
    if (mean < low.first) low = {mean, epochs[0].step};
    return true;
  };
  const Ensemble ensemble = train(spirals.examples(), training);
  std::uint64_t fewest = ~std::uint64_t{0};
  std::uint64_t most = 0;
  for (std::size_t group = 0; group < 4; ++group) {
    double mean = 0;
    for (std::size_t m = group * 5; m < group * 5 + 5; ++m) {
      EXPECT_EQ(ensemble.member(m).steps, lowest.at(group).second);
      mean += ensemble.member(m).held_out_loss / 5;
    }
    EXPECT_NEAR(mean, lowest.at(group).first, 1e-5);
    fewest = std::min(fewest, lowest.at(group).second);
    most = std::max(most, lowest.at(group).second);
  }
  EXPECT_LT(fewest, most);
}

TEST(SharedTrainer, CallbacksStopGroups) {
  const Spirals spirals(90);
  Training training = training_of(5, 5);
  training.settings[0].batch_size = Settings::kFullBatch;
  training.settings[0].schedule = Schedule::constant;
  training.epoch_done = [](std::span<const MemberEpoch> epochs) { return epochs[0].epoch < 7; };
  const Parameters stopped = parameters_of(train(spirals.examples(), training));
  training.epoch_done = {};
  training.steps = 7;
  EXPECT_EQ(parameters_of(train(spirals.examples(), training)), stopped);
}

TEST(SharedTrainer, MembersOfAGroupFailTogether) {
  const Spirals spirals(60);
  Training training = training_of(4, 2);
  training.settings[0] = Settings{.optimizer = Optimizer::sgd, .learning_rate = 1e30};
  const Ensemble ensemble = train(spirals.examples(), training);
  for (std::size_t m = 0; m < 4; ++m)
    EXPECT_THAT(ensemble.member(m).failure, HasSubstr("the loss is"));
}

}  // namespace shared_trainer_test
}  // namespace bootfold::ensemble
