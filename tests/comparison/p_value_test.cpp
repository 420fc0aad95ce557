// p-values, corrections, and their tie to the intervals.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bootfold/compare.h"
#include "comparison/contrast.h"
#include "comparison/max_t.h"
#include "samples.h"

namespace bootfold::comparison {
namespace p_value_test {

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
  EXPECT_DOUBLE_EQ(p_value(some, interval::Method::percentile).value, 2 * 2 / 10.0);
  EXPECT_DOUBLE_EQ(p_value(some, interval::Method::percentile).error,
                   2 * std::sqrt(0.2 * 0.8 / 10));
  // Turned round the estimate: 2 * 3 = 6, at or above which 2 lie.
  EXPECT_DOUBLE_EQ(p_value(some, interval::Method::basic).value, 2 * 3 / 10.0);
  const Result all = result_of(3, {1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(p_value(all, interval::Method::percentile).value, 2 * 1 / 5.0);
  const Result none = result_of(0, {0, 0, 0});
  EXPECT_EQ(p_value(none, interval::Method::percentile).value, 1);
  EXPECT_EQ(p_value(none, interval::Method::normal).value, 1);
}

TEST(PValue, UndefinedReplicatesDoNotCount) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(p_value(result_of(3, {1, nan, 2, -1, nan}), interval::Method::percentile).value,
            p_value(result_of(3, {1, 2, -1}), interval::Method::percentile).value);
}

TEST(PValue, NormalIsThatOfTheStandardisedEstimate) {
  const Result result = result_of(2, {1, 2, 3});  // no bias, standard error 1
  EXPECT_NEAR(p_value(result, interval::Method::normal).value, 0.045500263896358, 1e-12);
  const Interval interval = interval::make(interval::Method::normal, result, {.confidence = 0.95});
  EXPECT_NEAR(interval.low, 2 - 1.959963984540054, 1e-12);
  EXPECT_NEAR(interval.high, 2 + 1.959963984540054, 1e-12);
  EXPECT_EQ(interval.method, "normal");
  // The bias is taken off: mean of the replicates 3, estimate 2, centre 1.
  EXPECT_NEAR(interval::normal(result_of(2, {2, 3, 4}), {.confidence = 0.95}).high,
              1 + 1.959963984540054, 1e-12);
}

TEST(Interval, BasicIsPercentileReflectedAboutTheEstimate) {
  const Result result = result_of(4, {1, 2, 3, 5, 9});
  const Interval percentile =
      interval::make(interval::Method::percentile, result, {.confidence = 0.8});
  const Interval basic = interval::make(interval::Method::basic, result, {.confidence = 0.8});
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
    for (const interval::Method method :
         {interval::Method::percentile, interval::Method::basic, interval::Method::normal,
          interval::Method::bca, interval::Method::studentized}) {
      SCOPED_TRACE(name(method));
      Companions companions;
      companions.influences.resize(1);
      companions.influences[0].rows = 100;
      companions.influences[0].second = 1;
      companions.influences[0].third = 0.3;
      companions.estimate_errors = {0.9};
      for (const double value : normals(20'000, seed + 10))
        companions.replicate_errors.push_back(1 + 0.2 * std::tanh(value));
      const Result result(Plan{}, 0, {1.7}, normals(20'000, seed, 1.8), companions);
      const double p = p_value(result, method).value;
      ASSERT_GT(p, 0.01);
      const Interval outside = interval::make(method, result, {.confidence = 1 - p - 2e-4});
      const Interval inside = interval::make(method, result, {.confidence = 1 - p + 2e-4});
      EXPECT_GT(outside.low, 0);
      EXPECT_LT(inside.low, 0);
    }
}

// One-sided: the same, at the only limit there is; and the two sides add up to 1, but for the
// replicates that are counted twice.
TEST(PValue, OneSidedAgreesWithItsInterval) {
  using interval::Alternative;
  for (const Alternative alternative : {Alternative::less, Alternative::greater})
    for (const interval::Method method :
         {interval::Method::percentile, interval::Method::basic, interval::Method::normal,
          interval::Method::bca, interval::Method::studentized}) {
      SCOPED_TRACE(name(method));
      const double sign = alternative == Alternative::less ? -1 : 1;
      Companions companions;
      companions.influences.resize(1);
      companions.influences[0].rows = 100;
      companions.influences[0].second = 1;
      companions.influences[0].third = 0.3;
      companions.estimate_errors = {0.9};
      for (const double value : normals(20'000, 11))
        companions.replicate_errors.push_back(1 + 0.2 * std::tanh(value));
      const Result result(Plan{}, 0, {1.7 * sign}, normals(20'000, 1, 1.8 * sign), companions);
      const double p = p_value(result, method, alternative).value;
      ASSERT_GT(p, 0.01);
      ASSERT_LT(p, 0.2);
      const auto limit = [&](double confidence) {
        const Interval found =
            interval::make(method, result, {.confidence = confidence, .alternative = alternative});
        return sign * (alternative == Alternative::less ? found.high : found.low);
      };
      EXPECT_GT(limit(1 - p - 2e-4), 0);
      EXPECT_LT(limit(1 - p + 2e-4), 0);
      const Alternative other =
          alternative == Alternative::less ? Alternative::greater : Alternative::less;
      EXPECT_NEAR(p + p_value(result, method, other).value, 1, 2e-4);
      EXPECT_NEAR(2 * p, p_value(result, method).value, 1e-12);
    }
}

// One difference alone: the one-sided limit is the estimate less a quantile of what replicates
// exceed it by.
TEST(Correction, OneSidedMaxTLooksAtOneSide) {
  const Result result = result_of(1, {0, 0.5, 1, 1.5, 4});
  const double error = result.standard_error();
  MaxT greater(5, interval::Alternative::greater);
  greater.add(result);
  greater.add(result_of(0, {2, 2, 2, 2, 2}));  // one that never varies adds nothing
  greater.finish();
  const Interval found = greater.interval({1, error}, 0.75);
  EXPECT_DOUBLE_EQ(found.low, 1 - 0.5);  // the fourth of five exceeds it by 0.5
  EXPECT_EQ(found.high, std::numeric_limits<double>::infinity());
  // 1 is exceeded by 1 or more (t = 1 / error) in one of five.
  EXPECT_DOUBLE_EQ(greater.p_value({1, error}).value, 2 / 6.0);
  MaxT less(5, interval::Alternative::less);
  less.add(result);
  less.finish();
  EXPECT_DOUBLE_EQ(less.interval({1, error}, 0.75).high, 1 + 0.5);
  EXPECT_EQ(less.interval({1, error}, 0.75).low, -std::numeric_limits<double>::infinity());
  // On the other side: 1 or less below it lie four of five.
  EXPECT_DOUBLE_EQ(less.p_value({1, error}).value, 5 / 6.0);
}

// TRUTH: two-sample acceleration of the mice's difference of means, printed by SciPy's tests.
TEST(Subtract, CombinesTheAccelerations) {
  const Samples samples = mice();
  const auto alone = [&](const std::string& group) {
    return bootstrap(values_of(samples, group), statistic::mean(),
                     {.replicates = 10, .influence = true});
  };
  const Result group = alone("treatment");
  const Result control = alone("control");
  const Result difference = subtract(group, control, Difference::absolute);
  EXPECT_NEAR(difference.companions().influences.at(0).acceleration(), 0.011008228344026734, 1e-14);
}

// (3 - -2) / |-2| = 2.5; its derivatives are 1/2 and 3/4, so errors 0.2 and 0.1 make 0.125.
TEST(Subtract, PropagatesErrorsToTheLift) {
  Companions ours;
  ours.estimate_errors = {0.2};
  ours.replicate_errors = {0.2, 0.2};
  Companions theirs;
  theirs.estimate_errors = {0.1};
  theirs.replicate_errors = {0.1, 0.1};
  const Result group(Plan{}, 0, {3}, {3, -3}, ours);
  const Result control(Plan{}, 0, {-2}, {-2, 2}, theirs);
  const Result lift = subtract(group, control, Difference::relative);
  EXPECT_DOUBLE_EQ(lift.estimate(), 2.5);
  EXPECT_DOUBLE_EQ(lift.companions().estimate_errors.at(0), 0.125);
  EXPECT_DOUBLE_EQ(lift.companions().replicate_errors.at(1), 0.125);
  EXPECT_DOUBLE_EQ(
      subtract(group, control, Difference::absolute).companions().estimate_errors.at(0),
      std::hypot(0.2, 0.1));
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

TEST(PValue, IsNoSmallerThanThatOfAPermutation) {
  Samples samples;
  samples.add("A", {1, 2});
  samples.add("B", {3, 4});
  for (const auto correction : {Correction::none, Correction::holm, Correction::simultaneous}) {
    SCOPED_TRACE(name(correction));
    const Comparison found = compare(samples.values, samples.labels(), statistic::mean(),
                                     {.control = "A", .correction = correction});
    const Contrast& contrast = found.contrasts[0];
    EXPECT_DOUBLE_EQ(contrast.p_value, 2 / 6.0);
    EXPECT_DOUBLE_EQ(contrast.adjusted_p_value, 2 / 6.0);
    std::vector<std::string> names;
    for (const Note& note : contrast.notes) names.push_back(note.name);
    EXPECT_EQ(names, (std::vector<std::string>{"few_rows", "least_p_value"}));
    EXPECT_NE(contrast.notes[1].text.find(
                  "no permutation of so few rows or clusters has a p-value below 0.33"),
              std::string::npos)
        << contrast.notes[1].text;
  }
  // Clusters are what is permuted, or the groups within those that they share.
  Samples many;
  std::vector<std::uint32_t> own;
  std::vector<std::uint32_t> shared;
  for (std::uint32_t i = 0; i < 40; ++i) {
    many.add(i % 2 == 0 ? "A" : "B", {static_cast<double>(i % 2 * 10 + i / 10)});
    own.push_back(i / 10 * 2 + i % 2);
    shared.push_back(i / 10);
  }
  const auto p_of = [&](const std::vector<std::uint32_t>& clusters) {
    return compare(many.values, many.labels(), statistic::mean(),
                   {.control = "A", .scheme = scheme::Cluster{clusters}})
        .contrasts[0]
        .p_value;
  };
  EXPECT_DOUBLE_EQ(p_of(own), 2 / 70.0);
  EXPECT_DOUBLE_EQ(p_of(shared), 2 / 16.0);
}

// Values divided by 3 are not exact, and neither are their sums: ties must be found all the same.
TEST(PValue, DoesNotDependOnTheUnit) {
  const auto p_values = [](double unit, interval::Method method, Correction correction) {
    Samples samples;
    for (int i = 0; i < 12; ++i) {
      samples.add("A", {unit * (i * 7 % 5)});
      samples.add("B", {unit * (i * 3 % 5 + (i % 4 == 0 ? 1 : 0))});
    }
    const Comparison found =
        compare(samples.values, samples.labels(), statistic::mean(),
                {.control = "A", .interval = method, .correction = correction, .seed = 3});
    return std::pair(found.contrasts[0].p_value, found.contrasts[0].adjusted_p_value);
  };
  using interval::Method;
  for (const Method method : {Method::percentile, Method::basic, Method::bca, Method::studentized})
    for (const Correction correction : {Correction::none, Correction::simultaneous})
      for (const double unit : {1 / 3.0, 0.1, 1e-9 / 7}) {
        SCOPED_TRACE(testing::Message() << interval::name(method) << ", unit " << unit);
        const auto found = p_values(unit, method, correction);
        const auto wanted = p_values(1, method, correction);
        EXPECT_NEAR(found.first, wanted.first, 1e-9);
        EXPECT_NEAR(found.second, wanted.second, 1e-9);
      }
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
  const Interval interval = farthest.interval({10, 2}, 0.5);
  EXPECT_NEAR(interval.high, 10 + 2 * 2 / deviation, 1e-12);
  EXPECT_EQ(interval.method, "simultaneous");
  // Two of five stray by 4 / deviation.
  EXPECT_DOUBLE_EQ(farthest.p_value({4 / deviation * error, error}).value, 3 / 6.0);
  EXPECT_DOUBLE_EQ(farthest.p_value({100, 1}).value, 1 / 6.0);
  EXPECT_DOUBLE_EQ(farthest.p_value({0, 1}).value, 1);
  EXPECT_DOUBLE_EQ(farthest.p_value({0, 0}).value, 1);
  EXPECT_DOUBLE_EQ(farthest.p_value({1, 0}).value, 1 / 6.0);

  MaxT gaps(3);
  gaps.add(result_of(0, {nan, 1, -1}));
  gaps.add(result_of(0, {1, -1, nan}));
  gaps.add(result_of(0, {5, 6, 7}));
  gaps.finish();
  EXPECT_EQ(gaps.defined(), 1U);
}

// A third of the differences are exactly 0, and lie on both sides of it.
TEST(PValue, OfEqualGroupsWithTiesIsOne) {
  Samples samples;
  samples.add("A", {2, 2, 2, 2, 2, 2, 2, 2, 3});
  samples.add("B", {2, 2, 2, 2, 2, 2, 2, 2, 3});
  for (const interval::Method method :
       {interval::Method::percentile, interval::Method::basic, interval::Method::bca})
    EXPECT_EQ(compare(samples.values, samples.labels(), statistic::mean(),
                      {.control = "A", .interval = method, .replicates = 2000})
                  .contrasts[0]
                  .p_value,
              1)
        << interval::name(method);
}

}  // namespace p_value_test
}  // namespace bootfold::comparison
