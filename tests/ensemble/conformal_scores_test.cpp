// Conformal scores that training keeps, and the intervals and sets that are made from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <stop_token>
#include <utility>

#include "bootfold/ensemble/calibration.h"
#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/ensemble/streaming.h"
#include "bootfold/error.h"
#include "bootfold/random.h"
#include "data/temp_file.h"
#include "ensemble/selection/row_draws.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace conformal_scores_test {

using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A curve of positive targets, and whether they are above their median.
struct Curve {
  Curve(std::size_t rows, std::uint64_t seed) {
    random::Stream stream({.seed = seed});
    for (std::size_t i = 0; i < rows; ++i) {
      x.push_back(2 * random::uniform(stream) - 1);
      y.push_back(std::exp(std::sin(3 * x.back()) + 0.3 * random::normal(stream)));
      high.push_back(y.back() > 1 ? 1 : 0);
    }
  }
  [[nodiscard]] Examples examples() const { return {DataView(x), nullptr, DataView(y)}; }
  [[nodiscard]] Examples both() const {
    return {DataView(x), nullptr, DataView({ColumnView(y), ColumnView(high)}, {"y", "high"})};
  }
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> high;
};

Training training_of(std::size_t members, Resampling resampling = Resampling::bootstrap) {
  Training training{.members = members, .steps = 100, .resampling = resampling, .seed = 3};
  training.settings[0].architecture = {.hidden = {8}, .activation = Activation::tanh};
  training.settings[0].learning_rate = 0.05;
  return training;
}

std::vector<double> noise(std::size_t count) {
  random::Stream stream({.seed = 5});
  std::vector<double> values(count);
  for (double& value : values) value = random::normal(stream);
  return values;
}

// In all orders of 5 values, the last is at most the limit of the others as often as the rank says.
TEST(ScoreOrder, CoversByItsDefinition) {
  for (const auto& [confidence, rank] :
       std::array{std::pair(0.5, 3), std::pair(0.6, 3), std::pair(0.61, 4), std::pair(0.8, 4)}) {
    std::array<double, 5> values = {0.1, 0.4, 0.7, 1, 2};
    int inside = 0;
    do {
      const ScoreOrder order = ScoreOrder::of({values.begin(), values.begin() + 4});
      inside += values[4] <= order.limit(confidence) ? 1 : 0;
    } while (std::ranges::next_permutation(values).found);
    EXPECT_EQ(inside, 120 * rank / 5);
  }
  EXPECT_EQ(ScoreOrder::of({3, 1, 2, 0}).limit(0.81), kInfinity);
  EXPECT_EQ(ScoreOrder::of({1, std::nan(""), 0}).limit(0.75), kInfinity);
  EXPECT_EQ(ScoreOrder::of({1, std::nan(""), 0}).limit(0.5), 1);
  for (const double wrong : {0.0, 1.0, 90.0, std::nan("")})
    EXPECT_TRUE(says(message_of<InvalidArgument>([&] { (void)ScoreOrder::of({1}).limit(wrong); }),
                     "above 0 and below 1"));
}

