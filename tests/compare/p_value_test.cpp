// p-values, corrections, and their tie to the intervals.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bootfold/compare.h"
#include "compare/contrast.h"
#include "compare/max_t.h"
#include "samples.h"

namespace bootfold::comparison {
namespace {

Result result_of(double estimate, std::vector<double> replicates) {
  return Result(Plan{}, 0, {estimate}, std::move(replicates));
}

std::vector<double> values(const std::vector<PValue>& all) {
  std::vector<double> out;
  for (const PValue& p : all) out.push_back(p.value);
  return out;
}

TEST(PValue, CountsBothSidesAndNeverReachesZero) {
  // 1 of 9 at or below 0, 8 at or above.
  const Result some = result_of(3, {-1, 1, 2, 3, 3, 4, 5, 6, 7});
  EXPECT_DOUBLE_EQ(p_value(some, Method::percentile).value, 2 * 2 / 10.0);
  EXPECT_DOUBLE_EQ(p_value(some, Method::percentile).error, 2 * std::sqrt(0.2 * 0.8 / 10));
  // Turned round the estimate: 2 * 3 = 6, at or above which 2 lie.
  EXPECT_DOUBLE_EQ(p_value(some, Method::basic).value, 2 * 3 / 10.0);
  const Result all = result_of(3, {1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(p_value(all, Method::percentile).value, 2 * 1 / 5.0);
  const Result none = result_of(0, {0, 0, 0});
  EXPECT_EQ(p_value(none, Method::percentile).value, 1);
  EXPECT_EQ(p_value(none, Method::normal).value, 1);
}

TEST(PValue, UndefinedReplicatesDoNotCount) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(p_value(result_of(3, {1, nan, 2, -1, nan}), Method::percentile).value,
            p_value(result_of(3, {1, 2, -1}), Method::percentile).value);
}

TEST(PValue, NormalIsThatOfTheStandardisedEstimate) {
  const Result result = result_of(2, {1, 2, 3});  // no bias, standard error 1
  EXPECT_NEAR(p_value(result, Method::normal).value, 0.045500263896358, 1e-12);
  const Interval interval = make_interval(result, Method::normal, 0.95);
  EXPECT_NEAR(interval.low, 2 - 1.959963984540054, 1e-12);
  EXPECT_NEAR(interval.high, 2 + 1.959963984540054, 1e-12);
  EXPECT_EQ(interval.method, "normal");
  // The bias is taken off: mean of the replicates 3, estimate 2, centre 1.
  EXPECT_NEAR(make_interval(result_of(2, {2, 3, 4}), Method::normal, 0.95).high,
              1 + 1.959963984540054, 1e-12);
}

TEST(Interval, BasicIsPercentileTurnedRoundTheEstimate) {
  const Result result = result_of(4, {1, 2, 3, 5, 9});
  const Interval percentile = make_interval(result, Method::percentile, 0.8);
  const Interval basic = make_interval(result, Method::basic, 0.8);
  EXPECT_EQ(basic.low, 8 - percentile.high);
  EXPECT_EQ(basic.high, 8 - percentile.low);
  EXPECT_EQ(basic.low_error, percentile.high_error);
  EXPECT_EQ(basic.high_error, percentile.low_error);
  EXPECT_EQ(basic.method, "basic");
}

// p is the error at which the interval just reaches 0: a little less confidence and 0 is outside,
// a little more and it is inside. (One replicate in 20,000 is the slack of the +1.)
TEST(PValue, AgreesWithItsInterval) {
  for (const std::uint64_t seed : {1U, 2U, 3U})
    for (const Method method : {Method::percentile, Method::basic, Method::normal}) {
      SCOPED_TRACE(name(method));
      const Result result = result_of(1.8, normals(20'000, seed, 1.8));
      const double p = p_value(result, method).value;
      ASSERT_GT(p, 0.01);
      const Interval outside = make_interval(result, method, 1 - p - 2e-4);
      const Interval inside = make_interval(result, method, 1 - p + 2e-4);
      EXPECT_GT(outside.low, 0);
      EXPECT_LT(inside.low, 0);
    }
}

TEST(Correction, BonferroniMultiplies) {
  const std::vector<PValue> raw = {{0.01, 0.001}, {0.04, 0.002}, {0.5, 0.01}};
  EXPECT_EQ(values(bonferroni(raw)), (std::vector<double>{0.03, 0.12, 1}));
  EXPECT_DOUBLE_EQ(bonferroni(raw)[0].error, 0.003);
  EXPECT_EQ(bonferroni(raw)[2].error, 0);  // 1.5 +- 0.03 is 1 for sure
}

// What R's p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.5), "holm") prints: 0.04 0.09 0.09 0.025 0.50.
TEST(Correction, HolmStepsDown) {
  const std::vector<PValue> raw = {{0.01}, {0.04}, {0.03}, {0.005}, {0.5}};
  const std::vector<double> expected = {0.04, 0.09, 0.09, 0.025, 0.5};
  const std::vector<double> adjusted = values(holm(raw));
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(adjusted[i], expected[i]);
}

TEST(MaxT, TakesTheFarthestInUnitsOfTheErrors) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double error = std::sqrt(10.0);  // of the first
  MaxT farthest(5);
  farthest.add(result_of(0, {-4, 2, 2, -2, 4}));  // mean 0.4, deviation sqrt(10.8)
  farthest.add(result_of(1, {1, 1, 1, 1, 1}));    // never varies: adds nothing
  farthest.finish();
  EXPECT_EQ(farthest.defined(), 5U);
  const double deviation = std::sqrt(10.8);
  const Interval interval = farthest.interval(10, 2, 0, 0.5);
  EXPECT_NEAR(interval.high, 10 + 2 * 2 / deviation, 1e-12);
  EXPECT_EQ(interval.method, "simultaneous");
  // Two of five stray by 4 / deviation.
  EXPECT_DOUBLE_EQ(farthest.p_value(4 / deviation * error, error).value, 3 / 6.0);
  EXPECT_DOUBLE_EQ(farthest.p_value(100, 1).value, 1 / 6.0);
  EXPECT_DOUBLE_EQ(farthest.p_value(0, 1).value, 1);
  EXPECT_DOUBLE_EQ(farthest.p_value(0, 0).value, 1);
  EXPECT_DOUBLE_EQ(farthest.p_value(1, 0).value, 1 / 6.0);

  MaxT gaps(3);
  gaps.add(result_of(0, {nan, 1, -1}));
  gaps.add(result_of(0, {1, -1, nan}));
  gaps.add(result_of(0, {5, 6, 7}));
  gaps.finish();
  EXPECT_EQ(gaps.defined(), 1U);
}

}  // namespace
}  // namespace bootfold::comparison
