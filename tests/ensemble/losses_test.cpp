// Losses of targets: the truth of made data is recovered, predictions, scores, files and misuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/negative_binomial.hpp>
#include <cmath>
#include <vector>

#include "bootfold/ensemble/bootstrap.h"
#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/evaluation.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/ensemble/streaming.h"
#include "bootfold/error.h"
#include "bootfold/random.h"
#include "data/temp_file.h"
#include "numeric/normal.h"

namespace bootfold::ensemble {
namespace losses_test {

using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

/// Half of a normal deviate is beyond this once in a million, on either side.
constexpr double kOnceInAMillion = 4.9;

/// Rows of two groups, x = -1 and 1, whose targets are drawn for each group.
template <class Draw>
struct Groups {
  Groups(std::size_t rows, std::uint64_t seed, Draw draw) {
    random::Stream stream({.seed = seed});
    for (std::size_t row = 0; row < rows; ++row) {
      x.push_back(row % 2 == 0 ? -1 : 1);
      y.push_back(draw(stream, x.back() > 0));
    }
  }
  [[nodiscard]] Examples examples() const { return {DataView(x), nullptr, DataView(y)}; }

  std::vector<double> x;
  std::vector<double> y;
};

/// A linear model of two groups has a parameter for each group: it converges to their estimates.
Ensemble fit_groups(const Examples& examples, Training training) {
  training.members = 3;
  training.resampling = Resampling::none;
  training.steps = 4000;
  training.settings[0].architecture.hidden = {};
  training.settings[0].batch_size = Settings::kFullBatch;
  training.settings[0].learning_rate = 0.02;
  training.settings[0].schedule = Schedule::cosine;
  return train(examples, training);
}

const std::vector<double> kEnds = {-1, 1};

double poisson(random::Stream& stream, double rate) {
  double count = 0;
  for (double time = random::exponential(stream); time < rate; time += random::exponential(stream))
    ++count;
  return count;
}

// Exponential targets with means 1 and 3: the estimate of a quantile leaves a share of the 2000
// targets of a group below it, so that the true probability below it is that quantile -+ a
// binomial error, outside the bounds once in a million for each of six.
TEST(Pinball, RecoversTheQuantilesOfAKnownLaw) {
  const Groups data(4000, 3, [](auto& stream, bool second) {
    return (second ? 3 : 1) * random::exponential(stream);
  });
  Training training{.loss = Loss::pinball};
  training.quantiles = {0.1, 0.5, 0.9};
  const Ensemble ensemble = fit_groups(data.examples(), training);
  const Prediction found = ensemble.predict(DataView(kEnds));
  ASSERT_EQ(found.outputs, 3U);
  for (std::size_t group = 0; group < 2; ++group)
    for (std::size_t q = 0; q < 3; ++q) {
      const double wanted = training.quantiles[q];
      const double below = 1 - std::exp(-found.mean[group * 3 + q] / (group == 0 ? 1 : 3));
      EXPECT_NEAR(below, wanted, kOnceInAMillion * std::sqrt(wanted * (1 - wanted) / 2000) + 2e-3);
      EXPECT_TRUE(std::isnan(found.total[group * 3 + q]));
      EXPECT_GE(found.epistemic[group * 3 + q], 0);
    }
}

// 1500 counts of each rate: their mean is off by more than 4.9 sqrt(rate / 1500) once in a million.
TEST(Poisson, RecoversRates) {
  const Groups data(3000, 4,
                    [](auto& stream, bool second) { return poisson(stream, second ? 40 : 5); });
  const Ensemble ensemble = fit_groups(data.examples(), {.loss = Loss::poisson});
  const Prediction found = ensemble.predict(DataView(kEnds));
  const double rates[2] = {5, 40};
  for (std::size_t group = 0; group < 2; ++group) {
    double mean = 0;
    for (std::size_t row = group; row < 3000; row += 2) mean += data.y[row] / 1500;
    EXPECT_NEAR(found.mean[group], mean, 2e-3 * mean);  // the estimate of highest likelihood
    EXPECT_NEAR(found.mean[group], rates[group],
                kOnceInAMillion * std::sqrt(rates[group] / 1500) + 2e-3 * mean);
    EXPECT_NEAR(found.aleatoric[group], std::sqrt(found.mean[group]), 1e-9);
  }
}

// Shares of 1500 rows: outside the bounds once in a million.
TEST(Binary, RecoversProbabilities) {
  const Groups data(3000, 5, [](auto& stream, bool second) {
    return random::uniform(stream) < (second ? 0.9 : 0.2) ? 1.0 : 0.0;
  });
  const double shares[2] = {0.2, 0.9};
  const Ensemble labels = fit_groups(data.examples(), {.loss = Loss::multi_label});
  data::Labels classes{{}, {"no", "yes"}, "answer"};
  for (const double y : data.y) classes.codes.push_back(y == 1 ? 1U : 0U);
  const Ensemble two = fit_groups({DataView(data.x), &classes}, {.loss = Loss::binary});
  EXPECT_TRUE(two.classifies());
  const Prediction found = labels.predict(DataView(kEnds));
  const Prediction probabilities = two.predict(DataView(kEnds));
  ASSERT_EQ(probabilities.outputs, 2U);
  for (std::size_t group = 0; group < 2; ++group) {
    const double bound =
        kOnceInAMillion * std::sqrt(shares[group] * (1 - shares[group]) / 1500) + 2e-3;
    EXPECT_NEAR(found.mean[group], shares[group], bound);
    EXPECT_NEAR(probabilities.probability(group, 1), shares[group], bound);
    EXPECT_NEAR(probabilities.probability(group, 0) + probabilities.probability(group, 1), 1,
                1e-12);
    EXPECT_NEAR(found.total[group], found.aleatoric[group] + found.epistemic[group], 1e-12);
  }
}

// With pos_weight w the odds are multiplied by w.
TEST(Binary, PositiveWeightMultipliesTheOdds) {
  const Groups data(2000, 6, [](auto& stream, bool second) {
    return random::uniform(stream) < (second ? 0.5 : 0.1) ? 1.0 : 0.0;
  });
  const Prediction plain =
      fit_groups(data.examples(), {.loss = Loss::multi_label}).predict(DataView(kEnds));
  Training weighted{.loss = Loss::multi_label};
  weighted.pos_weight = {3};
  const Prediction found = fit_groups(data.examples(), weighted).predict(DataView(kEnds));
  for (std::size_t group = 0; group < 2; ++group)
    EXPECT_NEAR(found.mean[group] / (1 - found.mean[group]),
                3 * plain.mean[group] / (1 - plain.mean[group]), 0.05);
}

// One target in ten is 30 instead of near 0 or 5. Ten percent move the median of a normal law by
// 0.14 deviations, and the Huber estimate at a delta of 0.05 deviations of the target, which is
// about half a deviation of the law, by about that: 1000 rows of each group leave an error of 0.04,
// so the bound of 0.4 is beyond five of them. The mean moves by 3.
TEST(Huber, ResistsOutliers) {
  const Groups data(2000, 7, [](auto& stream, bool second) {
    const bool out = random::uniform(stream) < 0.1;
    const double noise = random::normal(stream);
    return out ? 30.0 : (second ? 5.0 : 0.0) + noise;
  });
  Training robust{.loss = Loss::huber};
  robust.huber_delta = 0.05;
  const Prediction found = fit_groups(data.examples(), robust).predict(DataView(kEnds));
  const Prediction mean =
      fit_groups(data.examples(), {.loss = Loss::squared_error}).predict(DataView(kEnds));
  EXPECT_NEAR(found.mean[0], 0, 0.4);
  EXPECT_NEAR(found.mean[1], 5, 0.4);
  EXPECT_GT(mean.mean[0], 2);
}

/// Rows with targets of every kind.
struct Rows {
  explicit Rows(std::size_t rows, std::uint64_t seed = 11) {
    random::Stream stream({.seed = seed});
    for (std::size_t row = 0; row < rows; ++row) {
      x.push_back(2 * random::uniform(stream) - 1);
      price.push_back(std::exp(2 + x.back() + 0.4 * random::normal(stream)));
      sold.push_back(random::uniform(stream) < 1 / (1 + std::exp(-3 * x.back())) ? 1 : 0);
      count.push_back(poisson(stream, std::exp(0.5 + x.back())));
    }
  }
  [[nodiscard]] Examples examples() const {
    return {DataView(x), nullptr,
            DataView({ColumnView(price), ColumnView(sold), ColumnView(count), ColumnView(price)},
                     {"price", "sold", "count", "again"})};
  }
  std::vector<double> x, price, sold, count;
};

Training mixed_training() {
  Training training{.members = 24, .epochs = 15, .seed = 5};
  training.losses = {Loss::gaussian, Loss::binary, Loss::poisson, Loss::pinball};
  training.quantiles = {0.05, 0.25, 0.75, 0.95};
  training.target_transforms = {TargetTransform::log};
  training.settings[0].learning_rate = 1e-2;
  return training;
}

TEST(MixedTargets, HaveTheirOwnColumns) {
  const Rows rows(300);
  const Ensemble ensemble = train(rows.examples(), mixed_training());
  const Ensemble::Frame& frame = ensemble.frame();
  EXPECT_EQ(frame.loss, Loss::mixed);
  EXPECT_EQ(network_outputs(frame), 8U);
  EXPECT_EQ(prediction_names(frame),
            (std::vector<std::string>{"price", "sold", "count", "again q0.05", "again q0.25",
                                      "again q0.75", "again q0.95"}));
  const std::vector<TargetColumns> columns = target_columns(frame);
  ASSERT_EQ(columns.size(), 4U);
  EXPECT_EQ(columns[3].first, 3U);
  EXPECT_EQ(columns[3].count, 4U);
  const Prediction found = ensemble.predict(DataView(rows.x));
  for (std::size_t row = 0; row < 300; ++row) {
    const double* mean = &found.mean[row * 7];
    EXPECT_GT(mean[0], 0);
    EXPECT_TRUE(mean[1] > 0 && mean[1] < 1);
    EXPECT_GT(mean[2], 0);
    EXPECT_TRUE(std::is_sorted(mean + 3, mean + 7));
  }
}

TEST(MixedTargets, ScoresAreThoseOfTheirLosses) {
  const Rows rows(400);
  const Ensemble ensemble = train(rows.examples(), mixed_training());
  const Prediction found = ensemble.predict(DataView(rows.x));
  const std::vector<TargetScores> scores =
      evaluate_targets(ensemble.frame(), found, rows.examples().targets, 0.9);
  ASSERT_EQ(scores.size(), 4U);
  double log_loss = 0;
  double deviance = 0;
  double pinball = 0;
  double likelihood = 0;
  std::size_t inside = 0;
  std::size_t without = 0;  // conformal scores
  const std::vector<Limits> limits = default_intervals(ensemble.frame(), found, 0.9);
  for (std::size_t row = 0; row < 400; ++row) {
    const double* mean = &found.mean[row * 7];
    log_loss -= std::log(rows.sold[row] == 1 ? mean[1] : 1 - mean[1]) / 400;
    const double count = rows.count[row];
    deviance += 2 * ((count > 0 ? count * std::log(count / mean[2]) : 0) - count + mean[2]) / 400;
    const double error = rows.price[row] - mean[4];
    pinball += std::max(0.25 * error, -0.75 * error) / 400;
    const Limits& moved = limits[row * 4 + 3];
    inside += moved.low <= rows.price[row] && rows.price[row] <= moved.high ? 1U : 0U;
    without += mean[3] <= rows.price[row] && rows.price[row] <= mean[6] ? 1U : 0U;
    const double deviation = found.transformed_total[row * 7];
    const double off = (std::log(rows.price[row]) - found.transformed_mean[row * 7]) / deviation;
    likelihood += (0.5 * std::log(2 * M_PI) + std::log(deviation) + off * off / 2 +
                   std::log(rows.price[row])) /
                  400;
  }
  EXPECT_NEAR(scores[0].negative_log_likelihood, likelihood, 1e-9);
  EXPECT_NEAR(scores[1].log_loss, log_loss, 1e-12);
  EXPECT_NEAR(scores[2].poisson_deviance, deviance, 1e-12);
  EXPECT_NEAR(scores[3].quantiles[1].pinball_loss, pinball, 1e-12);
  EXPECT_NEAR(scores[3].coverage, static_cast<double>(inside) / 400, 1e-12);
  EXPECT_NEAR(scores[3].confidence, 0.9, 1e-12);
  Ensemble older = ensemble;
  older.set_conformal({});
  const auto quantiles = evaluate_targets(older.frame(), found, rows.examples().targets, 0.8)[3];
  EXPECT_NEAR(quantiles.coverage, static_cast<double>(without) / 400, 1e-12);
  EXPECT_NEAR(quantiles.confidence, 0.9, 1e-12);  // between the lowest and the highest
  EXPECT_EQ(scores[0].loss, Loss::gaussian);
}

TEST(MixedTargets, MembersAndBitsDoNotDependOnThreadsOrCompany) {
  const Rows rows(200);
  Training training = mixed_training();
  training.execution.threads = 1;
  const Ensemble one = train(rows.examples(), training);
  training.execution.threads = 3;
  training.execution.level = execution::Level::portable;
  const Ensemble other = train(rows.examples(), training);
  training.members = 1;
  training.first_member = 5;
  const Ensemble alone = train(rows.examples(), training);
  for (std::size_t m = 0; m < one.size(); ++m)
    EXPECT_TRUE(std::ranges::equal(one.parameters(m), other.parameters(m)));
  EXPECT_TRUE(std::ranges::equal(one.parameters(5), alone.parameters(0)));
  EXPECT_EQ(one.member(5).held_out_loss, alone.member(0).held_out_loss);
  EXPECT_EQ(one.out_of_bag().mean, other.out_of_bag().mean);
}

// The loss of held-out rows that kernels compute in 32 bits, and the final one in 64.
TEST(MixedTargets, HeldOutLossIsThatOfEarlyStopping) {
  const Rows rows(200);
  Training training = mixed_training();
  training.stopping = {.patience = 50, .look_every = 1};
  training.members = 8;
  double last[8] = {};
  training.epoch_done = [&](std::span<const MemberEpoch> epochs) {
    for (const MemberEpoch& each : epochs) last[each.number] = each.held_out_loss;
    return true;
  };
  const Ensemble ensemble = train(rows.examples(), training);
  for (std::size_t m = 0; m < 8; ++m)
    EXPECT_LE(ensemble.member(m).held_out_loss, last[m] * (1 + 1e-5) + 1e-6);
  // Without early stopping the last parameters are kept, and both losses are theirs.
  training.stopping = {};
  const Ensemble whole = train(rows.examples(), training);
  for (std::size_t m = 0; m < 8; ++m)
    EXPECT_NEAR(whole.member(m).held_out_loss, last[m], 1e-5 * (1 + std::abs(last[m])));
}

TEST(MixedTargets, FilesSelectionsAndStreamsKeepThem) {
  const Rows rows(200);
  const Ensemble ensemble = train(rows.examples(), mixed_training());
  const TempFile file("mixed.safetensors");
  ensemble.save(file.path());
  const Ensemble loaded = Ensemble::load(file.path());
  const DataView points(rows.x);
  const Prediction found = ensemble.predict(points);
  const Prediction again = loaded.predict(points);
  EXPECT_EQ(found.mean, again.mean);
  EXPECT_EQ(found.transformed_mean.size(), again.transformed_mean.size());
  EXPECT_EQ(loaded.frame().losses, ensemble.frame().losses);
  EXPECT_EQ(loaded.frame().transforms, ensemble.frame().transforms);
  EXPECT_EQ(out_of_bag(loaded, rows.examples()).mean, ensemble.out_of_bag().mean);
  const StreamedPrediction streamed = train_and_predict(rows.examples(), mixed_training(), points);
  ASSERT_EQ(streamed.prediction.mean.size(), found.mean.size());
  for (std::size_t i = 0; i < found.mean.size(); ++i)
    EXPECT_NEAR(streamed.prediction.mean[i], found.mean[i], 1e-9 * (1 + std::abs(found.mean[i])));
  const Ensemble some = best(ensemble, 10, rows.examples());
  EXPECT_EQ(some.frame().losses, ensemble.frame().losses);
  EXPECT_EQ(some.out_of_bag().outputs, 7U);
}

TEST(MixedTargets, AreBootstrapped) {
  const Rows rows(100);
  Training training = mixed_training();
  training.members = 20;
  training.epochs = 3;
  const Result result = bootstrap_predictions(rows.examples(), training, DataView(kEnds));
  EXPECT_EQ(result.plan().outputs.size(), 14U);
  EXPECT_EQ(result.plan().outputs[10], "again q0.05 at point 2");
}

// Residuals are those of the target itself, and targets without a mean have no limits.
TEST(JackknifePlus, WorksInTheUnitsOfTransformedTargets) {
  const Rows rows(300);
  Training training = mixed_training();
  training.losses = {Loss::squared_error, Loss::binary, Loss::poisson, Loss::squared_error};
  const Ensemble ensemble = train(rows.examples(), training);
  const Rows others(1000, 12);
  const Band band =
      jackknife_plus(ensemble, rows.examples(), DataView(others.x), {.confidence = 0.9});
  std::size_t prices = 0;
  std::size_t counts = 0;
  for (std::size_t row = 0; row < 1000; ++row) {
    const std::size_t at = row * 4;
    EXPECT_TRUE(std::isnan(band.low[at + 1]) && std::isnan(band.high[at + 1]));
    EXPECT_GE(band.low[at], 0);
    EXPECT_GE(band.low[at + 2], 0);
    prices += band.low[at] <= others.price[row] && others.price[row] <= band.high[at] ? 1U : 0U;
    counts +=
        band.low[at + 2] <= others.count[row] && others.count[row] <= band.high[at + 2] ? 1U : 0U;
  }
  // A coverage of 0.9 of 1000 rows, given 300 calibrating ones, varies by about 0.02: 5 of these.
  EXPECT_NEAR(static_cast<double>(prices) / 1000, 0.9, 0.1);
  EXPECT_NEAR(static_cast<double>(counts) / 1000, 0.9, 0.1);
}

TEST(JackknifePlus, RefusesQuantiles) {
  const Rows rows(60);
  Training training{.members = 5, .epochs = 1, .loss = Loss::pinball};
  const Examples examples{DataView(rows.x), nullptr, DataView(rows.price)};
  const Ensemble ensemble = train(examples, training);
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                     static_cast<void>(jackknife_plus(ensemble, examples, DataView(kEnds)));
                   }),
                   "loss is pinball", "predicted means"));
}

