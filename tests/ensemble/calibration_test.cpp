// Calibration by temperature scaling, on out-of-bag rows or on held-out rows.
#include "bootfold/ensemble/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bootfold/ensemble/evaluation.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/ensemble/streaming.h"
#include "bootfold/error.h"
#include "bootfold/random.h"
#include "data/temp_file.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace calibration_test {

using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

/// Two classes whose odds are exp(slope x), and a network without hidden layers that predicts
/// exp(x).
struct Odds {
  Odds(double slope, std::size_t rows) {
    random::Stream stream({.seed = 7});
    std::vector<std::int32_t> label;
    for (std::size_t i = 0; i < rows; ++i) {
      x.push_back(2 * random::normal(stream));
      label.push_back(random::uniform(stream) < 1 / (1 + std::exp(-slope * x[i])) ? 1 : 0);
    }
    classes = data::labels(label);
  }

  [[nodiscard]] Examples examples() const { return {DataView(x), &classes}; }

  [[nodiscard]] Ensemble network() const {
    Ensemble::Frame frame;
    frame.inputs = {"1"};
    frame.classes = {"0", "1"};
    frame.input_scaling = {{0}, {1}};
    frame.input_range = {{0}, {1}};
    frame.settings.resize(1);
    frame.settings[0].architecture.hidden = {};
    frame.resampling = Resampling::none;
    return EnsembleAccess::make(frame, {Member{}}, {{-0.5F, 0.5F, 0, 0}}, 0);
  }

  std::vector<double> x;
  data::Labels classes;
};

Ensemble spirals_of(const Spirals& spirals) {
  Training training{.members = 30, .epochs = 200};
  training.settings[0].learning_rate = 1e-3;
  training.settings[0].schedule = Schedule::constant;
  training.settings[0].batch_size = 32;
  return train(spirals.examples(), {.hidden = {16}}, std::move(training));
}

Ensemble with_temperature(Ensemble ensemble, double temperature) {
  ensemble.set_temperature(temperature);
  return ensemble;
}

double likelihood(const Ensemble& ensemble, const Spirals& spirals) {
  return evaluate_classes(out_of_bag(ensemble, spirals.examples()), spirals.classes.codes)
      .negative_log_likelihood;
}