// All scores up to 4096; of more a few thousand, whose limits cover at most a 256th of what is
// left out more.
TEST(ScoreOrder, KeepsFewScoresOfManyAndIsConservative) {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{100}, std::size_t{4096}})
    EXPECT_EQ(ScoreOrder::of(noise(rows)).values.size(), rows);
  EXPECT_LT(kept_ranks(4097).size(), 1500U);
  EXPECT_LT(kept_ranks(1'000'000).size(), 3000U);
  EXPECT_LT(kept_ranks(std::uint64_t{1} << 53).size(), 10'000U);
  for (const std::size_t rows : {std::size_t{4097}, std::size_t{100'000}}) {
    std::vector<double> scores = noise(rows);
    const ScoreOrder order = ScoreOrder::of(scores);
    std::ranges::sort(scores);
    for (const double confidence : {0.001, 0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999}) {
      const double place = confidence * (static_cast<double>(rows) + 1);
      const auto rank = static_cast<std::size_t>(std::ceil(place - 1e-9 * place));
      const double limit = order.limit(confidence);
      if (rank > rows) {
        EXPECT_EQ(limit, kInfinity);
        continue;
      }
      const auto found = static_cast<std::size_t>(std::ranges::upper_bound(scores, limit) -
                                                  scores.begin());  // its rank
      EXPECT_GE(found, rank);
      EXPECT_LE(found - rank, (rows + 1 - rank) / 256) << rows << ' ' << confidence;
    }
  }
}

TEST(ConformalScores, OfTrainingAreThoseOfTheOutOfBagPrediction) {
  const Curve curve(80, 1);
  for (const TargetTransform transform :
       {TargetTransform::none, TargetTransform::log, TargetTransform::quantile}) {
    Training training = training_of(20);
    training.target_transforms = {transform};
    const Ensemble ensemble = train(curve.examples(), training);
    const Prediction& bag = ensemble.out_of_bag();
    std::vector<double> residuals;
    std::vector<double> scaled;
    for (std::size_t row = 0; row < 80; ++row) {
      if (bag.members[row] == 0) continue;
      const bool log = transform == TargetTransform::log;
      const double off =
          log ? std::log(curve.y[row]) - bag.transformed_mean[row] : curve.y[row] - bag.mean[row];
      residuals.push_back(std::abs(off));
      scaled.push_back(std::abs(off) / (log ? bag.transformed_total : bag.total)[row]);
    }
    const ConformalScores& scores = ensemble.frame().conformal;
    EXPECT_EQ(scores.rows, ScoreRows::out_of_bag);
    EXPECT_EQ(scores.residuals, std::vector{ScoreOrder::of(residuals)});
    EXPECT_EQ(scores.scaled, std::vector{ScoreOrder::of(scaled)});
    EXPECT_EQ(default_interval_method(ensemble.frame()), IntervalMethod::scaled);

    const Curve fresh(50, 2);
    const Prediction prediction = ensemble.predict(DataView(fresh.x));
    const std::vector<Limits> limits = default_intervals(ensemble.frame(), prediction, 0.8);
    const double half = ScoreOrder::of(scaled).limit(0.8);
    for (std::size_t row = 0; row < 50; ++row) {
      if (transform == TargetTransform::log) {
        EXPECT_EQ(limits[row].high, std::exp(prediction.transformed_mean[row] +
                                             half * prediction.transformed_total[row]));
      } else {
        EXPECT_EQ(limits[row].low, prediction.mean[row] - half * prediction.total[row]);
      }
    }
  }
}

// Weights are those of the loss: a row counts once, or not at all.
TEST(ConformalScores, LeaveOutRowsOfWeightZero) {
  const Curve curve(60, 1);
  std::vector<double> weights(60, 2.5);
  weights[3] = weights[40] = 0;
  Examples examples = curve.examples();
  examples.weights = ColumnView(weights);
  const Ensemble ensemble = train(examples, training_of(30));
  EXPECT_EQ(ensemble.frame().conformal.residuals[0].rows, 58U);
}

// Joined, selected, streamed and calibrated members have scores of their own.
TEST(ConformalScores, FollowTheMembers) {
  const Curve curve(80, 1);
  const Ensemble ensemble = train(curve.examples(), training_of(20));
  Training part = training_of(10);
  std::vector<Ensemble> parts = {train(curve.examples(), part)};
  part.first_member = 10;
  parts.push_back(train(curve.examples(), part));
  const Ensemble joined = join(parts, curve.examples());
  EXPECT_EQ(joined.frame().conformal.residuals[0].rows,
            ensemble.frame().conformal.residuals[0].rows);
  EXPECT_NEAR(joined.frame().conformal.residuals[0].limit(0.9),
              ensemble.frame().conformal.residuals[0].limit(0.9), 1e-9);
  const Ensemble few = best(ensemble, 12, curve.examples());
  EXPECT_EQ(few.frame().conformal,
            out_of_bag_scores(few.frame(), few.out_of_bag(), curve.examples()));
  EXPECT_EQ(ensemble.subset(std::vector<std::size_t>{0, 1}).frame().conformal, ConformalScores());
  const StreamedPrediction streamed =
      train_and_predict(curve.examples(), training_of(20), DataView(curve.x));
  EXPECT_EQ(streamed.frame.conformal.rows, ScoreRows::out_of_bag);

  const Spirals spirals(100);
  const Ensemble classes =
      train(spirals.examples(), {.hidden = {8}}, {.members = 40, .epochs = 50});
  const Ensemble calibrated = calibrate(classes, spirals.examples());
  EXPECT_NE(calibrated.frame().temperature, 1);
  EXPECT_EQ(calibrated.frame().conformal,
            out_of_bag_scores(calibrated.frame(), calibrated.out_of_bag(), spirals.examples()));
  EXPECT_NE(calibrated.frame().conformal, classes.frame().conformal);
  Ensemble changed = calibrated;
  changed.set_temperature(2);
  EXPECT_EQ(changed.frame().conformal.rows, ScoreRows::none);
}

TEST(ConformalScores, MembersThatSawAllRowsNeedValidationRows) {
  const Curve curve(60, 1);
  const Curve aside(200, 2);
  const Examples held_out = aside.examples();
  for (const Resampling resampling : {Resampling::none, Resampling::bayesian}) {
    Training training = training_of(5, resampling);
    const Ensemble without = train(curve.examples(), training);
    EXPECT_EQ(without.frame().conformal, ConformalScores());
    EXPECT_EQ(default_interval_method(without.frame()), std::nullopt);
    const Prediction prediction = without.predict(DataView(aside.x));
    for (const Limits& limits : default_intervals(without.frame(), prediction))
      EXPECT_TRUE(std::isnan(limits.low) && std::isnan(limits.high));
    EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                       (void)conformal_intervals(without.frame(), prediction, 0.9,
                                                 IntervalMethod::conformal);
                     }),
                     "validation"));
    training.validation = &held_out;
    const Ensemble with = train(curve.examples(), training);
    EXPECT_EQ(with.frame().conformal.rows, ScoreRows::held_out);
    EXPECT_EQ(with.frame().conformal, conformal_scores(with, held_out));
    EXPECT_EQ(default_interval_method(with.frame()), IntervalMethod::conformal);
    const Limits limits = default_intervals(with.frame(), prediction)[0];
    EXPECT_EQ(limits.high, prediction.mean[0] + with.frame().conformal.residuals[0].limit(0.95));
  }
}