// Targets of a negative binomial law with the predicted mean and variance: shares outside.
TEST(PredictionIntervals, OfRatesCoverCounts) {
  const Rows rows(500);
  Training training{.members = 30, .epochs = 20, .loss = Loss::poisson};
  const Ensemble ensemble = train({DataView(rows.x), nullptr, DataView(rows.count)}, training);
  const Rows others(4000, 13);
  const Prediction found = ensemble.predict(DataView(others.x));
  const std::vector<Limits> limits = prediction_intervals(ensemble.frame(), found, 0.9);
  std::size_t inside = 0;
  for (std::size_t row = 0; row < 4000; ++row) {
    EXPECT_EQ(limits[row].low, std::round(limits[row].low));
    inside +=
        limits[row].low <= others.count[row] && others.count[row] <= limits[row].high ? 1U : 0U;
  }
  // At least 0.9 because counts are discrete; 4000 rows vary by 0.005, and rates are estimates.
  EXPECT_GT(static_cast<double>(inside) / 4000, 0.9 - 0.03);
  EXPECT_LT(static_cast<double>(inside) / 4000, 0.99);
}

// Limits of rates of any size: between them lies at least the confidence, and not much more.
TEST(PredictionIntervals, OfRatesOfAnySize) {
  Ensemble::Frame frame;
  frame.loss = Loss::poisson;
  frame.classes = {"count"};
  frame.target_scaling = {{0}, {1}};
  const std::vector<double> means = {0, 1e-300, 1e-6, 0.3, 5, 400, 1e4, 1e6, 1e15, 1e100};
  for (const double spread : {0.0, 1e-6, 0.1, 1.0, 10.0}) {
    Prediction prediction;
    prediction.rows = means.size();
    prediction.outputs = 1;
    prediction.mean = means;
    for (const double mean : means)
      prediction.total.push_back(std::sqrt(mean + std::pow(spread * mean, 2)));
    const std::vector<Limits> limits = prediction_intervals(frame, prediction, 0.9);
    for (std::size_t i = 0; i < means.size(); ++i) {
      SCOPED_TRACE(testing::Message() << means[i] << ", spread " << spread);
      ASSERT_TRUE(std::isfinite(limits[i].low) && std::isfinite(limits[i].high));
      EXPECT_TRUE(0 <= limits[i].low && limits[i].low <= limits[i].high);
      if (spread <= 1) {
        EXPECT_LE(limits[i].low, means[i]);
        EXPECT_GE(limits[i].high, means[i] > 3 ? means[i] : 0);
      }
      if (const double mean = means[i]; mean > 0 && mean < 1e5 && spread > 1e-3 && spread <= 1) {
        // The law of the counts, by Boost.
        const double size = 1 / (spread * spread);
        const boost::math::negative_binomial_distribution<> law(size, size / (size + mean));
        const double slack = mean > 500 ? 0.01 : 1e-9;
        EXPECT_GE(cdf(law, limits[i].low), 0.05 - slack);
        EXPECT_LE(limits[i].low < 1 ? 0 : cdf(law, limits[i].low - 1), 0.05 + slack);
        EXPECT_GE(cdf(law, limits[i].high), 0.95 - slack);
        EXPECT_LE(limits[i].high < 1 ? 0 : cdf(law, limits[i].high - 1), 0.95 + slack);
      }
      if (spread == 0 && means[i] >= 400) {
        EXPECT_NEAR(limits[i].high, means[i] + 1.645 * std::sqrt(means[i]),
                    2 + 0.1 * std::sqrt(means[i]));
      }
    }
  }
}

