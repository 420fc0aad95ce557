// Transforms of targets: their inverses, their fits and what they mean for predictions.
#include "ensemble/transform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/evaluation.h"
#include "bootfold/random.h"
#include "numeric/normal.h"

namespace bootfold::ensemble {
namespace transform_test {

std::vector<double> skewed(std::size_t rows, double shift, std::uint64_t seed = 3) {
  random::Stream stream({.seed = seed});
  std::vector<double> values(rows);
  for (double& value : values) value = std::exp(random::normal(stream)) + shift;
  return values;
}

constexpr TargetTransform kAll[] = {TargetTransform::log, TargetTransform::yeo_johnson,
                                    TargetTransform::quantile};

TEST(Transform, InversesReturnTheTargets) {
  for (const TargetTransform kind : kAll)
    for (const std::size_t rows : {2U, 30U, 1000U, 1001U, 5000U}) {
      const std::vector<double> values = skewed(rows, kind == TargetTransform::log ? 0 : -1.5);
      const FittedTransform transform = fit_transform(kind, values);
      EXPECT_LE(transform.from.size(), FittedTransform::kMostKnots);
      for (const double value : values) {
        const double there = transform(value);
        ASSERT_TRUE(std::isfinite(there));
        ASSERT_NEAR(transform.inverse(there), value, 1e-9 * (1 + std::abs(value)))
            << name(kind) << " of " << rows;
      }
    }
}

TEST(Transform, RisesAndHoldsPredictionsNearTheTargets) {
  for (const TargetTransform kind : kAll) {
    const std::vector<double> values = skewed(3000, kind == TargetTransform::log ? 0 : -1.5);
    const FittedTransform transform = fit_transform(kind, values);
    const auto [least, most] = std::ranges::minmax(values);
    double before = -std::numeric_limits<double>::infinity();
    for (double z = -8; z <= 8; z += 0.01) {
      const double value = transform.inverse(z);
      EXPECT_GE(value, before);
      before = value;
      if (kind == TargetTransform::yeo_johnson) {
        EXPECT_LE(value, most + (most - least) * (1 + 1e-9));
        EXPECT_GE(value, least - (most - least) * (1 + 1e-9));
      }
      if (kind == TargetTransform::quantile) {
        EXPECT_TRUE(value >= least && value <= most);
      }
    }
  }
}

// The likelihood is that of the transformed values, with the Jacobian; no power near the best one
// has a higher one.
TEST(YeoJohnson, LambdaHasTheHighestLikelihood) {
  for (const double shift : {0.0, -1.5, 40.0}) {
    const std::vector<double> values = skewed(800, shift);
    const FittedTransform best = fit_transform(TargetTransform::yeo_johnson, values);
    const auto likelihood = [&](double lambda) {
      FittedTransform other = best;
      other.lambda = lambda;
      double mean = 0;
      double squares = 0;
      double slopes = 0;
      for (const double value : values) {
        mean += other(value) / 800;
        slopes += other.log_slope(value);
      }
      for (const double value : values) squares += std::pow(other(value) - mean, 2) / 800;
      return -400 * std::log(squares) + slopes;
    };
    for (const double by : {-0.3, -0.01, 0.01, 0.3})
      EXPECT_GT(likelihood(best.lambda), likelihood(best.lambda + by)) << shift;
  }
}

TEST(YeoJohnson, SlopeIsTheDerivative) {
  const FittedTransform transform = fit_transform(TargetTransform::yeo_johnson, skewed(500, -1.5));
  for (const double value : {-1.2, -0.1, 0.3, 4.0})
    EXPECT_NEAR(std::exp(transform.log_slope(value)),
                (transform(value + 1e-6) - transform(value - 1e-6)) / 2e-6, 1e-6);
}

// Normal scores: the share below z of the transformed values is that of a normal law, to the
// distance of knots.
TEST(Quantile, ScoresAreNormal) {
  for (const std::size_t rows : {200U, 4000U}) {
    const std::vector<double> values = skewed(rows, 0);
    const FittedTransform transform = fit_transform(TargetTransform::quantile, values);
    for (const double z : {-1.5, -0.5, 0.0, 1.0}) {
      std::size_t below = 0;
      for (const double value : values) below += transform(value) < z ? 1U : 0U;
      EXPECT_NEAR(static_cast<double>(below) / static_cast<double>(rows), normal::probability(z),
                  1.0 / static_cast<double>(std::min<std::size_t>(rows, 1000)));
    }
  }
}

TEST(Quantile, TiesAreOneKnot) {
  std::vector<double> values;
  for (std::size_t i = 0; i < 3000; ++i) values.push_back(static_cast<double>(i % 3));
  const FittedTransform transform = fit_transform(TargetTransform::quantile, values);
  EXPECT_EQ(transform.from, (std::vector<double>{0, 1, 2}));
  EXPECT_NEAR(transform(1), 0, 1e-9);
  EXPECT_NEAR(transform(0), -transform(2), 1e-9);
  EXPECT_EQ(transform.inverse(transform(2)), 2);
}

/// y = exp(1 + x + 0.3 e).
struct Multiplied {
  explicit Multiplied(std::size_t rows, std::uint64_t seed) {
    random::Stream stream({.seed = seed});
    for (std::size_t row = 0; row < rows; ++row) {
      x.push_back(2 * random::uniform(stream) - 1);
      y.push_back(std::exp(1 + x.back() + 0.3 * random::normal(stream)));
    }
  }
  [[nodiscard]] Examples examples() const { return {DataView(x), nullptr, DataView(y)}; }
  std::vector<double> x, y;
};

Training with(TargetTransform transform, Loss loss = Loss::squared_error) {
  Training training{.members = 20, .epochs = 40, .loss = loss, .seed = 2};
  training.target_transforms = {transform};
  training.settings[0].learning_rate = 1e-2;
  training.settings[0].architecture.hidden = {8};
  return training;
}

// Members are transformed back before the mean is taken.
TEST(TransformedTarget, MeanIsThatOfMembersTransformedBack) {
  const Multiplied data(200, 4);
  const Ensemble ensemble = train(data.examples(), with(TargetTransform::log));
  const std::vector<double> at = {-0.5, 0.7};
  const Prediction whole = ensemble.predict(DataView(at));
  for (std::size_t row = 0; row < at.size(); ++row) {
    double sum = 0;
    double squares = 0;
    double inner = 0;
    for (std::size_t m = 0; m < ensemble.size(); ++m) {
      const Prediction own = ensemble.subset(std::vector<std::size_t>{m}).predict(DataView(at));
      EXPECT_NEAR(std::exp(own.transformed_mean[row]), own.mean[row], 1e-9 * own.mean[row]);
      sum += own.mean[row] / 20;
      squares += own.mean[row] * own.mean[row];
      inner += own.transformed_mean[row] / 20;
    }
    EXPECT_NEAR(whole.mean[row], sum, 1e-9 * sum);
    EXPECT_NEAR(whole.transformed_mean[row], inner, 1e-9);
    EXPECT_NEAR(whole.epistemic[row], std::sqrt((squares - 20 * sum * sum) / 19), 1e-6);
  }
}

// The logarithm is linear in x with noise 0.3. 2000 rows leave an error of the fitted line of about
// 0.3 sqrt(2 / 2000) = 0.01 at the ends; 8 units find it to 0.05, five of these.
TEST(TransformedTarget, RecoversTheMedianAndTheNoise) {
  const Multiplied data(2000, 5);
  for (const Loss loss : {Loss::squared_error, Loss::gaussian, Loss::huber}) {
    const Ensemble ensemble = train(data.examples(), with(TargetTransform::log, loss));
    const std::vector<double> at = {-0.8, 0.0, 0.8};
    const Prediction found = ensemble.predict(DataView(at));
    for (std::size_t row = 0; row < 3; ++row) {
      EXPECT_NEAR(std::log(found.mean[row]), 1 + at[row], 0.05) << name(loss);
      EXPECT_NEAR(found.aleatoric[row] / found.mean[row], std::sinh(0.3), 0.04) << name(loss);
    }
  }
}

// Limits are those of the transformed target, transformed back: of 4000 rows a share of 0.9 varies
// by 0.005, and deviations are estimates to 2 %, which is 0.008: 0.05 is beyond five of both.
TEST(TransformedTarget, IntervalsCover) {
  const Multiplied data(2000, 6);
  const Multiplied others(4000, 7);
  for (const TargetTransform kind : kAll) {
    Ensemble ensemble = train(data.examples(), with(kind));
    const Prediction found = ensemble.predict(DataView(others.x));
    for (const bool conformal : {true, false}) {
      if (!conformal) ensemble.set_conformal({});
      const std::vector<Limits> limits = conformal
                                             ? default_intervals(ensemble.frame(), found, 0.9)
                                             : prediction_intervals(ensemble.frame(), found, 0.9);
      std::size_t inside = 0;
      for (std::size_t row = 0; row < 4000; ++row)
        inside += limits[row].low <= others.y[row] && others.y[row] <= limits[row].high ? 1U : 0U;
      EXPECT_NEAR(static_cast<double>(inside) / 4000, 0.9, 0.05) << name(kind);
      const auto scores = evaluate_targets(ensemble.frame(), found, others.examples().targets, 0.9);
      EXPECT_NEAR(scores[0].coverage, static_cast<double>(inside) / 4000, 1e-12);
      EXPECT_EQ(std::isnan(scores[0].negative_log_likelihood), kind == TargetTransform::quantile);
    }
  }
}

TEST(TransformedTarget, GoesOnWithTheTransformOfTheStart) {
  const Multiplied data(100, 8);
  const Multiplied more(100, 9);
  Training training = with(TargetTransform::yeo_johnson);
  training.epochs = 2;
  const Ensemble begun = train(data.examples(), training);
  training.start = &begun;
  const Ensemble continued = train(more.examples(), training);
  EXPECT_EQ(continued.frame().transforms, begun.frame().transforms);
  EXPECT_EQ(continued.frame().target_scaling.mean, begun.frame().target_scaling.mean);
}

}  // namespace transform_test
}  // namespace bootfold::ensemble
