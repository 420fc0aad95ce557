// Scores against numbers computed by hand.
#include "bootfold/ensemble/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "data/temp_file.h"

namespace bootfold::ensemble {
namespace evaluation_test {

using testing_data::message_of;
using testing_data::says;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Three classes; all members were trained on the last row, so it has no prediction.
Prediction four_rows() {
  Prediction prediction;
  prediction.rows = 4;
  prediction.outputs = 3;
  prediction.mean = {0.7,  0.2,  0.1,  //
                     0.1,  0.6,  0.3,  //
                     0.2,  0.2,  0.6,  //
                     kNaN, kNaN, kNaN};
  prediction.total = prediction.aleatoric = prediction.epistemic = {0, 0, 0, kNaN};
  prediction.members = {5, 5, 5, 0};
  return prediction;
}

TEST(ClassScores, MatchHandComputedValues) {
  const std::vector<std::uint32_t> truth = {0, 1, 0, 2};
  const ClassScores scores = evaluate_classes(four_rows(), truth);
  EXPECT_EQ(scores.rows, 3U);
  EXPECT_EQ(scores.unknown, 1U);
  EXPECT_NEAR(scores.accuracy, 2.0 / 3, 1e-15);
  EXPECT_NEAR(scores.negative_log_likelihood, -(std::log(0.7) + std::log(0.6) + std::log(0.2)) / 3,
              1e-15);
  // 0.09 + 0.04 + 0.01, 0.01 + 0.16 + 0.09, 0.64 + 0.04 + 0.36.
  EXPECT_NEAR(scores.brier_score, (0.14 + 0.26 + 1.04) / 3, 1e-15);
  // 0.6 lies on the upper limit of bin (8/15, 9/15]: two rows, one right. 0.7 is in (10/15, 11/15].
  EXPECT_NEAR(scores.calibration_error, 2.0 / 3 * std::abs(0.6 - 0.5) + 1.0 / 3 * 0.3, 1e-15);
  ASSERT_EQ(scores.reliability.size(), 15U);
  EXPECT_EQ(scores.reliability[8].rows, 2U);
  EXPECT_NEAR(scores.reliability[8].confidence, 0.6, 1e-15);
  EXPECT_NEAR(scores.reliability[8].accuracy, 0.5, 1e-15);
  EXPECT_NEAR(scores.reliability[8].high, 0.6, 1e-15);
  EXPECT_EQ(scores.reliability[10].rows, 1U);
  EXPECT_EQ(scores.reliability[0].rows, 0U);
  EXPECT_TRUE(std::isnan(scores.reliability[0].accuracy));
  EXPECT_EQ(scores.reliability[14].high, 1);
}

TEST(ClassScores, AreFiniteForAProbabilityOfZero) {
  Prediction prediction;
  prediction.rows = 1;
  prediction.outputs = 2;
  prediction.mean = {1, 0};
  prediction.total = prediction.aleatoric = prediction.epistemic = {0};
  prediction.members = {1};
  const ClassScores scores = evaluate_classes(prediction, std::vector<std::uint32_t>{1});
  EXPECT_NEAR(scores.negative_log_likelihood, 38 * std::log(10.0), 1e-12);
  EXPECT_EQ(scores.brier_score, 2);
  EXPECT_EQ(scores.calibration_error, 1);
  EXPECT_EQ(scores.reliability[14].rows, 1U);
}

TEST(ClassScores, AreUnknownWithoutRows) {
  Prediction prediction = four_rows();
  prediction.members.assign(4, 0);
  const ClassScores scores = evaluate_classes(prediction, std::vector<std::uint32_t>(4));
  EXPECT_EQ(scores.rows, 0U);
  EXPECT_EQ(scores.unknown, 4U);
  EXPECT_TRUE(std::isnan(scores.accuracy));
  EXPECT_TRUE(std::isnan(scores.calibration_error));
}

Prediction three_numbers() {
  Prediction prediction;
  prediction.rows = 4;
  prediction.outputs = 1;
  prediction.mean = {1, 2, 6, kNaN};
  prediction.total = {1, 0.5, 2, kNaN};
  prediction.aleatoric = prediction.epistemic = {0, 0, 0, kNaN};
  prediction.members = {3, 3, 3, 0};
  return prediction;
}

TEST(TargetScores, MatchHandComputedValues) {
  // Errors 1, -1, -2; the mean of the truth is 7/3, squares round it 1/9 + 16/9 + 25/9 = 14/3.
  const std::vector<double> truth = {2, 1, 4, 100};
  const TargetScores scores =
      evaluate_targets(three_numbers(), DataView(truth), 0.6826894921370859)[0];
  EXPECT_EQ(scores.rows, 3U);
  EXPECT_EQ(scores.unknown, 1U);
  EXPECT_NEAR(scores.root_mean_squared_error, std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(scores.r_squared, 1 - 6.0 / (14.0 / 3), 1e-14);
  EXPECT_NEAR(scores.negative_log_likelihood,
              0.5 * std::log(2 * M_PI) + (std::log(0.5) + std::log(2.0)) / 3 +
                  (0.5 * 1 + 0.5 * 4 + 0.5 * 1) / 3,
              1e-14);
  // One standard deviation each way: the first and the third error are on the limit of it.
  EXPECT_NEAR(scores.mean_width, 2 * 3.5 / 3, 1e-14);
  const TargetScores wider = evaluate_targets(three_numbers(), DataView(truth), 0.70)[0];
  EXPECT_NEAR(wider.coverage, 2.0 / 3, 1e-15);
  EXPECT_EQ(wider.confidence, 0.70);
  EXPECT_NEAR(evaluate_targets(three_numbers(), DataView(truth), 0.6)[0].coverage, 0, 1e-15);
}

// A row of weight 3 counts as three rows, one of weight 0 as none.
TEST(ScoreWeights, EqualRepeatedRows) {
  const std::vector<double> weights = {3, 0, 1, 7};
  const ClassScores classes =
      evaluate_classes(four_rows(), std::vector<std::uint32_t>{0, 1, 0, 2}, ColumnView(weights));
  EXPECT_EQ(classes.rows, 3U);  // the last row has no prediction, whatever its weight
  EXPECT_EQ(classes.unknown, 1U);
  EXPECT_NEAR(classes.accuracy, 0.75, 1e-15);
  EXPECT_NEAR(classes.negative_log_likelihood, -(3 * std::log(0.7) + std::log(0.2)) / 4, 1e-15);
  EXPECT_NEAR(classes.brier_score, (3 * 0.14 + 1.04) / 4, 1e-15);
  EXPECT_NEAR(classes.calibration_error, (3 * 0.3 + 0.6) / 4, 1e-15);
  EXPECT_EQ(classes.reliability[8].rows, 2U);
  EXPECT_NEAR(classes.reliability[8].accuracy, 0, 1e-15);

  const std::vector<double> truth = {2, 1, 4, 100};
  const TargetScores once =
      evaluate_targets(three_numbers(), DataView(truth), 0.70, ColumnView(weights))[0];
  // Errors 1 (three times) and -2; the truth has a mean of 2.5 and squares 3/4 + 9/4 = 3 round it.
  EXPECT_NEAR(once.root_mean_squared_error, std::sqrt(7.0 / 4), 1e-15);
  EXPECT_NEAR(once.r_squared, 1 - 7.0 / 3, 1e-14);
  EXPECT_NEAR(once.negative_log_likelihood,
              0.5 * std::log(2 * M_PI) + std::log(2.0) / 4 + (3 * 0.5 + 0.5) / 4, 1e-14);
  EXPECT_NEAR(once.coverage, 1, 1e-15);
  EXPECT_NEAR(once.mean_width, 2 * 1.0364333894937898 * (3 * 1 + 2) / 4, 1e-12);
}

TEST(ScoreWeights, RejectInvalidValues) {
  const std::vector<std::uint32_t> truth = {0, 1, 0, 2};
  const auto with = [&](const std::vector<double>& weights) {
    return message_of<DataError>(
        [&] { static_cast<void>(evaluate_classes(four_rows(), truth, ColumnView(weights))); });
  };
  EXPECT_TRUE(says(with({1, -2, 1, 1}), "weight of row 2", "-2"));
  EXPECT_TRUE(says(with({1, 1, kNaN, 1}), "weight of row 3"));
  const std::vector<double> few(3, 1.0);
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                     static_cast<void>(evaluate_classes(four_rows(), truth, ColumnView(few)));
                   }),
                   "3 weights"));
  const std::vector<double> none(4, 0.0);
  EXPECT_TRUE(std::isnan(evaluate_classes(four_rows(), truth, ColumnView(none)).accuracy));
}