// A share of 1, and one that rounds to all rows, leave none out: nothing tells the noise.
TEST(ConformalScores, SubsamplesOfAllRowsHaveNone) {
  const Curve curve(60, 1);
  Training training = training_of(5, Resampling::subsample);
  for (const double share : {1.0, 0.9999}) {
    training.settings[0].subsample = share;
    const Ensemble ensemble = train(curve.examples(), training);
    EXPECT_FALSE(leaves_rows_out(ensemble.frame()));
    EXPECT_EQ(ensemble.out_of_bag().rows, 0U);
    EXPECT_FALSE(has_normal_intervals(ensemble.frame()));
    EXPECT_EQ(default_interval_method(ensemble.frame()), std::nullopt);
    const Prediction prediction = ensemble.predict(DataView(curve.x));
    EXPECT_TRUE(std::isnan(default_intervals(ensemble.frame(), prediction)[0].low));
    EXPECT_TRUE(
        says(message_of<InvalidArgument>([&] { (void)out_of_bag(ensemble, curve.examples()); }),
             "subsample 1"));
  }
  training.settings.push_back(training.settings[0]);  // one that leaves rows out is enough
  training.settings[1].subsample = 0.5;
  training.members = 10;
  EXPECT_EQ(default_interval_method(train(curve.examples(), training).frame()),
            IntervalMethod::scaled);
}

