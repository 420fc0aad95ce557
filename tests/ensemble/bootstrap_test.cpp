// Predictions of networks as replicates of a bootstrap, and intervals from them.
#include "bootfold/ensemble/bootstrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "bootfold/error.h"
#include "bootfold/interval.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace bootstrap_test {

using testing::HasSubstr;

TEST(BootstrapPredictions, ReplicatesMatchMembers) {
  const Spirals spirals(60);
  const DataView points = spirals.examples().inputs;
  Training training{.members = 20, .steps = 30, .seed = 4};
  training.first_member = 3;
  const Result result = bootstrap_predictions(spirals.examples(), training, points);
  const Ensemble ensemble = train(spirals.examples(), training);
  ASSERT_EQ(result.outputs(), 120U);
  EXPECT_EQ(result.plan().outputs[3], "1 at point 2");
  for (const std::size_t k : {0U, 7U, 19U}) {
    const std::vector<double> prediction = ensemble.subset(std::vector{k}).predict(points).mean;
    for (std::size_t v = 0; v < prediction.size(); ++v)
      EXPECT_EQ(result.replicate(k, v), prediction[v]);
  }
  Training on_all = training;
  on_all.members = 16;
  on_all.first_member = 0;
  on_all.resampling = Resampling::none;
  const Prediction whole = train(spirals.examples(), on_all).predict(points);
  for (std::size_t v = 0; v < result.outputs(); ++v)
    EXPECT_NEAR(result.estimate(v), whole.mean[v], 1e-6);
}

// Members and the networks of the estimate stop early on rows that neither is trained on.
TEST(BootstrapPredictions, StopEarlyOnValidationRows) {
  const Spirals spirals(60, 0.2);
  const Spirals others(60, 0.2, 2);
  const Examples validation = others.examples();
  Training training{.members = 20, .epochs = 40};
  training.settings[0].learning_rate = 0.05;
  training.stopping.patience = 2;
  training.validation = &validation;
  const Result result = bootstrap_predictions(spirals.examples(), training, validation.inputs);
  const Ensemble ensemble = train(spirals.examples(), training);
  EXPECT_LT(ensemble.member(7).steps, 75U);  // 40 epochs
  const std::vector<double> prediction =
      ensemble.subset(std::vector<std::size_t>{7}).predict(validation.inputs).mean;
  for (std::size_t v = 0; v < prediction.size(); ++v)
    EXPECT_EQ(result.replicate(7, v), prediction[v]);
}

/// A line with skewed noise, and the straight line's value at a point.
struct Line {
  explicit Line(std::size_t rows) {
    random::Stream stream({.seed = 9});
    for (std::size_t i = 0; i < rows; ++i) {
      x.push_back(random::normal(stream));
      y.push_back(2 + x.back() - std::log(random::uniform(stream)));
    }
  }
  [[nodiscard]] static double at(std::span<const double> x, std::span<const double> y,
                                 double where) {
    double mx = 0;
    double my = 0;
    double xx = 0;
    double xy = 0;
    const auto n = static_cast<double>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      mx += x[i] / n;
      my += y[i] / n;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      xx += (x[i] - mx) * (x[i] - mx);
      xy += (x[i] - mx) * (y[i] - my);
    }
    return my + xy / xx * (where - mx);
  }
  std::vector<double> x;
  std::vector<double> y;
};

// A network without hidden units is linear, and training converges to least squares. So the engine
// can make the same replicates from a function of the resample, and all results must agree.
TEST(BootstrapPredictions, LinearNetworkMatchesLeastSquares) {
  const Line line(50);
  constexpr double kWhere = 1.5;
  const std::vector<double> point = {kWhere};
  Training training{.members = 2000, .steps = 400, .seed = 7};
  training.settings[0].architecture.hidden = {};
  training.settings[0].batch_size = 0;
  training.settings[0].learning_rate = 0.1;
  training.settings[0].schedule = Schedule::cosine;
  const Examples examples{DataView(line.x), nullptr, DataView({ColumnView(line.y)}, {"y"})};
  const Result found = bootstrap_predictions(examples, training, DataView(point));

  const DataView data({ColumnView(line.x), ColumnView(line.y)});
  const Statistic least_squares = statistic::callable(
      [](const statistic::Resample& r) { return Line::at(r.column(0), r.column(1), kWhere); });
  const Result expected =
      bootstrap(data, least_squares,
                {.replicates = 2000, .seed = 7, .path = Path::gather, .influence = true});

  EXPECT_NEAR(found.estimate(), expected.estimate(), 1e-3);
  for (std::size_t k = 0; k < 2000; ++k)
    ASSERT_NEAR(found.replicate(k), expected.replicate(k), 1e-3) << k;
  // Estimated from 2,000 replicates with a standard error of about 0.004, which
  // docs/ensemble-intervals.md derives; the delete-one values also differ by O(1 / n).
  const Influence& ours = found.companions().influences[0];
  const Influence& theirs = expected.companions().influences[0];
  ASSERT_TRUE(ours.usable()) << ours.problem;
  EXPECT_NEAR(ours.acceleration(), theirs.acceleration(), 0.025);
  EXPECT_NEAR(ours.standard_error() / theirs.standard_error(), 1, 0.15);
  const Interval a = interval::bca(found);
  const Interval b = interval::bca(expected);
  const double error = expected.standard_error();
  EXPECT_EQ(a.status, interval::Status::good);
  EXPECT_NEAR(a.low, b.low, 0.15 * error);
  EXPECT_NEAR(a.high, b.high, 0.15 * error);
}