class LossMisuse : public testing::Test {
 protected:
  std::string complaint(const Training& training) const {
    return message_of<InvalidArgument>(
        [&] { static_cast<void>(train(rows_.examples(), training)); });
  }
  std::string data_complaint(const Training& training) const {
    return message_of<DataError>([&] { static_cast<void>(train(rows_.examples(), training)); });
  }

  Rows rows_{30};
};

TEST_F(LossMisuse, LossesAndTargetsMustFit) {
  Training training{.members = 1, .epochs = 1};
  training.loss = Loss::cross_entropy;
  EXPECT_TRUE(says(complaint(training), "loss is cross_entropy", "numbers", "squared_error"));
  training.loss = Loss::mixed;
  EXPECT_TRUE(says(complaint(training), "loss is mixed", "name the loss of each target"));
  training.loss = std::nullopt;
  training.losses = {Loss::huber, Loss::binary};
  EXPECT_TRUE(says(complaint(training), "2 losses", "4 targets"));
  training.losses = {Loss::huber, Loss::multi_label, Loss::huber, Loss::huber};
  EXPECT_TRUE(says(complaint(training), "multi_label", "poisson or binary"));
  training.losses = {Loss::huber, Loss::binary, Loss::poisson, Loss::huber};
  training.loss = Loss::huber;
  EXPECT_TRUE(says(complaint(training), "loss is huber", "give one of both"));
}