// Each row is scored by the members that the other folds select.
TEST(ConformalScores, OfASelectionAreOfRowsThatDidNotSelect) {
  const Curve curve(80, 1);
  const Curve aside(70, 2);
  const Examples validation = aside.examples();
  Training training = training_of(30);
  training.keep_held_out = true;
  const Ensemble plain = train(curve.examples(), training);
  training.validation = &validation;
  const Ensemble judged = train(curve.examples(), training);
  for (const bool by_validation : {false, true}) {
    const Ensemble& ensemble = by_validation ? judged : plain;
    const Examples* const rows = by_validation ? &validation : nullptr;
    const Selection selection = select(
        ensemble, curve.examples(), {.rule = SelectionRule::best, .count = 6, .validation = rows});
    ASSERT_EQ(selection.without_fold.size(), SelectionOptions::kFolds);
    const Ensemble kept = keep(ensemble, selection, curve.examples(), {}, rows);
    EXPECT_EQ(kept.size(), 6U);
    const std::vector<double>& y = by_validation ? aside.y : curve.y;
    std::vector<double> residuals(y.size(), -1);
    for (std::size_t f = 0; f < SelectionOptions::kFolds; ++f) {
      const Ensemble part = ensemble.subset(selection.without_fold[f]);
      const Prediction found =
          by_validation ? part.predict(DataView(aside.x)) : out_of_bag(part, curve.examples());
      for (std::size_t row = 0; row < y.size(); ++row)
        if (RowDraws(training.seed, by_validation, row).fold(SelectionOptions::kFolds) == f &&
            found.members[row] > 0)
          residuals[row] = std::abs(y[row] - found.mean[row]);
    }
    std::erase(residuals, -1);
    const ConformalScores& scores = kept.frame().conformal;
    EXPECT_EQ(scores.rows, by_validation ? ScoreRows::held_out : ScoreRows::out_of_bag);
    ASSERT_EQ(scores.residuals[0].rows, residuals.size());
    const ScoreOrder expected = ScoreOrder::of(residuals);
    for (std::size_t i = 0; i < residuals.size(); ++i)
      EXPECT_NEAR(scores.residuals[0].values[i], expected.values[i], 1e-6);
    EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                       (void)keep(ensemble, selection, curve.examples(), {},
                                  by_validation ? nullptr : &validation);
                     }),
                     by_validation ? "give them" : "give none"));
  }
}

// Targets are noise, so the best of many members are the luckiest. 40 sets of rows with 1,000 new
// rows each: the mean coverage of 90 % intervals has a standard error below 0.006, and scores of
// the rows that select cover 0.02 less.
TEST(ConformalScores, OfASelectionCoverNewRows) {
  constexpr int kSets = 40;
  double honest = 0;
  double optimistic = 0;
  for (int set = 0; set < kSets; ++set) {
    random::Stream stream({.seed = 500 + static_cast<std::uint64_t>(set)});
    const auto noise_of = [&](std::size_t count) {
      std::vector<double> values(count);
      for (double& value : values) value = random::normal(stream);
      return values;
    };
    const auto columns_of = [&](std::size_t rows) {
      std::vector<std::vector<double>> columns(6);
      for (std::vector<double>& column : columns) column = noise_of(rows);
      return columns;
    };
    const auto columns = columns_of(60);
    const auto fresh = columns_of(1000);
    const std::vector<double> y = noise_of(60);
    const std::vector<double> truth = noise_of(1000);
    const auto view = [](const std::vector<std::vector<double>>& all) {
      return DataView(std::vector<ColumnView>(all.begin(), all.end()));
    };
    Training training{.members = 60, .steps = 60, .seed = 3};
    training.settings[0].architecture.hidden = {4};
    training.keep_held_out = true;
    const Examples examples{view(columns), nullptr, DataView(y)};
    const Ensemble trained = train(examples, training);
    const Selection found = select(trained, examples, {.rule = SelectionRule::best, .count = 4});
    const auto covered = [&](const Ensemble& kept) {
      const Prediction prediction = kept.predict(view(fresh));
      const auto limits = default_intervals(kept.frame(), prediction, 0.9);
      double inside = 0;
      for (std::size_t row = 0; row < 1000; ++row)
        inside += limits[row].low <= truth[row] && truth[row] <= limits[row].high ? 1 : 0;
      return inside / 1000;
    };
    honest += covered(keep(trained, found, examples)) / kSets;
    optimistic += covered(keep(trained, found.members, examples)) / kSets;
  }
  EXPECT_GT(honest, 0.88);
  EXPECT_LT(optimistic, honest - 0.02);
}

TEST(ConformalScores, OfACalibratedSelectionAreOfRowsThatDidNotSelect) {
  const Spirals spirals(120);
  Training training{.members = 30, .steps = 60, .seed = 3};
  training.settings[0].architecture.hidden = {8};
  training.keep_held_out = true;
  const Ensemble ensemble = train(spirals.examples(), training);
  const Selection selection =
      select(ensemble, spirals.examples(), {.rule = SelectionRule::best, .count = 5});
  const Ensemble kept = keep(ensemble, selection, spirals.examples());
  const Ensemble by_selectors = keep(ensemble, selection.members, spirals.examples());
  const Ensemble calibrated = calibrate(kept, spirals.examples());
  EXPECT_NE(calibrated.frame().temperature,
            calibrate(by_selectors, spirals.examples()).frame().temperature);
  EXPECT_EQ(calibrated.frame().conformal.residuals[0].rows,
            kept.frame().conformal.residuals[0].rows);
}

