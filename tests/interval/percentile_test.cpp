// The percentile interval is NumPy's quantile of the replicates; its errors are those of Monte
// Carlo.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bootfold/error.h"
#include "bootfold/interval.h"
#include "statistic/laws.h"
#include "statistic/reference.h"

namespace bootfold {
namespace percentile_test {

using testing::AllOf;
using testing::HasSubstr;

Result result_of(std::vector<double> replicates, std::size_t outputs = 1) {
  Plan plan;
  plan.replicates = replicates.size() / outputs;
  return Result(plan, 0, std::vector<double>(outputs, 0.5), std::move(replicates));
}

TEST(Percentile, LimitsAreTypeSevenQuantiles) {
  for (const std::size_t count : {1, 2, 3, 10, 99, 100, 1000, 9999})
    for (const double confidence : {0.01, 0.5, 0.8, 0.9, 0.95, 0.99, 0.9999}) {
      SCOPED_TRACE(testing::Message() << count << " replicates, confidence " << confidence);
      const std::vector<double> values = reference::normals(count, count);
      const Interval found = interval::percentile(result_of(values), {.confidence = confidence});
      EXPECT_NEAR(found.low, reference::quantile(values, (1 - confidence) / 2), 1e-13);
      EXPECT_NEAR(found.high, reference::quantile(values, 1 - (1 - confidence) / 2), 1e-13);
      EXPECT_LE(found.low, found.high);
      EXPECT_GE(found.low_error, 0);
      EXPECT_GE(found.high_error, 0);
      EXPECT_EQ(found.method, "percentile");
      EXPECT_EQ(found.confidence, confidence);
      EXPECT_EQ(found.limits(), std::make_pair(found.low, found.high));
    }
}

TEST(Percentile, UndefinedReplicatesAreLeftOut) {
  std::vector<double> values = reference::normals(500, 1);
  std::vector<double> with_nan;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % 3 == 0) with_nan.push_back(reference::kNan);
    with_nan.push_back(values[i]);
  }
  const Result with = result_of(with_nan);
  const Result without = result_of(values);
  EXPECT_EQ(with.undefined(), 167U);
  EXPECT_DOUBLE_EQ(with.standard_error(), without.standard_error());
  EXPECT_DOUBLE_EQ(with.standard_error_error(), without.standard_error_error());
  EXPECT_DOUBLE_EQ(with.bias(), without.bias());
  const Interval a = interval::percentile(with);
  const Interval b = interval::percentile(without);
  EXPECT_EQ(a.limits(), b.limits());
  EXPECT_EQ(a.low_error, b.low_error);
  EXPECT_EQ(a.high_error, b.high_error);
}

TEST(Percentile, IsUndefinedWithoutDefinedReplicates) {
  const Result nothing = result_of(std::vector<double>(20, reference::kNan));
  const Interval found = interval::percentile(nothing);
  EXPECT_TRUE(std::isnan(found.low) && std::isnan(found.high));
  EXPECT_TRUE(std::isnan(found.low_error) && std::isnan(found.high_error));
  EXPECT_EQ(nothing.undefined(), 20U);
  EXPECT_TRUE(std::isnan(nothing.standard_error()));
  EXPECT_TRUE(std::isnan(nothing.standard_error_error()));
  EXPECT_TRUE(std::isnan(nothing.bias()));
}

// One replicate has no spread to speak of: the standard error is undefined, not 0.
TEST(Percentile, OneReplicate) {
  const Result one = result_of({2.5});
  EXPECT_TRUE(std::isnan(one.standard_error()));
  EXPECT_EQ(one.bias(), 2);
  EXPECT_EQ(interval::percentile(one).limits(), std::make_pair(2.5, 2.5));
}

TEST(Percentile, Ties) {
  std::vector<double> values(1000, 7);
  EXPECT_EQ(interval::percentile(result_of(values)).limits(), std::make_pair(7.0, 7.0));
  EXPECT_EQ(interval::percentile(result_of(values)).low_error, 0);
  for (std::size_t i = 0; i < 1000; ++i) values[i] = static_cast<double>(i % 3);
  const Interval found = interval::percentile(result_of(values), {.confidence = 0.2});
  EXPECT_EQ(found.limits(), std::make_pair(1.0, 1.0));
}

TEST(Percentile, EveryOutputHasItsOwn) {
  const std::vector<double> x = reference::normals(300, 1);
  const Result result = bootstrap(
      x, {statistic::mean(), statistic::variance(), statistic::skewness()}, {.replicates = 999});
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> column;
    for (std::uint64_t r = 0; r < 999; ++r) column.push_back(result.replicate(r, k));
    const Interval found = interval::percentile(result, {.confidence = 0.9, .output = k});
    EXPECT_NEAR(found.low, reference::quantile(column, 0.05), 1e-13);
    EXPECT_NEAR(found.high, reference::quantile(column, 0.95), 1e-13);
  }
}

TEST(Percentile, InvalidOptionsAreRejected) {
  const Result result = result_of({1, 2, 3});
  for (const double confidence : {0.0, 1.0, 1.5, -0.5, reference::kNan})
    EXPECT_THAT(reference::message_of<InvalidArgument>([&] {
                  static_cast<void>(interval::percentile(result, {.confidence = confidence}));
                }),
                AllOf(HasSubstr("confidence is"), HasSubstr("above 0 and below 1")));
  EXPECT_THAT(reference::message_of<InvalidArgument>(
                  [&] { static_cast<void>(interval::percentile(result, {.output = 1})); }),
              AllOf(HasSubstr("output is 1"), HasSubstr("has 1")));
}

TEST(Percentile, SixteenOfTheBooks) {
  const Result result =
      bootstrap(reference::kSixteen, statistic::mean(), {.replicates = 1'000'000, .seed = 5});
  const Interval found = interval::percentile(result);
  EXPECT_NEAR(found.low, 28.8625, laws::kZ * found.low_error);
  EXPECT_NEAR(found.high, 84.2375, laws::kZ * found.high_error);
  EXPECT_LT(found.low_error, 0.1);
  EXPECT_LT(found.high_error, 0.1);
}

// Numbers of any size have a spread of that size.
TEST(Percentile, SummariesOfHugeAndTinyNumbers) {
  const std::vector<double> plain = reference::normals(100, 4);
  const Result unit(Plan{}, 0, {0.0}, plain);
  for (const int exponent : {-1030, -500, -250, 250, 500, 1015}) {
    SCOPED_TRACE(testing::Message() << "numbers of size 2^" << exponent);
    std::vector<double> scaled = plain;
    for (double& value : scaled) value = std::ldexp(value, exponent);
    const Result result(Plan{}, 0, {0.0}, scaled);
    EXPECT_TRUE(reference::close(std::ldexp(result.standard_error(), -exponent),
                                 unit.standard_error(), 1e-9));
    EXPECT_TRUE(reference::close(std::ldexp(result.standard_error_error(), -exponent),
                                 unit.standard_error_error(), 1e-9));
  }
}

}  // namespace percentile_test
}  // namespace bootfold
