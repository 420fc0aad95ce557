// Layer normalization, residual layers, averages and warm-up: predictions, files, weight decay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/error.h"
#include "data/safetensors.h"
#include "data/temp_file.h"
#include "ensemble/reference.h"
#include "ensemble/shape.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace layers_test {

using testing::HasSubstr;

Examples numbers(const Spirals& spirals) {
  return {DataView({ColumnView(spirals.x)}), nullptr, DataView({ColumnView(spirals.y)})};
}

Training training_of(Architecture architecture) {
  Training training{.members = 5, .steps = 30, .seed = 2};
  training.settings[0].architecture = std::move(architecture);
  training.settings[0].learning_rate = 0.01;
  training.settings[0].schedule = Schedule::constant;
  return training;
}

TEST(Layers, ParametersFollowTheLayers) {
  const Shape plain(3, {.hidden = {4, 4}}, 2);
  EXPECT_EQ(plain.parameters, 16U + 20U + 10U);
  EXPECT_FALSE(plain.normalizes || plain.adds_inputs);
  const Shape shape(4, {.hidden = {4, 4, 5}, .layer_norm = true, .residual = true}, 5);
  EXPECT_EQ(shape.parameters, 2 * (20U + 8U) + (25U + 10U) + 30U);
  // The first hidden layer and the outputs never add their input.
  EXPECT_FALSE(shape.layers[0].residual);
  EXPECT_TRUE(shape.layers[1].residual);
  EXPECT_FALSE(shape.layers[2].residual);
  EXPECT_FALSE(shape.layers[3].residual);
  EXPECT_FALSE(shape.layers[3].normalized);
  EXPECT_FALSE(Shape(3, {.hidden = {4, 5}, .residual = true}, 2).adds_inputs);
}

void expect_reference_predictions(const Spirals& spirals, const Architecture& architecture) {
  Training training = training_of(architecture);
  training.members = 1;
  training.standardize = false;
  training.settings[0].dropout = 0.1;
  const Ensemble ensemble = train(numbers(spirals), training);
  std::vector<std::size_t> sizes = architecture.hidden;
  sizes.insert(sizes.begin(), 1);
  sizes.push_back(1);
  reference::Network network{
      sizes, architecture.activation, {}, architecture.layer_norm, architecture.residual};
  network.parameters.assign(ensemble.parameters(0).begin(), ensemble.parameters(0).end());
  for (const execution::Level level : execution::available_levels()) {
    const Prediction found = ensemble.predict(numbers(spirals).inputs, {.level = level});
    for (std::size_t row = 0; row < found.rows; ++row)
      ASSERT_NEAR(found.mean[row], network({spirals.x[row]})[0], 2e-5) << "row " << row;
  }
}

TEST(Layers, PredictionsMatchTheReference) {
  const Spirals spirals(80);
  for (const auto& hidden : {std::vector<std::size_t>{20}, std::vector<std::size_t>{20, 20, 6}})
    for (unsigned which = 0; which < 4; ++which)
      for (const Activation activation :
           {Activation::relu, Activation::tanh, Activation::gelu, Activation::silu}) {
        SCOPED_TRACE(testing::Message()
                     << hidden.size() << " layers, " << name(activation) << " " << which);
        expect_reference_predictions(spirals, {.hidden = hidden,
                                               .activation = activation,
                                               .layer_norm = (which & 1) != 0,
                                               .residual = (which & 2) != 0});
      }
}