TEST(ConformalScores, RejectThoseThatCannotBe) {
  const Curve curve(60, 1);
  Ensemble ensemble = train(curve.examples(), training_of(20));
  const ConformalScores good = ensemble.frame().conformal;
  const auto with = [&](auto change) {
    ConformalScores wrong = good;
    change(wrong);
    return message_of<InvalidArgument>([&] { ensemble.set_conformal(wrong); });
  };
  EXPECT_TRUE(says(with([](auto& s) { s.residuals[0] = s.scaled[0] = {}; }), "scores of 0 rows"));
  EXPECT_TRUE(says(with([](auto& s) { s.scaled[0] = {}; }), "same number of rows"));
  EXPECT_TRUE(says(with([](auto& s) { s.scaled[0].values[3] = std::nan(""); }), "not a number"));
  EXPECT_TRUE(says(with([](auto& s) { s.residuals[0].values[3] = 1e9; }), "do not ascend"));
  EXPECT_EQ(ScoreOrder().limit(0.9), kInfinity);
  std::vector<double> y = curve.y;
  y[7] = std::nan("");
  const Examples aside{DataView(curve.x), nullptr, DataView(y)};
  EXPECT_TRUE(says(message_of<DataError>([&] { (void)conformal_scores(ensemble, aside); }), "row 8",
                   "not finite"));
}

TEST(ConformalScores, OfStreamedMembersAreThoseOfTheValidationRows) {
  const Curve curve(60, 1);
  const Curve aside(50, 2);
  const Examples validation = aside.examples();
  for (const Resampling resampling : {Resampling::bootstrap, Resampling::none}) {
    Training training = training_of(20, resampling);
    training.validation = &validation;
    const ConformalScores found =
        train_and_predict(curve.examples(), training, DataView(curve.x)).frame.conformal;
    const ConformalScores wanted = train(curve.examples(), training).frame().conformal;
    EXPECT_EQ(found.rows, ScoreRows::held_out);
    ASSERT_EQ(found.residuals[0].rows, 50U);
    for (std::size_t i = 0; i < 50; ++i)
      EXPECT_NEAR(found.residuals[0].values[i], wanted.residuals[0].values[i], 1e-9);
  }
}

/// Validation rows that stop the training when they are read again, after the last step.
class StopsWhenReadAgain final : public data::Source {
 public:
  StopsWhenReadAgain(const std::vector<double>& values, std::stop_source& stop)
      : values_(values), stop_(stop) {}

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override {
    return values_.size();
  }
  [[nodiscard]] std::unique_ptr<data::Pass> open() const override {
    class Once final : public data::Pass {
     public:
      explicit Once(const std::vector<double>& values) : values_(values) {}
      std::optional<data::Chunk> next() override {
        if (std::exchange(done_, true)) return std::nullopt;
        return data::Chunk{DataView(values_), nullptr};
      }

     private:
      const std::vector<double>& values_;
      bool done_ = false;
    };
    if (++opened_ == 2) stop_.request_stop();
    return std::make_unique<Once>(values_);
  }

 private:
  const std::vector<double>& values_;
  std::stop_source& stop_;
  std::vector<std::string> names_ = {"x"};
  mutable int opened_ = 0;
};

TEST(ConformalScores, OfATrainingThatIsStoppedAfterItsLastStepAreMade) {
  const Curve curve(60, 1);
  const Curve aside(50, 2);
  std::stop_source stop;
  const StopsWhenReadAgain source(aside.x, stop);
  const Examples validation{.inputs = {}, .targets = DataView(aside.y), .source = &source};
  Training training = training_of(8);
  training.validation = &validation;
  training.execution.stop = stop.get_token();
  const Ensemble ensemble = train(curve.examples(), training);
  EXPECT_TRUE(stop.stop_requested());
  EXPECT_EQ(ensemble.frame().conformal.residuals[0].rows, 50U);
}

