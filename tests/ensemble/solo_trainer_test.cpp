// A network that is trained by itself has the bits of a pack, so the choice between them affects
// speed only.
#include "ensemble/training/solo_trainer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "ensemble/scaling.h"
#include "ensemble/spirals.h"
#include "ensemble/training/pack_trainer.h"

namespace bootfold::ensemble {
namespace solo_trainer_test {

/// Trains members 0, 1 and 2 in both ways.
void expect_same(const Examples& examples, const Training& training, Loss loss, std::size_t outputs,
                 const TrainingMatrix* validation = nullptr, std::vector<Loss> losses = {}) {
  Ensemble::Frame frame;
  frame.loss = loss;
  frame.losses = std::move(losses);
  frame.quantiles = {0.1, 0.5, 0.8};
  frame.classes.resize(examples.classes != nullptr ? examples.classes->size()
                                                   : examples.targets.columns());
  frame.input_scaling = scaling_of(examples.inputs);
  frame.target_scaling = scaling_of(examples.targets);
  const TrainingMatrix matrix(examples, frame, 64);
  const Heads heads(frame);
  ASSERT_EQ(heads.outputs(), outputs);
  for (const execution::Level level : execution::available_levels()) {
    const TrainingContext context{matrix, training, heads, outputs, level, validation};
    const Settings& settings = training.settings[0];
    const std::vector<MemberId> ids = {{7, 0}, {7, 1}, {7, 2}};
    const std::vector<const Settings*> all(3, &settings);
    const std::size_t width = 16;  // as if there were so many: the widest vectors
    execution::detail::run_chunks(1, 1, {}, [&](const execution::Worker& worker, std::size_t) {
      const std::vector<TrainedMember> packed =
          PackTrainer(context, settings, width).train(ids, all, worker);
      SoloTrainer solo(context, settings);
      SoloTrainer team(context, settings, 3);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const TrainedMember alone = (i == 1 ? team : solo).train(ids[i], settings, worker);
        EXPECT_EQ(alone.steps, packed[i].steps);
        EXPECT_EQ(alone.loss, packed[i].loss);
        if (training.stopping.patience > 0) {
          EXPECT_EQ(alone.held_out_loss, packed[i].held_out_loss);
        }
        ASSERT_EQ(alone.parameters.size(), packed[i].parameters.size());
        EXPECT_EQ(std::memcmp(alone.parameters.data(), packed[i].parameters.data(),
                              alone.parameters.size() * sizeof(float)),
                  0)
            << execution::name(level) << ", member " << i;
      }
    });
  }
}

std::vector<Training> ways() {
  std::vector<Training> found;
  for (const Activation activation :
       {Activation::relu, Activation::tanh, Activation::gelu, Activation::silu})
    for (const std::size_t batch : {0U, 5U, 32U})
      for (const std::vector<std::size_t>& hidden :
           {std::vector<std::size_t>{}, {17}, {40, 3}, {5, 33, 16}}) {
        Training training{.members = 1, .steps = 12};
        Settings& settings = training.settings[0];
        settings.architecture = {.hidden = hidden, .activation = activation};
        settings.batch_size = batch;
        settings.weight_decay = 0.01;
        settings.optimizer = batch == 0   ? Optimizer::adam
                             : batch == 5 ? Optimizer::sgd
                                          : Optimizer::adamw;
        settings.clip = batch == 32 ? 0.3 : 0;
        found.push_back(training);
      }
  return found;
}

/// Layer normalization, residual connections, dropout and averages in all combinations.
std::vector<Training> extended_ways() {
  std::vector<Training> found;
  std::size_t number = 0;
  for (unsigned which = 1; which < 16; ++which)
    for (const std::vector<std::size_t>& hidden : {std::vector<std::size_t>{17}, {40, 40, 3, 3}}) {
      Training training{.members = 1, .steps = 12};
      Settings& settings = training.settings[0];
      settings.architecture = {.hidden = hidden,
                               .activation = static_cast<Activation>(number % 4),
                               .layer_norm = (which & 1) != 0,
                               .residual = (which & 2) != 0};
      settings.dropout = (which & 4) != 0 ? 0.2 : 0;
      settings.average = (which & 8) != 0 ? 0.9 : 0;
      settings.warmup = number % 3 == 0 ? 0.3 : 0;
      settings.weight_decay = 0.01;
      settings.batch_size = number % 5 == 0 ? 0 : number % 5 == 1 ? 5 : 32;
      settings.optimizer = static_cast<Optimizer>(number % 3);
      settings.clip = number % 7 < 3 ? 0.3 : 0;
      if (number % 2 == 0) training.stopping = {.patience = 1, .look_every = 0.5};
      found.push_back(training);
      ++number;
    }
  return found;
}

TEST(SoloTrainer, MatchesAPackOfExtendedLayers) {
  const Spirals spirals(75);
  const Examples numbers{DataView(spirals.x), nullptr,
                         DataView({ColumnView(spirals.y), ColumnView(spirals.x)})};
  for (const Training& training : extended_ways()) {
    const Settings& own = training.settings[0];
    SCOPED_TRACE(testing::Message()
                 << name(own.architecture.activation) << " " << own.architecture.hidden.size()
                 << " layers, norm " << own.architecture.layer_norm << ", residual "
                 << own.architecture.residual << ", dropout " << own.dropout << ", average "
                 << own.average << ", clip " << own.clip);
    expect_same(spirals.examples(), training, Loss::cross_entropy, 2);
    expect_same(numbers, training, Loss::gaussian, 4);
  }
}

TEST(SoloTrainer, MatchesAPackOfClassifiers) {
  const Spirals spirals(75);
  for (const Training& training : ways())
    expect_same(spirals.examples(), training, Loss::cross_entropy, 2);
}

TEST(SoloTrainer, MatchesAPackOfRegressions) {
  const Spirals spirals(75);
  const Examples examples{DataView(spirals.x), nullptr,
                          DataView({ColumnView(spirals.y), ColumnView(spirals.x)})};
  for (const Training& training : ways()) {
    expect_same(examples, training, Loss::squared_error, 2);
    expect_same(examples, training, Loss::gaussian, 4);
  }
}

TEST(SoloTrainer, MatchesAPackOfLossesOfTargets) {
  const Spirals spirals(75);
  std::vector<double> zeros_and_ones;
  std::vector<double> counts;
  for (const double y : spirals.y) {
    zeros_and_ones.push_back(y > 0 ? 1 : 0);
    counts.push_back(std::floor(3 * std::abs(y)));
  }
  const Examples examples{DataView(spirals.x), nullptr,
                          DataView({ColumnView(spirals.y), ColumnView(zeros_and_ones),
                                    ColumnView(counts), ColumnView(spirals.x)})};
  for (const Training& training : ways())
    expect_same(examples, training, Loss::mixed, 6, nullptr,
                {Loss::huber, Loss::binary, Loss::poisson, Loss::pinball});
  for (const Training& training : ways())
    expect_same(spirals.examples(), training, Loss::binary, 1);
}

TEST(SoloTrainer, MatchesAPackOfNarrowNetworks) {
  const Spirals spirals(75);
  const std::vector<double> turned(spirals.y.rbegin(), spirals.y.rend());
  const std::vector<DataView> inputs = {
      DataView(spirals.x), DataView({ColumnView(spirals.x), ColumnView(turned)}),
      DataView({ColumnView(spirals.x), ColumnView(turned), ColumnView(spirals.x),
                ColumnView(turned), ColumnView(spirals.x)})};
  for (const DataView& columns : inputs)
    for (const Training& training : ways())
      expect_same({columns, nullptr, DataView(spirals.y)}, training, Loss::squared_error, 1);
}

TEST(SoloTrainer, AddsLongSumsInTheOrderOfAPack) {
  const Spirals spirals(210);
  Training training{.members = 1, .steps = 4};
  training.settings[0].architecture.hidden = {130, 200};
  training.settings[0].batch_size = 32;
  expect_same(spirals.examples(), training, Loss::cross_entropy, 2);
}

TEST(SoloTrainer, StopsEarlyAtTheStepOfAPack) {
  const Spirals spirals(600, 0.2);
  Training training{.members = 1, .epochs = 40};
  training.stopping = {.patience = 2, .look_every = 1};
  training.settings[0].learning_rate = 0.03;
  training.settings[0].architecture.hidden = {20};
  training.settings[0].batch_size = 32;
  expect_same(spirals.examples(), training, Loss::cross_entropy, 2);
}

TEST(SoloTrainer, ValidatesLikeAPack) {
  const Spirals spirals(600, 0.2);
  const Spirals others(333, 0.2, 2);
  Ensemble::Frame frame;
  frame.input_scaling = scaling_of(spirals.examples().inputs);
  const TrainingMatrix validation(others.examples(), frame, 0);
  Training training{.members = 1, .epochs = 40};
  training.resampling = Resampling::none;
  training.stopping = {.patience = 2, .look_every = 1};
  training.settings[0].learning_rate = 0.03;
  training.settings[0].architecture.hidden = {20};
  training.settings[0].batch_size = 32;
  expect_same(spirals.examples(), training, Loss::cross_entropy, 2, &validation);
}

TEST(SoloTrainer, IsUsedForLargeNetworks) {
  EXPECT_FALSE(trains_faster_alone(Shape(2, {.hidden = {32}}, 2), 32));
  EXPECT_TRUE(trains_faster_alone(Shape(2, {.hidden = {512, 512}}, 2), 100));
  EXPECT_TRUE(trains_faster_alone(Shape(64, {.hidden = {64}}, 10), 512));
  EXPECT_FALSE(trains_faster_alone(Shape(64, {.hidden = {64}}, 10), 1797));
}

}  // namespace solo_trainer_test
}  // namespace bootfold::ensemble
