// The Monte Carlo error that is claimed for a number is what another seed changes in it.
// 200 runs each; statistic/spread.h says what chance does. All 64 comparisons together give a false
// alarm once in a million. tests/interval/monte_carlo_program (label slow) measures the same to a
// few per cent.
#include <gtest/gtest.h>

#include "bootfold/interval.h"
#include "statistic/reference.h"
#include "statistic/spread.h"

namespace bootfold {
namespace errors_test {

using interval::Method;
using laws::Spread;

constexpr double kAlarm = 1e-6 / 64;

/// `linear`: the bias is 0 but for rounding, and so is its error.
void expect_honest(const DataView& data, const Statistic& statistic, const Options& options,
                   std::span<const Method> methods, bool linear = false) {
  SCOPED_TRACE(statistic.name());
  std::vector<Spread> lows(methods.size());
  std::vector<Spread> highs(methods.size());
  Spread error;
  Spread bias;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Options own = options;
    own.seed = seed;
    const Result result = bootstrap(data, statistic, own);
    error.add(result.standard_error(), result.standard_error_error());
    bias.add(result.bias(), result.bias_error());
    if (linear) {
      EXPECT_LT(result.bias_error(), 1e-12 * result.standard_error());
      EXPECT_LT(std::abs(result.bias()), 1e-12 * result.standard_error());
    }
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const Interval found = interval::make(methods[m], result, {.confidence = 0.9});
      lows[m].add(found.low, found.low_error);
      highs[m].add(found.high, found.high_error);
    }
  }
  EXPECT_TRUE(error.honest(kAlarm));
  if (!linear) {
    EXPECT_TRUE(bias.honest(kAlarm));
  }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    SCOPED_TRACE(interval::name(methods[m]));
    EXPECT_TRUE(lows[m].honest(kAlarm));
    EXPECT_TRUE(highs[m].honest(kAlarm));
  }
}

constexpr std::array kFive = {Method::normal, Method::basic, Method::percentile, Method::bca,
                              Method::studentized};

TEST(MonteCarloError, OfEveryLimit) {
  std::vector<double> skewed = reference::normals(60, 3);
  for (double& value : skewed) value = std::exp(value);
  const Options options{.replicates = 2500, .influence = true, .standard_errors = true};
  expect_honest(skewed, statistic::mean(), options, kFive);
  expect_honest(skewed, statistic::standard_deviation(), options, kFive);
}

// The estimate's own standard error comes from the replicates too.
TEST(MonteCarloError, OfANestedBootstrap) {
  const std::array only = {Method::studentized};
  expect_honest(reference::normals(20, 4), statistic::skewness(),
                {.replicates = 1600, .standard_errors = true, .nested_replicates = 20}, only);
}

// A balanced run fixes what is linear in the rows. The variance has a rest of a seventh of its
// standard error, the correlation one of half.
TEST(MonteCarloError, OfABalancedRun) {
  std::vector<double> skewed = reference::normals(40, 3);
  std::vector<double> other = reference::normals(40, 4);
  for (std::size_t i = 0; i < skewed.size(); ++i) {
    skewed[i] = std::exp(skewed[i]);
    other[i] += skewed[i];
  }
  Options options{
      .replicates = 500, .scheme = scheme::Balanced{}, .influence = true, .standard_errors = true};
  expect_honest(skewed, statistic::mean(), options, kFive, true);
  expect_honest(skewed, statistic::variance(), options, kFive);
  options.standard_errors = false;  // it has no formula
  const std::array three = {Method::normal, Method::basic, Method::percentile};
  expect_honest(DataView({skewed, other}, {"x", "y"}), statistic::correlation(), options, three);
}

// Without linear parts the error of the bias is that of independent replicates, which is far too
// large: the test above could fail.
TEST(MonteCarloError, OfABalancedRunNeedsLinearParts) {
  const std::vector<double> x = reference::normals(40, 3);
  const Result run =
      bootstrap(x, statistic::variance(), {.replicates = 1000, .scheme = scheme::Balanced{}});
  Companions without = run.companions();
  ASSERT_EQ(without.linear_parts.size(), 1000U);
  without.linear_parts.clear();
  const Result plain(run.plan(), run.seed(), {run.estimate()},
                     {run.replicates().begin(), run.replicates().end()}, without);
  EXPECT_GT(plain.bias_error(), 4 * run.bias_error());
  EXPECT_GT(interval::normal(plain).low_error, 1.1 * interval::normal(run).low_error);
}

// A limit below the outermost replicate but one: 0.7 of 350 replicates lie beyond it.
TEST(MonteCarloError, OfALimitAmongTheOutermostReplicates) {
  Spread low;
  Spread high;
  const std::vector<double> x = reference::normals(60, 3);
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Result result = bootstrap(x, statistic::mean(), {.replicates = 350, .seed = seed});
    const Interval found = interval::percentile(result, {.confidence = 0.996});
    EXPECT_EQ(found.status, interval::Status::extreme);
    low.add(found.low, found.low_error);
    high.add(found.high, found.high_error);
  }
  EXPECT_TRUE(low.honest(kAlarm));
  EXPECT_TRUE(high.honest(kAlarm));
}

// The tests above could fail: claims of half or one and a half times the error are refused.
TEST(MonteCarloError, WrongErrorsAreDetected) {
  const std::vector<double> values = reference::normals(200, 5);
  for (const double claim : {0.5, 1.0, 1.5}) {
    Spread spread;
    for (const double value : values) spread.add(value, claim);
    EXPECT_EQ(static_cast<bool>(spread.honest(kAlarm)), claim == 1.0) << claim;
  }
}

}  // namespace errors_test
}  // namespace bootfold