TEST(BootstrapPredictions, ThreadsGiveTheSameBits) {
  const Spirals spirals(40);
  Training training{.members = 600, .steps = 5};
  training.execution.threads = 1;
  const Result expected =
      bootstrap_predictions(spirals.examples(), training, spirals.examples().inputs);
  for (const unsigned threads : {2U, 7U}) {
    training.execution.threads = threads;
    training.memory = 100'000;  // a few outputs at a time
    const Result found =
        bootstrap_predictions(spirals.examples(), training, spirals.examples().inputs);
    EXPECT_TRUE(std::ranges::equal(found.replicates(), expected.replicates()));
    for (std::size_t v = 0; v < found.outputs(); ++v) {
      EXPECT_EQ(found.companions().influences[v].second,
                expected.companions().influences[v].second);
      EXPECT_EQ(found.companions().influences[v].third, expected.companions().influences[v].third);
    }
  }
}

TEST(BootstrapPredictions, IntervalsSurviveSavingAndLoading) {
  const Spirals spirals(40);
  // After 20 steps the initial weights matter more than the rows: with 2,000 members the influence
  // reports that about 3,200 are needed.
  const Training training{.members = 4000, .steps = 20, .seed = 1};
  const std::vector<double> x = {0.5, -0.5};
  const Result result =
      bootstrap_predictions(spirals.examples(), training, DataView({ColumnView(x), ColumnView(x)}));
  const std::string path =
      testing::TempDir() + "/predictions-" + std::to_string(::getpid()) + ".safetensors";
  result.save(path);
  const Result loaded = Result::load(path);
  std::filesystem::remove(path);
  ASSERT_EQ(loaded.outputs(), 4U);
  for (std::size_t v = 0; v < 4; ++v) {
    const Interval limits = interval::bca(result, {.output = v});
    EXPECT_EQ(limits.status, interval::Status::good) << limits.reason;
    EXPECT_LT(limits.low, limits.high);
    EXPECT_EQ(interval::bca(loaded, {.output = v}).limits(), limits.limits());
  }
}

TEST(BootstrapPredictions, BcaReportsTooFewMembers) {
  const Spirals spirals(200);
  const Training training{.members = 20, .steps = 10};
  const Result result =
      bootstrap_predictions(spirals.examples(), training, spirals.examples().inputs);
  const Interval limits = interval::bca(result);
  EXPECT_EQ(limits.status, interval::Status::fell_back);
  EXPECT_THAT(limits.reason, HasSubstr("20 members"));
}

TEST(BootstrapPredictions, LeaveOutFailedMembers) {
  const Line line(40);
  Training training{.members = 12, .steps = 30};
  training.settings[0].optimizer = Optimizer::sgd;
  training.settings[0].learning_rate = 1e6;
  const Examples examples{DataView(line.x), nullptr, DataView(line.y)};
  const Result result = bootstrap_predictions(examples, training, DataView(line.x));
  EXPECT_EQ(result.undefined(), 12U);
  EXPECT_EQ(interval::percentile(result).status, interval::Status::undefined);
}

TEST(BootstrapPredictions, RejectInvalidArguments) {
  const Spirals spirals(40);
  const auto complaint = [&](auto&& change) -> std::string {
    Training training{.members = 2, .steps = 1};
    change(training);
    try {
      static_cast<void>(
          bootstrap_predictions(spirals.examples(), training, spirals.examples().inputs));
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint([](Training& t) { t.resampling = Resampling::subsample; }),
              HasSubstr("resampling is subsample"));
  EXPECT_THAT(complaint([](Training& t) { t.settings.resize(2); }), HasSubstr("2 settings"));
  EXPECT_THAT(complaint([](Training& t) { t.stopping.patience = 3; }), HasSubstr("patience is 3"));
  EXPECT_EQ(complaint([](Training& t) { t.resampling = Resampling::bayesian; }), "");
}

}  // namespace bootstrap_test
}  // namespace bootfold::ensemble