// The standard error of a slope is 1 / sqrt(sum of x^2 p (1 - p)); beyond five of them is a false
// alarm in 1.7 million. The search adds at most one in a thousand.
TEST(Calibration, RecoversAKnownTemperature) {
  for (const double slope : {1.0 / 3, 1.0, 3.0}) {
    const Odds odds(slope, 20'000);
    double information = 0;
    for (const double x : odds.x) {
      const double p = 1 / (1 + std::exp(-slope * x));
      information += x * x * p * (1 - p);
    }
    const Examples rows = odds.examples();
    const Ensemble found = calibrate(odds.network(), rows, &rows);
    EXPECT_NEAR(1 / found.frame().temperature, slope, 5 / std::sqrt(information) + 1e-3 * slope);
  }
}

TEST(Calibration, MaximizesTheOutOfBagLikelihood) {
  const Spirals spirals(150);
  const Ensemble trained = spirals_of(spirals);
  const Ensemble found = calibrate(trained, spirals.examples());
  const double temperature = found.frame().temperature;
  EXPECT_GT(std::abs(std::log(temperature)), 0.05);  // not calibrated before
  const double least = likelihood(found, spirals);
  EXPECT_LT(least, likelihood(trained, spirals));
  // Half a misclassified row in 151 moves the maximum slightly.
  for (const double factor : {0.5, 0.8, 1.25, 2.0})
    EXPECT_LT(least, likelihood(with_temperature(found, factor * temperature), spirals)) << factor;
  EXPECT_NE(found.out_of_bag().mean, trained.out_of_bag().mean);
}

TEST(Calibration, IgnoresTheOldTemperature) {
  const Spirals spirals(120);
  const Ensemble trained = spirals_of(spirals);
  const Ensemble direct = calibrate(trained, spirals.examples());
  for (const double before : {1e-3, 0.4, 1e5}) {
    const Ensemble found = calibrate(with_temperature(trained, before), spirals.examples());
    EXPECT_NEAR(found.frame().temperature / direct.frame().temperature, 1, 1e-9) << before;
    ASSERT_EQ(found.out_of_bag().rows, 120U);
    for (std::size_t i = 0; i < 240; ++i)
      EXPECT_NEAR(found.out_of_bag().mean[i], direct.out_of_bag().mean[i], 1e-9);
  }
}

TEST(Calibration, ThreadsGiveTheSameBits) {
  const Spirals spirals(120);
  const Spirals others(200, 0.1, 9);
  const Examples held_out = others.examples();
  const Ensemble trained =
      with_temperature(spirals_of(spirals), 1);  // has no out-of-bag prediction yet
  for (const Examples* rows : {static_cast<const Examples*>(nullptr), &held_out}) {
    const Ensemble one = calibrate(trained, spirals.examples(), rows, {.threads = 1});
    const Ensemble seven = calibrate(trained, spirals.examples(), rows, {.threads = 7});
    EXPECT_EQ(one.frame().temperature, seven.frame().temperature);
    EXPECT_EQ(one.out_of_bag().mean, seven.out_of_bag().mean);
  }
}

// Without the pseudo-row, the likelihood of an ensemble that is always right has no maximum.
TEST(Calibration, FewCorrectRowsDoNotReachTheLowerBound) {
  std::vector<double> x;
  std::vector<std::int32_t> label;
  for (int i = 0; i < 40; ++i) {
    x.push_back(i < 20 ? -1 - 0.01 * i : 1 + 0.01 * i);
    label.push_back(i < 20 ? 0 : 1);
  }
  const data::Labels classes = data::labels(label);
  const Examples examples{DataView(x), &classes};
  const Ensemble trained = train(examples, {.hidden = {8}}, {.members = 20, .epochs = 400});
  const Ensemble found = calibrate(trained, examples);
  ASSERT_EQ(evaluate_classes(found.out_of_bag(), classes.codes).accuracy, 1);
  double sum = 0;
  for (std::size_t row = 0; row < 40; ++row) sum += found.out_of_bag().probability(row, row / 20);
  EXPECT_GT(sum / 40, 0.9);
  EXPECT_NEAR(1 - sum / 40, 0.5 / 41, 0.3 / 41);  // half a misclassified row in 41
}

TEST(Calibration, UsesRowWeights) {
  const Odds sharp(3, 4'000);
  const Odds flat(0.5, 4'000);
  Odds both = sharp;
  both.x.insert(both.x.end(), flat.x.begin(), flat.x.end());
  both.classes.codes.insert(both.classes.codes.end(), flat.classes.codes.begin(),
                            flat.classes.codes.end());
  std::vector<double> weights(8'000, 0.0);
  std::fill(weights.begin(), weights.begin() + 4'000, 2.5);
  Examples rows = both.examples();
  rows.weights = ColumnView(weights);
  const Examples alone = sharp.examples();
  const double expected = calibrate(sharp.network(), alone, &alone).frame().temperature;
  EXPECT_NEAR(calibrate(sharp.network(), rows, &rows).frame().temperature / expected, 1, 3e-3);
}

// A common factor of the weights has no effect; a few rows with nearly all weight count as few
// rows.
TEST(Calibration, FewHeavyRowsCountAsFew) {
  const Odds odds(3, 400);
  Examples rows = odds.examples();
  const auto found = [&](const std::vector<double>& weights) {
    rows.weights = ColumnView(weights);
    return calibrate(odds.network(), rows, &rows).frame().temperature;
  };
  const double all = found(std::vector<double>(400, 1.0));
  EXPECT_NEAR(found(std::vector<double>(400, 0.001)) / all, 1, 1e-6);
  std::vector<double> weights(400, 1e-9);
  Odds few = odds;
  few.x.resize(12);
  few.classes.codes.resize(12);
  std::fill(weights.begin(), weights.begin() + 12, 1.0);
  const Examples alone = few.examples();
  EXPECT_NEAR(found(weights) / calibrate(few.network(), alone, &alone).frame().temperature, 1,
              1e-3);
}

TEST(Temperature, AppliesToPredictionsAndIsStored) {
  const Spirals spirals(90);
  const DataView rows = spirals.examples().inputs;
  const Ensemble trained = train(spirals.examples(), {.hidden = {6}}, {.members = 5, .steps = 90});
  const Ensemble cold = with_temperature(trained, 0.25);
  EXPECT_EQ(cold.out_of_bag().rows, 0U);
  const Prediction plain = trained.predict(rows);
  const Prediction prediction = cold.predict(rows);
  for (std::size_t row = 0; row < 90; ++row) {
    const double odds = plain.probability(row, 1) / plain.probability(row, 0);
    const double expected = 1 / (1 + std::pow(odds, -4));
    EXPECT_NEAR(prediction.probability(row, 1), expected, 1e-13);
    EXPECT_NEAR(prediction.probability(row, 0) + prediction.probability(row, 1), 1, 1e-15);
    EXPECT_NEAR(prediction.total[row],
                -expected * std::log(expected) - (1 - expected) * std::log1p(-expected), 1e-12);
    EXPECT_NEAR(prediction.epistemic[row] * plain.total[row],
                plain.epistemic[row] * prediction.total[row], 1e-15);
    EXPECT_EQ(prediction.predicted_class(row), plain.predicted_class(row));
  }
  // The same out of bag, where some rows were used by all five members.
  const Prediction judged = apply_temperature(trained.out_of_bag(), 0.25);
  const Prediction again = out_of_bag(cold, spirals.examples());
  EXPECT_EQ(judged.members, again.members);
  EXPECT_GT(std::ranges::count(judged.members, 0U), 0);
  for (std::size_t i = 0; i < judged.mean.size(); ++i) {
    EXPECT_EQ(std::isnan(judged.mean[i]), judged.members[i / 2] == 0);
    if (judged.members[i / 2] > 0) {
      EXPECT_NEAR(judged.mean[i], again.mean[i], 1e-12);
    }
  }
  const TempFile file("model.safetensors");
  cold.save(file.path());
  EXPECT_EQ(Ensemble::load(file.path()).predict(rows).mean, prediction.mean);
  // The temperature of all members is not that of a subset.
  EXPECT_EQ(cold.subset(std::vector<std::size_t>{0, 2}).frame().temperature, 1);
  EXPECT_EQ(best(cold, 2, spirals.examples()).frame().temperature, 1);
}

TEST(Temperature, StreamedAndStoredMembersAgree) {
  const Spirals spirals(100);
  Training training{.members = 40, .epochs = 100};
  training.settings[0].architecture.hidden = {16};
  const DataView rows = spirals.examples().inputs;
  const Ensemble kept = calibrate(train(spirals.examples(), training), spirals.examples());
  const StreamedPrediction streamed = train_and_predict(spirals.examples(), training, rows);
  const double found = fit_temperature(streamed.out_of_bag, spirals.classes.codes);
  EXPECT_NEAR(found / kept.frame().temperature, 1, 1e-6);
  const Prediction prediction = apply_temperature(streamed.prediction, kept.frame().temperature);
  for (std::size_t i = 0; i < prediction.mean.size(); ++i)
    EXPECT_NEAR(prediction.mean[i], kept.predict(rows).mean[i], 1e-12);
}

TEST(Calibration, RejectsInvalidArguments) {
  const Spirals spirals(60);
  const auto message = [&](const Ensemble& ensemble) {
    return message_of<InvalidArgument>([&] { (void)calibrate(ensemble, spirals.examples()); });
  };
  Training training{.members = 2, .epochs = 2, .resampling = Resampling::bayesian};
  EXPECT_TRUE(says(message(train(spirals.examples(), {.hidden = {4}}, training)), "bayesian"));
  const Examples numbers{spirals.examples().inputs, nullptr, DataView(spirals.x)};
  EXPECT_TRUE(says(message(train(numbers, {.hidden = {4}}, {.members = 2, .epochs = 2})),
                   "targets of 0 and 1"));
  const Ensemble trained = train(spirals.examples(), {.hidden = {4}}, {.members = 2, .epochs = 2});
  const Spirals others(60, 0.05, 2);  // the same number of rows
  EXPECT_THROW((void)calibrate(trained, others.examples()), InvalidArgument);
  std::vector<double> weights(60, 1.0);
  Examples weighed = spirals.examples();
  for (const double wrong : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    weights[7] = wrong;
    weighed.weights = ColumnView(weights);
    EXPECT_THROW((void)calibrate(trained, weighed), DataError) << wrong;
  }
  EXPECT_THROW(
      (void)apply_temperature(
          train(numbers, {.hidden = {4}}, {.members = 2, .epochs = 2}).predict(numbers.inputs), 2),
      InvalidArgument);
  for (const double wrong : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW((void)with_temperature(trained, wrong), InvalidArgument) << wrong;
}

}  // namespace calibration_test
}  // namespace bootfold::ensemble
