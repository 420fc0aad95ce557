// A lower memory limit makes sums in smaller parts and changes no bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/streaming.h"
#include "bootfold/error.h"
#include "ensemble/spirals.h"
#include "ensemble/training/trainer.h"

namespace bootfold::ensemble {
namespace memory_limit_test {

using testing::HasSubstr;

constexpr std::size_t kRows = 300;  // five blocks of points

void expect_same(const Ensemble& found, const Ensemble& expected) {
  EXPECT_EQ(found.out_of_bag().mean, expected.out_of_bag().mean);
  EXPECT_EQ(found.out_of_bag().total, expected.out_of_bag().total);
  EXPECT_EQ(found.out_of_bag().aleatoric, expected.out_of_bag().aleatoric);
  EXPECT_EQ(found.out_of_bag().epistemic, expected.out_of_bag().epistemic);
  EXPECT_EQ(found.out_of_bag().members, expected.out_of_bag().members);
  EXPECT_EQ(found.frame().noise, expected.frame().noise);
  for (std::size_t m = 0; m < found.size(); ++m)
    EXPECT_EQ(found.member(m).held_out_loss, expected.member(m).held_out_loss);
}

/// Bytes of the parameters of 100 members.
std::size_t kept_bytes(const Ensemble& ensemble) {
  return ensemble.size() * ensemble.parameters(0).size() * sizeof(float);
}

TEST(MemoryLimit, DoesNotChangeATraining) {
  const Spirals spirals(kRows);
  const Examples numbers{DataView(spirals.x), nullptr, DataView(spirals.y)};
  for (const Examples& examples : {spirals.examples(), numbers}) {
    Training training{.members = 100, .steps = 20};
    training.settings[0].architecture.hidden = {4};
    const Ensemble expected = train(examples, training);
    const std::size_t outputs = examples.classes != nullptr ? 2 : 1;
    const std::size_t sums = bytes_of_sums(320, outputs);  // rows in whole blocks
    const std::size_t kept = kept_bytes(expected);
    // All at once, as few states as can be, some rows at a time, one block at a time.
    for (const std::size_t memory : {kept + 4 * sums, kept + 2 * sums, kept + sums, kept})
      for (const unsigned threads : {1U, 2U, 7U}) {
        SCOPED_TRACE(testing::Message() << memory << " bytes, " << threads << " threads");
        training.memory = memory;
        training.execution.threads = threads;
        expect_same(train(examples, training), expected);
      }
  }
}

TEST(MemoryLimit, SetsTheNumberOfPartialStates) {
  const Spirals spirals(kRows);
  Training training{.members = 100, .steps = 1};
  training.execution.threads = 2;
  const Trainer trainer(spirals.examples(), training);
  EXPECT_EQ(trainer.states_in(10'000, 1000), 0U);  // the usual 9 and the result
  EXPECT_EQ(trainer.states_in(9000, 1000), 8U);
  EXPECT_EQ(trainer.states_in(2000, 1000), 1U);
  EXPECT_EQ(trainer.states_in(1999, 1000), std::nullopt);
}

TEST(MemoryLimit, DoesNotChangeStreamedPredictions) {
  const Spirals spirals(kRows);
  Training training{.members = 60, .steps = 10};
  const DataView points = spirals.examples().inputs;
  const StreamedPrediction expected = train_and_predict(spirals.examples(), training, points);
  const std::size_t least = 2 * bytes_of_sums(2 * kRows, 2);
  training.memory = least;
  training.execution.threads = 7;
  const StreamedPrediction found = train_and_predict(spirals.examples(), training, points);
  EXPECT_EQ(found.prediction.mean, expected.prediction.mean);
  EXPECT_EQ(found.out_of_bag.mean, expected.out_of_bag.mean);
  EXPECT_EQ(found.held_out_loss, expected.held_out_loss);
  training.memory = least - 1;
  try {
    static_cast<void>(train_and_predict(spirals.examples(), training, points));
    FAIL() << "it fits";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("at least " + std::to_string(least)));
  }
}

}  // namespace memory_limit_test
}  // namespace bootfold::ensemble
