// The Monte Carlo error that is claimed for a number is what another seed changes in it.
// 200 runs each; statistic/spread.h says what chance does. All 28 comparisons together give a false
// alarm once in a million.
#include <gtest/gtest.h>

#include "bootfold/interval.h"
#include "statistic/reference.h"
#include "statistic/spread.h"

namespace bootfold {
namespace errors_test {

using interval::Method;
using laws::Spread;

constexpr double kAlarm = 1e-6 / 28;

void expect_honest(const DataView& data, const Statistic& statistic, const Options& options,
                   std::span<const Method> methods) {
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
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const Interval found = interval::make(methods[m], result, {.confidence = 0.9});
      lows[m].add(found.low, found.low_error);
      highs[m].add(found.high, found.high_error);
    }
  }
  EXPECT_TRUE(error.honest(kAlarm));
  EXPECT_TRUE(bias.honest(kAlarm));
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

// The test above could fail: claims of half or one and a half times the error are refused.
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
