// The Monte Carlo error that is claimed for a number is what another seed changes in it.
//
// 200 runs each: the spread of 200 normal numbers is within 25 % of the truth but once in a million;
// a claim is itself uncertain, hence 0.7 to 1.3.
#include <gtest/gtest.h>

#include "bootfold/interval.h"
#include "statistic/reference.h"

namespace bootfold {
namespace {

using interval::Method;

class Spread {
 public:
  void add(double value, double error) {
    values_.push_back(value);
    claimed_ += error;
  }
  [[nodiscard]] double ratio() const {
    const auto count = static_cast<double>(values_.size());
    double mean = 0;
    double squares = 0;
    for (const double value : values_) mean += value / count;
    for (const double value : values_) squares += (value - mean) * (value - mean);
    return std::sqrt(squares / (count - 1)) / (claimed_ / count);
  }

 private:
  std::vector<double> values_;
  double claimed_ = 0;
};

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
  const auto honest = [](const Spread& spread) {
    EXPECT_GT(spread.ratio(), 0.7);
    EXPECT_LT(spread.ratio(), 1.3);
  };
  honest(error);
  honest(bias);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    SCOPED_TRACE(interval::name(methods[m]));
    honest(lows[m]);
    honest(highs[m]);
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
  expect_honest(reference::normals(12, 4), statistic::skewness(),
                {.replicates = 400, .standard_errors = true, .inner_replicates = 20}, only);
}

}  // namespace
}  // namespace bootfold