TEST(Layers, FilesKeepThem) {
  const testing_data::TempFile stored("layers.safetensors");
  const Spirals spirals(60);
  Training training = training_of({.hidden = {6, 6}, .layer_norm = true});
  training.settings.push_back(training.settings[0]);
  training.settings[1].architecture.residual = true;
  training.settings[1].dropout = 0.25;
  training.settings[1].average = 0.95;
  training.settings[1].warmup = 0.1;
  training.settings.push_back(training.settings[0]);
  training.settings[2].architecture = {.hidden = {6, 6}, .activation = Activation::silu};
  const Ensemble ensemble = train(spirals.examples(), training);
  const std::string& path = stored.path();
  ensemble.save(path);
  const Ensemble read = Ensemble::load(path);
  EXPECT_EQ(read.frame().settings, ensemble.frame().settings);
  for (std::size_t m = 0; m < ensemble.size(); ++m)
    EXPECT_TRUE(std::ranges::equal(read.parameters(m), ensemble.parameters(m)));
  EXPECT_EQ(read.predict(spirals.examples().inputs).mean,
            ensemble.predict(spirals.examples().inputs).mean);
  data::SafetensorsFile file(path);
  EXPECT_EQ(file.words().at("format"), "bootfold ensemble 4");
  EXPECT_EQ(file.entry("pack1.layers.0.gain").shape, (std::vector<std::size_t>{5, 6}));
  EXPECT_EQ(file.entry("pack1.layers.1.offset").shape, (std::vector<std::size_t>{5, 6}));
  EXPECT_FALSE(file.has("pack1.layers.2.gain"));
  EXPECT_FALSE(file.has("pack2.layers.0.gain"));
  // Options of the training alone keep the format that older versions read.
  training.settings = {Settings{.dropout = 0.2, .average = 0.9}};
  train(spirals.examples(), training).save(path);
  EXPECT_EQ(data::SafetensorsFile(path).words().at("format"), "bootfold ensemble 2");
  EXPECT_EQ(Ensemble::load(path).frame().settings[0].average, 0.9);
}

// Without gradients a step only decays. Gradients are clipped to nothing, which takes the code for
// whole gradients, or AdamW divides them by 1e30.
TEST(Layers, WeightDecaySparesGainsAndOffsets) {
  const Spirals spirals(60);
  for (const auto& hidden : {std::vector<std::size_t>{8}, std::vector<std::size_t>{70, 70}})
    for (const bool clips : {false, true}) {
      Training training = training_of({.hidden = hidden, .layer_norm = true});
      training.steps = 10;
      training.members = 1;
      Settings& own = training.settings[0];
      own.optimizer = Optimizer::sgd;
      own.momentum = 0;
      own.clip = 1e-30;
      own.learning_rate = 0.1;
      own.weight_decay = 0.5;
      own.batch_size = 32;
      if (!clips) {
        own.optimizer = Optimizer::adamw;
        own.clip = 0;
        own.epsilon = 1e30;
      }
      const Ensemble ensemble = train(spirals.examples(), training);
      Training first = training;
      first.settings[0].weight_decay = 0;
      const Ensemble without = train(spirals.examples(), first);
      const Shape shape(2, own.architecture, 2);
      const double factor = std::pow(1 - 0.1 * 0.5, 10);
      for (const Layer& layer : shape.layers) {
        for (std::size_t i = layer.weights; i < layer.bias; ++i)
          ASSERT_NEAR(ensemble.parameters(0)[i], factor * without.parameters(0)[i], 1e-5) << i;
        if (!layer.normalized) continue;
        for (std::size_t j = 0; j < layer.out; ++j) {
          EXPECT_NEAR(ensemble.parameters(0)[layer.gain + j], 1, 1e-6);
          EXPECT_NEAR(ensemble.parameters(0)[layer.offset + j], 0, 1e-6);
        }
      }
    }
}

std::vector<double> parameters_of(const Ensemble& ensemble, std::size_t member) {
  return {ensemble.parameters(member).begin(), ensemble.parameters(member).end()};
}

// The parameters after 1, 2, ... steps, averaged with weights that fall by a constant factor.
TEST(Average, IsTheWeightedMeanOfTheParametersOfAllSteps) {
  const Spirals spirals(60);
  for (const auto& hidden : {std::vector<std::size_t>{8}, std::vector<std::size_t>{70, 70}}) {
    constexpr double kDecay = 0.8;
    Training training = training_of({.hidden = hidden});
    training.members = 2;
    training.steps = 12;
    training.settings[0].batch_size = 32;
    training.settings.push_back(training.settings[0]);
    training.settings[1].average = kDecay;
    const Ensemble both = train(spirals.examples(), training);
    training.settings.pop_back();
    std::vector<double> expected;
    double total = 0;
    for (std::uint64_t steps = 1; steps <= 12; ++steps) {
      Training shorter = training;
      shorter.steps = steps;
      const std::vector<double> own = parameters_of(train(spirals.examples(), shorter), 1);
      expected.resize(own.size());
      const double weight = std::pow(kDecay, 12.0 - static_cast<double>(steps));
      total += weight;
      for (std::size_t i = 0; i < own.size(); ++i) expected[i] += weight * own[i];
      if (steps == 12) {
        EXPECT_EQ(parameters_of(both, 1), own);  // members without it are not affected
      }
    }
    const std::vector<double> found = parameters_of(both, 3);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], expected[i] / total, 1e-6) << i;
    EXPECT_EQ(both.member(3).loss, both.member(1).loss);  // of the last batch
  }
}

