// Members that share the weights of their hidden layers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/error.h"
#include "ensemble/reference.h"
#include "ensemble/shape.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace shared_trainer_test {

using testing::HasSubstr;

std::vector<std::vector<double>> parameters_of(const Ensemble& ensemble) {
  std::vector<std::vector<double>> all;
  for (std::size_t m = 0; m < ensemble.size(); ++m)
    all.emplace_back(ensemble.parameters(m).begin(), ensemble.parameters(m).end());
  return all;
}

/// What is trained, in double: W of all members, r and s of hidden layers and the rest of each.
struct Shared {
  Shared(const Architecture& architecture, const std::vector<std::vector<double>>& members)
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
  std::vector<std::vector<double>> own;
  std::vector<double> weights;
  std::vector<std::vector<double>> r;
  std::vector<std::vector<double>> s;
};

// One step of sgd on all rows from the same start, against finite differences of the mean loss in
// double. A rate of 1e-30 leaves the start as it is. Rounding to 24 bits is what differs.
TEST(SharedTrainer, StepsAgainstTheGradientOfTheMeanLoss) {
  const Spirals spirals(40);
  const Examples examples{DataView({ColumnView(spirals.x), ColumnView(spirals.y)}), nullptr,
                          DataView({ColumnView(spirals.y)})};
  const Architecture architecture{
      .hidden = {5, 5}, .activation = Activation::tanh, .layer_norm = true, .residual = true};
  Training training{.members = 3, .steps = 1};
  training.share = true;
  training.resampling = Resampling::none;
  training.standardize = false;
  Settings& settings = training.settings[0];
  settings.architecture = architecture;
  settings.optimizer = Optimizer::sgd;
  settings.momentum = 0;
  settings.batch_size = 0;
  settings.learning_rate = 1e-30;
  Shared state(architecture, parameters_of(train(examples, training)));
  settings.learning_rate = 0.5;
  const std::vector<std::vector<double>> found = parameters_of(train(examples, training));

  const auto loss = [&] {
    double sum = 0;
    for (std::size_t m = 0; m < 3; ++m) {
      reference::Network network{{2, 5, 5, 1}, Activation::tanh, state.composed(m), true, true};
      for (std::size_t row = 0; row < 40; ++row)
        sum += reference::cost(Loss::squared_error, network({spirals.x[row], spirals.y[row]}),
                               {spirals.y[row]}) /
               40 / 3;
    }
    return sum;
  };
  Shared moved = state;
  const auto move = [&](std::vector<double>& list, std::vector<double>& result) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const double value = list[i];
      list[i] = value + 1e-6;
      const double above = loss();
      list[i] = value - 1e-6;
      const double below = loss();
      list[i] = value;
      result[i] = value - 0.5 * (above - below) / 2e-6;
    }
  };
  move(state.weights, moved.weights);
  for (std::size_t m = 0; m < 3; ++m) {
    move(state.own[m], moved.own[m]);
    move(state.r[m], moved.r[m]);
    move(state.s[m], moved.s[m]);
  }
  double change = 0;
  for (std::size_t m = 0; m < 3; ++m) {
    const std::vector<double> wanted = moved.composed(m);
    const std::vector<double> before = state.composed(m);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_NEAR(found[m][i], wanted[i], 2e-6) << "member " << m << ", parameter " << i;
      change = std::max(change, std::abs(wanted[i] - before[i]));
    }
  }
  EXPECT_GT(change, 0.01);
}

Training training_of(std::size_t members) {
  Training training{.members = members, .steps = 25};
  training.share = true;
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

// 21 members: one and a part of the next group of 16, and of 8.
TEST(SharedTrainer, ThreadsAndSimdLevelsGiveTheSameBits) {
  const Spirals spirals(90);
  Training training = training_of(21);
  training.settings.push_back(training.settings[0]);
  training.settings[1].average = 0.9;
  training.execution.level = execution::Level::portable;
  training.execution.threads = 1;
  const auto expected = parameters_of(train(spirals.examples(), training));
  EXPECT_NE(expected[0], expected[1]);
  EXPECT_NE(expected[0], expected[21]);
  for (const execution::Level level : execution::available_levels())
    for (const unsigned threads : {1U, 2U}) {
      training.execution.level = level;
      training.execution.threads = threads;
      EXPECT_EQ(parameters_of(train(spirals.examples(), training)), expected)
          << execution::name(level);
    }
}

TEST(SharedTrainer, LearnsAndPredictsOutOfBag) {
  const Spirals spirals(400, 0.05);
  Training training = training_of(16);
  training.settings[0].dropout = 0;
  training.settings[0].architecture.hidden = {32, 32};
  training.steps = 1500;
  const Ensemble ensemble = train(spirals.examples(), training);
  std::size_t right = 0;
  for (std::size_t row = 0; row < 400; ++row)
    right += ensemble.out_of_bag().predicted_class(row) == spirals.classes.codes[row] ? 1 : 0;
  EXPECT_GT(right, 340U);
}

// Members stop by themselves, and the others go on.
TEST(SharedTrainer, StopsEarly) {
  const Spirals spirals(300, 0.3);
  Training training = training_of(10);
  training.steps = 0;
  training.epochs = 60;
  training.settings[0].learning_rate = 0.03;
  training.stopping = {.patience = 2, .look_every = 1};
  std::map<std::uint64_t, double> lowest;
  training.epoch_done = [&](std::span<const MemberEpoch> epochs) {
    for (const MemberEpoch& epoch : epochs) {
      double& low = lowest.try_emplace(epoch.number, 1e9).first->second;
      low = std::min(low, epoch.held_out_loss);
    }
    return true;
  };
  const Ensemble ensemble = train(spirals.examples(), training);
  std::uint64_t fewest = ~std::uint64_t{0};
  std::uint64_t most = 0;
  for (std::size_t m = 0; m < ensemble.size(); ++m) {
    EXPECT_NEAR(ensemble.member(m).held_out_loss, lowest.at(m), 1e-5);
    fewest = std::min(fewest, ensemble.member(m).steps);
    most = std::max(most, ensemble.member(m).steps);
  }
  EXPECT_LT(fewest, most);
}

TEST(SharedTrainer, CallbacksStopMembers) {
  const Spirals spirals(90);
  Training training = training_of(5);
  training.settings[0].batch_size = 0;
  training.epoch_done = [](std::span<const MemberEpoch> epochs) { return epochs[0].epoch < 7; };
  const auto stopped = parameters_of(train(spirals.examples(), training));
  training.epoch_done = {};
  training.steps = 7;
  EXPECT_EQ(parameters_of(train(spirals.examples(), training)), stopped);
}

TEST(SharedTrainer, AllFailTogether) {
  const Spirals spirals(60);
  Training training = training_of(4);
  training.settings[0] = Settings{.optimizer = Optimizer::sgd, .learning_rate = 1e30};
  const Ensemble ensemble = train(spirals.examples(), training);
  for (std::size_t m = 0; m < 4; ++m)
    EXPECT_THAT(ensemble.member(m).failure, HasSubstr("the loss is"));
}

TEST(SharedTrainer, CannotGoOn) {
  const Spirals spirals(60);
  Training training = training_of(4);
  training.keep_optimizer = true;
  EXPECT_THROW(static_cast<void>(train(spirals.examples(), training)), InvalidArgument);
}

}  // namespace shared_trainer_test
}  // namespace bootfold::ensemble
