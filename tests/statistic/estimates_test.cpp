// The statistics on the data as they are: against the books and against 113-bit arithmetic.
#include <gtest/gtest.h>

#include "statistic/reference.h"

namespace bootfold {
namespace estimates_test {

using reference::close;
using reference::Columns;

std::vector<double> estimates(const Columns& columns, const std::string& name) {
  const Result result =
      bootstrap(reference::view(columns), statistic::parse(name), {.replicates = 2});
  std::vector<double> values;
  for (std::size_t k = 0; k < result.outputs(); ++k) values.push_back(result.estimate(k));
  return values;
}

double estimate(const Columns& columns, const std::string& name) {
  return estimates(columns, name)[0];
}

TEST(Estimates, MatchPublishedValues) {
  EXPECT_NEAR(estimate({reference::kLsat, reference::kGpa}, "correlation"), 0.776374491289, 1e-12);
  EXPECT_DOUBLE_EQ(estimate({reference::kCityX, reference::kCityU}, "ratio"), 1.5203125);
  const std::vector<double> z = {8406, 2342, 8187, 8459, 4795, 3516, 4796, 10238};
  const std::vector<double> y = {-1200, 2601, -2705, 1982, -1290, 351, -638, -2719};
  EXPECT_NEAR(estimate({y, z}, "ratio"), -0.0713061, 5e-8);
  // The ideal bootstrap's standard error of a mean: sqrt(variance with divisor n / n).
  const auto error_of_mean = [](const std::vector<double>& x) {
    return estimate({x}, "standard_deviation:0") / std::sqrt(static_cast<double>(x.size()));
  };
  EXPECT_NEAR(error_of_mean(reference::kTreatment), 23.3635234373, 1e-10);
  EXPECT_NEAR(error_of_mean(reference::kControl), 13.3303494604, 1e-10);
  EXPECT_NEAR(error_of_mean(reference::kSixteen), 14.2367687168, 1e-10);
  EXPECT_EQ(estimate({reference::kTreatment}, "median"), 94);
  EXPECT_EQ(estimate({reference::kControl}, "median"), 46);
}

TEST(Estimates, OfSumsAreRightToTheLastDigits) {
  for (const std::size_t n : {2, 3, 15, 16, 17, 1000, 5000})
    for (const double offset : {0.0, 100.0, -1e7}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", offset " << offset);
      std::vector<double> x = reference::normals(n, n);
      std::vector<double> y = reference::uniforms(n, n);
      std::vector<double> z = reference::normals(n, n + 1);
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = offset + 2 * x[i];
        y[i] = offset / 3 + y[i] + 0.1 * x[i];
      }
      const reference::Counts once(n, 1);
      for (const char* name : {"mean", "sum", "variance", "variance:0", "standard_deviation",
                               "skewness", "kurtosis", "proportion", "sharpe_ratio"})
        EXPECT_TRUE(close(estimate({x}, name), reference::values(name, {x}, once)[0], 1e-12, 1e-3))
            << name;
      for (const char* name : {"ratio", "covariance", "covariance:0", "correlation"})
        EXPECT_TRUE(
            close(estimate({x, y}, name), reference::values(name, {x, y}, once)[0], 1e-11, 1e-3))
            << name;
      if (n < 15) continue;
      const auto found = estimates({y, x, z}, "regression");
      const auto truth = reference::values("regression", {y, x, z}, once);
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_TRUE(close(found[k], truth[k], 1e-9, 1 + std::abs(offset))) << "output " << k;
    }
}

TEST(Estimates, SharpeRatioIsScaledToTheYear) {
  const std::vector<double> x = reference::uniforms(50, 1);
  EXPECT_TRUE(close(estimate({x}, "sharpe_ratio:252"),
                    std::sqrt(252.0) * estimate({x}, "sharpe_ratio"), 1e-15));
}

TEST(Estimates, ProportionCountsWhatIsAbove) {
  const std::vector<double> x = {1, 2, 3, 4, 4, 5, -1, 0};
  EXPECT_EQ(estimate({x}, "proportion"), 6.0 / 8);
  EXPECT_EQ(estimate({x}, "proportion:4"), 1.0 / 8);
  EXPECT_EQ(estimate({x}, "proportion:-7"), 1);
  EXPECT_EQ(estimate({x}, "proportion:5"), 0);
}

TEST(Estimates, QuantilesAreThoseOfNumPy) {
  for (const std::size_t n : {1, 2, 3, 4, 10, 100, 101, 4096, 4097, 9999})
    for (const double q : {0.0, 0.001, 0.1, 0.25, 1.0 / 3, 0.5, 0.75, 0.9, 0.999, 1.0}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", q = " << q);
      const std::vector<double> x = reference::normals(n, n);
      const Result result = bootstrap(x, statistic::quantile(q), {.replicates = 2});
      EXPECT_TRUE(close(result.estimate(), reference::quantile(x, q), 1e-14, 1e-3));
    }
  const std::vector<double> x = reference::normals(998, 1);
  EXPECT_EQ(estimate({x}, "median"), estimate({x}, "quantile:0.5"));
  EXPECT_EQ(estimate({x}, "min"), estimate({x}, "quantile:0"));
  EXPECT_EQ(estimate({x}, "max"), estimate({x}, "quantile:1"));
  EXPECT_EQ(estimate({x}, "interquartile_range"),
            estimate({x}, "quantile:0.75") - estimate({x}, "quantile:0.25"));
}

TEST(Estimates, TrimmedMeanCutsBothEnds) {
  EXPECT_EQ(estimate({{100, 1, 2, 3, -50}}, "trimmed_mean:0.2"), 2);
  EXPECT_EQ(estimate({{100, 1, 2, 3, -50}}, "trimmed_mean:0.19"), 56.0 / 5);
  EXPECT_EQ(estimate({{5, 1, 4}}, "trimmed_mean:0.49"), 4);
  std::vector<double> x = reference::normals(997, 2);
  std::vector<double> sorted = x;
  std::sort(sorted.begin(), sorted.end());
  long double sum = 0;
  for (std::size_t i = 99; i < 997 - 99; ++i) sum += sorted[i];
  EXPECT_TRUE(close(estimate({x}, "trimmed_mean:0.1"), static_cast<double>(sum / 799), 1e-13, 1));
}

}  // namespace estimates_test
}  // namespace bootfold
