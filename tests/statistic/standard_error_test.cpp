// Formulas for standard errors: against naive ones, against the jackknife, and on resamples.
#include <gtest/gtest.h>

#include <cmath>

#include "bootfold/bootstrap.h"
#include "bootfold/influence.h"
#include "statistic/reference.h"

namespace bootfold {
namespace standard_error_test {

using reference::Columns;

std::vector<double> formula(const DataView& data, const Statistic& statistic) {
  const Result result = bootstrap(data, statistic, {.replicates = 2, .standard_errors = true});
  return result.companions().estimate_errors;
}

TEST(StandardError, OfMeanSumAndProportion) {
  const std::vector<double> x = reference::normals(37, 1);
  const double deviation =
      std::sqrt(reference::values("variance", {x}, reference::Counts(37, 1))[0]);
  EXPECT_NEAR(formula(x, statistic::mean())[0], deviation / std::sqrt(37), 1e-13);
  EXPECT_NEAR(formula(x, statistic::sum())[0], deviation * std::sqrt(37), 1e-12);
  const double share = reference::values("proportion", {x}, reference::Counts(37, 1))[0];
  EXPECT_NEAR(formula(x, statistic::proportion())[0], std::sqrt(share * (1 - share) / 36), 1e-13);
}

// Scaled to any size, moved anywhere.
TEST(StandardError, FollowsTheUnits) {
  std::vector<double> x = reference::normals(50, 2);
  const double error = formula(x, statistic::mean())[0];
  const double of_variance = formula(x, statistic::variance())[0];
  const double of_deviation = formula(x, statistic::standard_deviation())[0];
  for (double& value : x) value = 1e6 + std::ldexp(value, -3);
  EXPECT_NEAR(formula(x, statistic::mean())[0] / std::ldexp(error, -3), 1, 1e-8);
  EXPECT_NEAR(formula(x, statistic::variance())[0] / std::ldexp(of_variance, -6), 1, 1e-8);
  EXPECT_NEAR(formula(x, statistic::standard_deviation())[0] / std::ldexp(of_deviation, -3), 1,
              1e-8);
}

// The delta method is the infinitesimal jackknife: to a factor of sqrt(n / (n - 1)).
TEST(StandardError, IsTheInfinitesimalJackknifes) {
  const std::size_t n = 80;
  const double factor = std::sqrt(80.0 / 79);
  std::vector<double> x = reference::normals(n, 3);
  std::vector<double> y = reference::uniforms(n, 4);
  for (double& value : x) value = std::exp(value);
  for (std::size_t i = 0; i < n; ++i) y[i] += 0.3 * x[i];
  const Columns both = {x, y};
  EXPECT_NEAR(formula(reference::view(both), statistic::ratio())[0],
              infinitesimal(reference::view(both), statistic::ratio())[0].standard_error() * factor,
              1e-8);
  for (const Statistic& statistic : {statistic::variance(0), statistic::standard_deviation(0),
                                     statistic::variance(), statistic::standard_deviation()}) {
    SCOPED_TRACE(statistic.name());
    EXPECT_NEAR(formula(x, statistic)[0] / infinitesimal(x, statistic)[0].standard_error(), 1,
                1e-6);
  }
}

// Least squares: y on x1, x2 with the textbook's formula in naive arithmetic.
TEST(StandardError, OfRegressionIsTheTextbooks) {
  const std::size_t n = 30;
  const std::vector<double> x1 = reference::normals(n, 5);
  std::vector<double> x2 = reference::uniforms(n, 6);
  std::vector<double> y = reference::normals(n, 7);
  for (std::size_t i = 0; i < n; ++i) {
    x2[i] = 100 + 10 * x2[i] + x1[i];
    y[i] += 3 + 2 * x1[i] - x2[i];
  }
  const Columns columns = {y, x1, x2};
  const std::vector<double> found = formula(reference::view(columns), statistic::regression());
  ASSERT_EQ(found.size(), 3U);
  const std::vector<double> b = reference::values("regression", columns, reference::Counts(n, 1));
  double squares = 0;
  double xtx[3][6] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const double row[3] = {1, x1[i], x2[i]};
    squares += std::pow(y[i] - b[0] - b[1] * x1[i] - b[2] * x2[i], 2);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) xtx[r][c] += row[r] * row[c];
  }
  for (int r = 0; r < 3; ++r) xtx[r][3 + r] = 1;
  for (int k = 0; k < 3; ++k) {  // Gauss and Jordan
    const double pivot = xtx[k][k];
    for (double& value : xtx[k]) value /= pivot;
    for (int r = 0; r < 3; ++r) {
      if (r == k) continue;
      const double times = xtx[r][k];
      for (int c = 0; c < 6; ++c) xtx[r][c] -= times * xtx[k][c];
    }
  }
  for (int k = 0; k < 3; ++k) {
    const double wanted = std::sqrt(squares / static_cast<double>(n - 3) * xtx[k][3 + k]);
    EXPECT_NEAR(found[static_cast<std::size_t>(k)] / wanted, 1, 1e-7);
  }
}

