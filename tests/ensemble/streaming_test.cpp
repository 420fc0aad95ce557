// Streamed predictions are those of an ensemble whose members are kept.
#include "bootfold/ensemble/streaming.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bootfold/error.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace streaming_test {

using testing::HasSubstr;

/// A curve with noise, and points to predict.
struct Curve {
  explicit Curve(std::size_t rows) {
    random::Stream stream({.seed = 5});
    for (std::size_t i = 0; i < rows; ++i) {
      x.push_back(random::normal(stream));
      y.push_back(10 + 3 * std::sin(2 * x.back()) + 0.3 * random::normal(stream));
      z.push_back(-x.back() + random::normal(stream));
    }
    for (int i = 0; i < 70; ++i) at.push_back(-2 + 4.0 * i / 69);
  }
  [[nodiscard]] Examples examples() const {
    return {DataView(x), nullptr, DataView({ColumnView(y), ColumnView(z)}, {"y", "z"})};
  }
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> z;
  std::vector<double> at;
};

/// Streaming sums chunk by chunk and the ensemble member by member: equal except for rounding.
void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-6 * (1 + std::abs(expected[i])));
}

void expect_same(const StreamedPrediction& streamed, const Ensemble& kept, const DataView& points) {
  const Prediction prediction = kept.predict(points);
  for (std::size_t i = 0; i < prediction.mean.size(); ++i)
    EXPECT_NEAR(streamed.prediction.mean[i], prediction.mean[i],
                1e-12 * (1 + std::abs(prediction.mean[i])));
  expect_near(streamed.prediction.total, prediction.total);
  expect_near(streamed.prediction.epistemic, prediction.epistemic);
  expect_near(streamed.prediction.aleatoric, prediction.aleatoric);
  EXPECT_EQ(streamed.prediction.members, prediction.members);
  EXPECT_EQ(streamed.out_of_bag.mean, kept.out_of_bag().mean);
  EXPECT_EQ(streamed.out_of_bag.members, kept.out_of_bag().members);
  EXPECT_EQ(streamed.frame.noise, kept.frame().noise);
  EXPECT_EQ(streamed.members, kept.size());
  double loss = 0;
  double held_out_loss = 0;
  for (std::size_t m = 0; m < kept.size(); ++m) {
    loss += kept.member(m).loss / static_cast<double>(kept.size());
    held_out_loss += kept.member(m).held_out_loss / static_cast<double>(kept.size());
  }
  EXPECT_NEAR(streamed.loss, loss, 1e-12 * (1 + std::abs(loss)));
  EXPECT_NEAR(streamed.held_out_loss, held_out_loss, 1e-12 * (1 + std::abs(held_out_loss)));
}

TEST(Streaming, MatchesAStoredEnsemble) {
  const Spirals spirals(100);
  const Training training{.members = 50, .steps = 40};
  expect_same(train_and_predict(spirals.examples(), training, spirals.examples().inputs),
              train(spirals.examples(), training), spirals.examples().inputs);
  const Curve curve(80);
  for (const Loss loss : {Loss::squared_error, Loss::gaussian}) {
    Training numbers = training;
    numbers.loss = loss;
    expect_same(train_and_predict(curve.examples(), numbers, DataView(curve.at)),
                train(curve.examples(), numbers), DataView(curve.at));
  }
}

TEST(Streaming, ThreadsAndSimdLevelsGiveTheSameBits) {
  const Curve curve(80);
  Training training{.members = 100, .steps = 20};
  training.execution = {.threads = 1, .level = execution::Level::portable};
  const StreamedPrediction expected =
      train_and_predict(curve.examples(), training, DataView(curve.at));
  for (const execution::Level level : execution::available_levels())
    for (const unsigned threads : {1U, 2U, 7U}) {
      training.execution = {.threads = threads, .level = level};
      const StreamedPrediction found =
          train_and_predict(curve.examples(), training, DataView(curve.at));
      EXPECT_EQ(found.prediction.mean, expected.prediction.mean);
      EXPECT_EQ(found.prediction.total, expected.prediction.total);
      EXPECT_EQ(found.out_of_bag.mean, expected.out_of_bag.mean);
      EXPECT_EQ(found.loss, expected.loss);
    }
}

TEST(Streaming, CountsFailedMembers) {
  const Curve curve(60);
  Training training{.members = 20, .steps = 30};
  training.settings.resize(2);
  for (Settings& settings : training.settings) settings.optimizer = Optimizer::sgd;
  training.settings[1].learning_rate = 1e6;
  const StreamedPrediction streamed =
      train_and_predict(curve.examples(), training, DataView(curve.at));
  EXPECT_EQ(streamed.members, 40U);
  EXPECT_EQ(streamed.failed, 20U);
  EXPECT_THAT(streamed.failure, HasSubstr("1e+06"));
  EXPECT_EQ(streamed.prediction.members[0], 20U);
  training.settings.erase(training.settings.begin());
  const StreamedPrediction none = train_and_predict(curve.examples(), training, DataView(curve.at));
  EXPECT_EQ(none.failed, 20U);
  EXPECT_EQ(none.prediction.members[0], 0U);
  EXPECT_TRUE(std::isnan(none.prediction.mean[0]));
  EXPECT_TRUE(std::isnan(none.out_of_bag.mean[0]));
}

std::string complaint(const Training& training, const DataView& points) {
  const Spirals spirals(40);
  try {
    static_cast<void>(train_and_predict(spirals.examples(), training, points));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Streaming, RejectsInvalidArguments) {
  const Spirals spirals(40);
  const std::vector<double> one_column(5, 1.0);
  Training training{.members = 2, .steps = 1};
  EXPECT_THAT(complaint(training, DataView(one_column)), HasSubstr("1 columns"));
  training.memory = 1000;
  training.execution.threads = 1;
  EXPECT_THAT(complaint(training, spirals.examples().inputs), HasSubstr("memory is 1000 bytes"));
}

}  // namespace streaming_test
}  // namespace bootfold::ensemble
