// A network trained on its own is that of a pack, to the bit: where the switch lies is a matter of
// speed alone.
#include "ensemble/single.h"

#include <gtest/gtest.h>

#include <cstring>

#include "ensemble/pack.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace single_test {

/// Trains members 0, 1 and 2 in both ways.
void expect_same(const Examples& examples, const Training& training, Loss loss, std::size_t outputs,
                 const Table* validation = nullptr) {
  const Scaling inputs_by = scaling_of(examples.inputs);
  const Scaling targets_by = scaling_of(examples.targets);
  const Table table(examples, inputs_by, targets_by, 64);
  for (const execution::Level level : execution::available_levels()) {
    const Run run{table, training, loss, outputs, level, validation};
    const Settings& settings = training.settings[0];
    const std::vector<MemberId> ids = {{7, 0}, {7, 1}, {7, 2}};
    const std::vector<const Settings*> all(3, &settings);
    const std::size_t width = 16;  // as if there were so many: the widest vectors
    execution::run_chunks(1, 1, {}, [&](const execution::Worker& worker, std::size_t) {
      const std::vector<Trained> packed = Pack(run, settings, width).train(ids, all, worker);
      Single single(run, settings);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const Trained alone = single.train(ids[i], settings, worker);
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
  for (const Activation activation : {Activation::relu, Activation::tanh, Activation::gelu})
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

TEST(Single, IsTheMemberOfAPackOfClassifiers) {
  const Spirals spirals(75);
  for (const Training& training : ways())
    expect_same(spirals.examples(), training, Loss::cross_entropy, 2);
}

TEST(Single, IsTheMemberOfAPackOfRegressions) {
  const Spirals spirals(75);
  const Examples examples{DataView(spirals.x), nullptr,
                          DataView({ColumnView(spirals.y), ColumnView(spirals.x)})};
  for (const Training& training : ways()) {
    expect_same(examples, training, Loss::squared_error, 2);
    expect_same(examples, training, Loss::gaussian, 4);
  }
}

TEST(Single, IsTheMemberOfAPackOfThinNetworks) {
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

TEST(Single, AddsManyTermsAsAPackDoes) {
  const Spirals spirals(210);
  Training training{.members = 1, .steps = 4};
  training.settings[0].architecture.hidden = {130, 200};
  training.settings[0].batch_size = 32;
  expect_same(spirals.examples(), training, Loss::cross_entropy, 2);
}

TEST(Single, StopsWhenThePackWould) {
  const Spirals spirals(600, 0.2);
  Training training{.members = 1, .epochs = 40};
  training.stopping = {.patience = 2, .look_every = 1};
  training.settings[0].learning_rate = 0.03;
  training.settings[0].architecture.hidden = {20};
  training.settings[0].batch_size = 32;
  expect_same(spirals.examples(), training, Loss::cross_entropy, 2);
}

TEST(Single, LooksAtTheValidationRowsOfThePack) {
  const Spirals spirals(600, 0.2);
  const Spirals others(333, 0.2, 2);
  const Table validation(others.examples(), scaling_of(spirals.examples().inputs), {}, 0);
  Training training{.members = 1, .epochs = 40};
  training.resampling = Resampling::none;
  training.stopping = {.patience = 2, .look_every = 1};
  training.settings[0].learning_rate = 0.03;
  training.settings[0].architecture.hidden = {20};
  training.settings[0].batch_size = 32;
  expect_same(spirals.examples(), training, Loss::cross_entropy, 2, &validation);
}

TEST(Single, IsForLargeNetworks) {
  EXPECT_FALSE(better_alone(Shape(2, {.hidden = {32}}, 2), 32));
  EXPECT_TRUE(better_alone(Shape(2, {.hidden = {512, 512}}, 2), 100));
  EXPECT_TRUE(better_alone(Shape(64, {.hidden = {64}}, 10), 512));
  EXPECT_FALSE(better_alone(Shape(64, {.hidden = {64}}, 10), 1797));
}

}  // namespace single_test
}  // namespace bootfold::ensemble