TEST(TargetScores, HaveInfiniteLikelihoodForZeroDeviation) {
  Prediction prediction = three_numbers();
  prediction.total.assign(4, 0);
  const std::vector<double> truth = {1, 2, 3, 0};
  const TargetScores scores = evaluate_targets(prediction, DataView(truth))[0];
  EXPECT_TRUE(std::isinf(scores.negative_log_likelihood));
  EXPECT_NEAR(scores.coverage, 2.0 / 3, 1e-15);
}

TEST(NormalIntervals, MatchTheNormalDistribution) {
  const std::vector<Limits> limits = normal_intervals(three_numbers(), 0.95);
  ASSERT_EQ(limits.size(), 4U);
  EXPECT_NEAR(limits[2].low, 6 - 2 * 1.959963984540054, 1e-12);
  EXPECT_NEAR(limits[2].high, 6 + 2 * 1.959963984540054, 1e-12);
  EXPECT_TRUE(std::isnan(limits[3].low));
}

TEST(ClassCodes, FollowTheNumberingOfTheEnsemble) {
  Ensemble::Frame frame;
  frame.classes = {"a", "b", "c"};
  const data::Labels labels = data::labels(std::vector<std::string>{"c", "b", "c"});
  EXPECT_EQ(class_codes(frame, labels), (std::vector<std::uint32_t>{2, 1, 2}));
  const data::Labels strange = data::labels(std::vector<std::string>{"a", "d"});
  EXPECT_TRUE(says(message_of<DataError>([&] { static_cast<void>(class_codes(frame, strange)); }),
                   "'d'", "'a', 'b', 'c'"));
}

TEST(Evaluation, RejectsInvalidArguments) {
  const auto refuses = [](auto&& act) {
    return message_of<InvalidArgument>([&] { static_cast<void>(act()); });
  };
  EXPECT_TRUE(
      says(refuses([] { return evaluate_classes(four_rows(), std::vector<std::uint32_t>(3)); }),
           "4 rows", "3"));
  EXPECT_TRUE(says(refuses([] {
                     return evaluate_classes(four_rows(), std::vector<std::uint32_t>{0, 3, 0, 0});
                   }),
                   "row 2", "3"));
  const std::vector<double> truth(4);
  EXPECT_TRUE(says(refuses([&] { return evaluate_targets(four_rows(), DataView(truth)); }),
                   "3 targets", "1"));
  EXPECT_TRUE(says(refuses([&] { return evaluate_targets(three_numbers(), DataView(truth), 1.0); }),
                   "confidence is 1"));
  EXPECT_TRUE(says(refuses([] { return normal_intervals(four_rows()); }), "class probabilities"));
}

}  // namespace evaluation_test
}  // namespace bootfold::ensemble