// Early stopping looks at averages: its loss is that of the parameters that are kept.
TEST(Average, IsValidated) {
  const Spirals spirals(300, 0.2);
  const Spirals others(200, 0.2, 2);
  const Examples validation = others.examples();
  for (const auto& hidden : {std::vector<std::size_t>{8}, std::vector<std::size_t>{70, 70}}) {
    Training training = training_of({.hidden = hidden});
    training.steps = 0;
    training.epochs = 40;
    training.settings[0].average = 0.99;
    training.settings[0].batch_size = 32;
    training.validation = &validation;
    training.stopping = {.patience = 3, .look_every = 1};
    std::map<std::uint64_t, double> lowest;
    training.epoch_done = [&](std::span<const MemberEpoch> epochs) {
      for (const MemberEpoch& epoch : epochs) {
        double& low = lowest.try_emplace(epoch.number, 1e9).first->second;
        low = std::min(low, epoch.held_out_loss);
      }
      return true;
    };
    const Ensemble ensemble = train(spirals.examples(), training);
    for (std::size_t m = 0; m < ensemble.size(); ++m)
      EXPECT_NEAR(ensemble.member(m).held_out_loss, lowest.at(m), 1e-5);
  }
}

// With sgd, a momentum of 0 and no clipping a step is the rate times the gradient; the first step
// of a training starts from the same weights, so its length tells the rate.
TEST(Warmup, RisesLinearly) {
  const Spirals spirals(60);
  const auto first_step = [&](double warmup, std::uint64_t steps) {
    Training training = training_of({.hidden = {8}});
    training.settings[0].optimizer = Optimizer::sgd;
    training.settings[0].momentum = 0;
    training.settings[0].warmup = warmup;
    training.steps = steps;
    training.epoch_done = [&](std::span<const MemberEpoch>) { return false; };
    training.settings[0].batch_size = 0;  // an epoch is a step
    return parameters_of(train(spirals.examples(), training), 0);
  };
  Training none = training_of({.hidden = {8}});
  none.settings[0].learning_rate = 1e-30;
  none.steps = 1;
  const std::vector<double> start = parameters_of(train(spirals.examples(), none), 0);
  const std::vector<double> full = first_step(0, 100);
  const std::vector<double> ninth = first_step(0.08, 100);  // 1 of 8 + 1
  for (std::size_t i = 0; i < start.size(); ++i)
    EXPECT_NEAR((ninth[i] - start[i]) * 9, full[i] - start[i], 2e-6);
  EXPECT_EQ(first_step(0.001, 100), full);  // no step of 100
}

TEST(Layers, OptionsOutOfRangeAreRefused) {
  const Spirals spirals(30);
  const auto message = [&](auto&& change) {
    Training training = training_of({.hidden = {4}});
    change(training.settings[0]);
    try {
      static_cast<void>(train(spirals.examples(), training));
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message([](Settings& s) { s.dropout = 1; }), HasSubstr("dropout is 1 but must be"));
  EXPECT_THAT(message([](Settings& s) { s.dropout = NAN; }), HasSubstr("dropout is"));
  EXPECT_THAT(message([](Settings& s) { s.warmup = 1; }), HasSubstr("warmup is 1 but must be"));
  EXPECT_THAT(message([](Settings& s) { s.average = -1; }), HasSubstr("average is -1"));
}

}  // namespace layers_test
}  // namespace bootfold::ensemble