TEST(ConformalScores, SurviveFiles) {
  const Curve curve(60, 1);
  const Ensemble ensemble = train(curve.both(), [] {
    Training training = training_of(8);
    training.losses = {Loss::pinball, Loss::binary};
    training.quantiles = {0.1, 0.9};
    return training;
  }());
  const Ensemble calibrated = calibrate(ensemble, curve.both());
  ASSERT_EQ(calibrated.frame().temperatures.size(), 2U);
  EXPECT_EQ(calibrated.frame().temperatures[0], 1);
  EXPECT_NE(calibrated.frame().temperatures[1], 1);
  for (const Ensemble& each : {ensemble, calibrated}) {
    const TempFile file("model.safetensors");
    each.save(file.path());
    const Ensemble loaded = Ensemble::load(file.path());
    EXPECT_EQ(loaded.frame().conformal, each.frame().conformal);
    EXPECT_EQ(loaded.frame().temperatures, each.frame().temperatures);
    EXPECT_EQ(loaded.predict(DataView(curve.x)).mean, each.predict(DataView(curve.x)).mean);
    for (std::size_t row = 0; row < 60; ++row)  // of quantiles it is NaN
      EXPECT_EQ(loaded.predict(DataView(curve.x)).total[row * 3 + 2],
                each.predict(DataView(curve.x)).total[row * 3 + 2]);
  }
}

TEST(ConformalScores, OfQuantilesMoveTheLowestAndTheHighest) {
  const Curve curve(120, 1);
  Training training = training_of(20);
  training.loss = Loss::pinball;
  training.quantiles = {0.25, 0.5, 0.75};
  const Ensemble ensemble = train(curve.examples(), training);
  EXPECT_EQ(default_interval_method(ensemble.frame()), IntervalMethod::conformal);
  const Prediction& bag = ensemble.out_of_bag();
  std::vector<double> outside;
  for (std::size_t row = 0; row < 120; ++row)
    if (bag.members[row] > 0)
      outside.push_back(
          std::max(bag.mean[row * 3] - curve.y[row], curve.y[row] - bag.mean[row * 3 + 2]));
  EXPECT_EQ(ensemble.frame().conformal.residuals[0], ScoreOrder::of(outside));
  const Prediction prediction = ensemble.predict(DataView(curve.x));
  for (const double confidence : {0.1, 0.9}) {
    const std::vector<Limits> limits = default_intervals(ensemble.frame(), prediction, confidence);
    const double move = ScoreOrder::of(outside).limit(confidence);
    EXPECT_EQ(move > 0, confidence == 0.9);
    for (std::size_t row = 0; row < 120; ++row) {
      EXPECT_LE(limits[row].low, limits[row].high);
      if (confidence == 0.9) {
        EXPECT_EQ(limits[row].low, prediction.mean[row * 3] - move);
      }
    }
  }
}

TEST(PredictionSets, OfClassesHaveWhatIsProbableEnough) {
  const Spirals spirals(150);
  const Ensemble ensemble =
      train(spirals.examples(), {.hidden = {8}}, {.members = 30, .epochs = 20});
  const Prediction prediction = ensemble.predict(spirals.examples().inputs);
  const std::size_t classes = prediction.outputs;
  for (const SetMethod method : {SetMethod::threshold, SetMethod::adaptive}) {
    const auto sets = prediction_sets(ensemble.frame(), prediction, 0.8, method);
    const ConformalScores& scores = ensemble.frame().conformal;
    const double limit =
        (method == SetMethod::threshold ? scores.residuals : scores.scaled)[0].limit(0.8);
    for (std::size_t row = 0; row < prediction.rows; ++row)
      for (std::size_t c = 0; c < classes; ++c) {
        double score = 1 - prediction.probability(row, c);
        if (method == SetMethod::adaptive) {
          score = 0;
          for (std::size_t other = 0; other < classes; ++other)
            if (prediction.probability(row, other) >= prediction.probability(row, c))
              score += prediction.probability(row, other);
        }
        if (std::abs(score - limit) < 1e-12) continue;
        EXPECT_EQ(sets[row * classes + c] != 0,
                  score < limit || c == prediction.predicted_class(row));
      }
  }
  const auto all = prediction_sets(ensemble.frame(), prediction, 0.9999);
  EXPECT_TRUE(std::ranges::all_of(all, [](std::uint8_t belongs) { return belongs == 1; }));
}