TEST_F(LossMisuse, ValuesOfTargetsMustFit) {
  Training training{.members = 1, .epochs = 1};
  training.losses = {Loss::binary, Loss::binary, Loss::poisson, Loss::huber};
  EXPECT_TRUE(says(data_complaint(training), "target price is ", "in row 1", "0 and 1"));
  rows_.count[6] = -2;
  training.losses = {Loss::huber, Loss::binary, Loss::poisson, Loss::huber};
  EXPECT_TRUE(says(data_complaint(training), "target count is -2 in row 7", "not negative",
                   "squared_error or huber"));
  rows_.count[6] = 2;
  rows_.price[3] = 0;
  training.target_transforms = {TargetTransform::log};
  EXPECT_TRUE(says(data_complaint(training), "target price is 0 in row 4", "above 0",
                   "yeo-johnson or quantile"));
}

TEST_F(LossMisuse, OptionsMustFit) {
  Training training{.members = 1, .epochs = 1};
  training.loss = Loss::pinball;
  training.quantiles = {};
  EXPECT_TRUE(says(complaint(training), "quantiles is empty"));
  training.quantiles = {0.5, 1.5};
  EXPECT_TRUE(says(complaint(training), "1.5", "between 0 and 1"));
  training.quantiles = {0.5, 0.1};
  EXPECT_TRUE(says(complaint(training), "0.1 comes after 0.5", "ascending"));
  training.loss = Loss::huber;
  training.huber_delta = 0;
  EXPECT_TRUE(says(complaint(training), "huber_delta is 0"));
  training.huber_delta = 1;
  training.pos_weight = {2};
  EXPECT_TRUE(says(complaint(training), "pos_weight is given but loss is huber"));
  training.loss = std::nullopt;
  training.losses = {Loss::huber, Loss::binary, Loss::poisson, Loss::huber};
  training.pos_weight = {2, 3};
  EXPECT_TRUE(says(complaint(training), "2 values of pos_weight", "4 targets"));
  training.pos_weight = {-1};
  EXPECT_TRUE(says(complaint(training), "pos_weight is -1"));
  training.pos_weight = {};
  training.target_transforms = {TargetTransform::none, TargetTransform::log, TargetTransform::none,
                                TargetTransform::none};
  EXPECT_TRUE(says(complaint(training), "target 2 is log", "loss is binary"));
  training.target_transforms = {TargetTransform::log, TargetTransform::log};
  EXPECT_TRUE(says(complaint(training), "2 transforms", "4 targets"));
  training.losses = {};
  training.loss = Loss::multi_label;
  training.target_transforms = {TargetTransform::quantile};
  EXPECT_TRUE(says(complaint(training), "target_transform is quantile", "multi_label"));
}

}  // namespace losses_test
}  // namespace bootfold::ensemble