TEST(StandardError, OfAUsersOwn) {
  const auto mine = statistic::callable(
      [](const statistic::Resample& resample) { return resample.column(0)[0]; });
  const auto seven = statistic::callable([](const statistic::Resample&) { return 7.0; });
  EXPECT_EQ(mine.standard_error(), nullptr);
  const auto with = mine.with_standard_error(seven);
  EXPECT_EQ(formula(reference::kSixteen, with), std::vector<double>{7});
}

// Without a formula: the standard error of the run for the estimate, of 50 inner replicates for a
// resample; the same for any number of threads and any cut of the run.
TEST(StandardError, ByANestedBootstrap) {
  const std::vector<double> x = reference::normals(25, 8);
  const Options options{.replicates = 60, .seed = 4, .standard_errors = true};
  const Result result = bootstrap(x, {statistic::median(), statistic::mean()}, options);
  // Kinds of statistics run by themselves, each with its own way to standard errors.
  EXPECT_EQ(result.companions().error_method, "nested bootstrap, 50 replicates; formula");
  EXPECT_EQ(result.companions().estimate_errors[0], result.standard_error(0));
  EXPECT_NE(result.companions().estimate_errors[1], result.standard_error(1));
  for (const unsigned threads : {1U, 2U, 7U}) {
    Options other = options;
    other.execution.threads = threads;
    EXPECT_EQ(
        bootstrap(x, {statistic::median(), statistic::mean()}, other).companions().replicate_errors,
        result.companions().replicate_errors);
  }
  Options rest = options;
  rest.first_replicate = 40;
  rest.replicates = 20;
  const auto later =
      bootstrap(x, {statistic::median(), statistic::mean()}, rest).companions().replicate_errors;
  for (std::size_t i = 0; i < later.size(); ++i)
    EXPECT_EQ(later[i], result.companions().replicate_errors[80 + i]);
  const Plan plan = bootfold::plan(x, statistic::median(), {.standard_errors = true});
  EXPECT_NE(plan.reason.find("nested bootstrap, 50 replicates"), std::string::npos);
  EXPECT_EQ(plan.outputs, std::vector<std::string>{"median"});
  EXPECT_GT(plan.seconds, bootfold::plan(x, statistic::median()).seconds);
}

// Strata far apart, rows of them in turn: a bootstrap of a resample that mixed them would have an
// error near 500 / sqrt(40). Within strata it is that of the resample, (1 - 1/20) of the data's
// variance on average. The mean of 200 such errors, each from 100 inner replicates (7 %) and from
// resamples that vary (about 12 %), is known to 1 %; the bound is five of that.
TEST(StandardError, StratifiedByANestedBootstrapWithinStrata) {
  std::vector<double> x = reference::normals(40, 9);
  std::vector<std::uint32_t> strata(40);
  double means[2] = {};
  for (std::uint32_t i = 0; i < 40; ++i) {
    strata[i] = i % 2;
    x[i] += strata[i] * 1000;
    means[strata[i]] += x[i] / 20;
  }
  double second = 0;
  for (std::size_t i = 0; i < 40; ++i) second += std::pow(x[i] - means[strata[i]], 2);
  const double error = std::sqrt(second) / 40;
  Options options{.replicates = 200,
                  .seed = 5,
                  .scheme = scheme::Stratified{strata},
                  .standard_errors = true,
                  .nested_replicates = 100};
  const Result result = bootstrap(x, {statistic::mean(), statistic::median()}, options);
  EXPECT_EQ(result.companions().error_method, "nested bootstrap, 100 replicates");
  EXPECT_EQ(result.companions().estimate_errors[0], result.standard_error(0));
  double sum = 0;
  for (std::size_t r = 0; r < 200; ++r) sum += result.companions().replicate_errors[2 * r] / 200;
  EXPECT_NEAR(sum / error, std::sqrt(0.95), 0.05);
  options.execution.threads = 1;
  EXPECT_EQ(
      bootstrap(x, {statistic::mean(), statistic::median()}, options).companions().replicate_errors,
      result.companions().replicate_errors);
}

// Draws by weight are independent rows: the formula of the mean, on the data with their weights.
TEST(StandardError, WeightedByFormula) {
  const std::vector<double> x = {1, 4, 2, 9, 3};
  const std::vector<double> weights = {1, 2, 0, 1, 4};
  const Result result =
      bootstrap(x, statistic::mean(),
                {.replicates = 50, .scheme = scheme::Unequal{weights}, .standard_errors = true});
  const double mean = (1 + 2 * 4 + 9 + 4 * 3) / 8.0;
  const double second = (1 + 2 * 16 + 81 + 4 * 9) / 8.0 - mean * mean;
  // The usual divisor: n - 1 of n draws.
  EXPECT_NEAR(result.companions().estimate_errors[0], std::sqrt(second / 4), 1e-12);
  EXPECT_EQ(result.companions().error_method, "formula");
}

}  // namespace standard_error_test
}  // namespace bootfold