TEST(PredictionSets, OfLabelsAreOfZeroAndOne) {
  const Curve curve(150, 1);
  Training training = training_of(20);
  training.losses = {Loss::squared_error, Loss::binary};
  const Ensemble ensemble = train(curve.both(), training);
  const Prediction prediction = ensemble.predict(DataView(curve.x));
  const auto sets = prediction_sets(ensemble.frame(), prediction, 0.9);
  const double limit = ensemble.frame().conformal.residuals[1].limit(0.9);
  ASSERT_EQ(sets.size(), 150U * 4);
  for (std::size_t row = 0; row < 150; ++row) {
    const double one = prediction.mean[row * 2 + 1];
    EXPECT_EQ(sets[row * 4], 0);  // of a number
    EXPECT_EQ(sets[row * 4 + 2] != 0, one <= limit || one <= 0.5);
    EXPECT_EQ(sets[row * 4 + 3] != 0, 1 - one <= limit || one > 0.5);
  }
  const std::vector<Limits> limits = default_intervals(ensemble.frame(), prediction);
  EXPECT_TRUE(std::isnan(limits[1].low));
  EXPECT_LT(limits[0].low, limits[0].high);
}

TEST(PredictionSets, RejectNumbersAndSayWhatToDo) {
  const Curve curve(60, 1);
  const Ensemble ensemble = train(curve.examples(), training_of(5));
  const Prediction prediction = ensemble.predict(DataView(curve.x));
  EXPECT_TRUE(says(
      message_of<InvalidArgument>([&] { (void)prediction_sets(ensemble.frame(), prediction); }),
      "conformal_intervals()"));
  const Spirals spirals(60);
  const Ensemble classes = train(spirals.examples(), {.hidden = {4}}, {.members = 5, .epochs = 2});
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                     (void)conformal_intervals(classes.frame(), prediction, 0.9,
                                               IntervalMethod::scaled);
                   }),
                   "predicts classes"));
  Ensemble wrong = ensemble;
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                     wrong.set_conformal({ScoreRows::held_out, {{}, {}}, {{}, {}}});
                   }),
                   "scores of 2 targets"));
}

// A label is calibrated as two classes are.
TEST(Temperature, OfLabelsAreThoseOfTwoClasses) {
  const Curve curve(150, 1);
  Training training = training_of(40);
  training.loss = Loss::multi_label;
  const Examples examples{DataView(curve.x), nullptr, DataView(curve.high)};
  const Ensemble ensemble = train(examples, training);
  const Ensemble calibrated = calibrate(ensemble, examples);
  Prediction two{.rows = 150, .outputs = 2};
  two.members = ensemble.out_of_bag().members;
  for (auto* list : {&two.total, &two.aleatoric, &two.epistemic}) list->resize(150);
  std::vector<std::uint32_t> truth;
  for (std::size_t row = 0; row < 150; ++row) {
    const double one = ensemble.out_of_bag().mean[row];
    two.mean.insert(two.mean.end(), {1 - one, one});
    truth.push_back(curve.high[row] == 1 ? 1 : 0);
  }
  const double temperature = fit_temperature(two, truth);
  ASSERT_EQ(calibrated.frame().temperatures, std::vector{temperature});
  const Prediction tempered = apply_temperature(two, temperature);
  for (std::size_t row = 0; row < 150; ++row)
    EXPECT_NEAR(calibrated.out_of_bag().mean[row], tempered.mean[row * 2 + 1], 1e-12);
  // Predictions at the temperature, and out of bag, come from the same code.
  const Prediction before = ensemble.predict(DataView(curve.x));
  const Prediction after = calibrated.predict(DataView(curve.x));
  for (std::size_t row = 0; row < 150; ++row) {
    const double odds = before.mean[row] / (1 - before.mean[row]);
    const double wanted = std::pow(odds, 1 / temperature);
    EXPECT_NEAR(after.mean[row], wanted / (1 + wanted), 1e-12);
    EXPECT_NEAR(after.aleatoric[row] / after.total[row], before.aleatoric[row] / before.total[row],
                1e-9);
  }
}

}  // namespace conformal_scores_test
}  // namespace bootfold::ensemble
