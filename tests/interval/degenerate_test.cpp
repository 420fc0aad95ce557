// Where a method cannot serve: a status, a fall-back that is named, or an error. Never a silent
// NaN, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "bootfold/error.h"
#include "bootfold/interval.h"
#include "statistic/reference.h"

namespace bootfold {
namespace degenerate_test {

using interval::Method;
using interval::Status;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::array kAll = {Method::normal, Method::basic,       Method::percentile,
                             Method::bca,    Method::studentized, Method::abc};

/// A result that has all that intervals need, made by hand.
Result result_of(std::vector<double> replicates, double estimate) {
  Plan plan;
  plan.replicates = replicates.size();
  plan.outputs = {"it"};
  Companions companions;
  companions.influences.resize(1);
  companions.influences[0].rows = 10;
  companions.influences[0].second = 1;
  companions.abc_curves.resize(1);
  companions.abc_curves[0].problem = "made by hand";
  companions.estimate_errors = {1};
  companions.replicate_errors.assign(replicates.size(), 1);
  return Result(plan, 0, {estimate}, std::move(replicates), std::move(companions));
}

/// Numbers or a status that says why not; a strict one throws exactly where the status is not good.
void expect_policy(const Result& result) {
  for (const Method method : kAll) {
    SCOPED_TRACE(interval::name(method));
    const Interval found = interval::make(method, result);
    if (found.status == Status::undefined) {
      EXPECT_TRUE(std::isnan(found.low) && std::isnan(found.high));
    } else {
      EXPECT_TRUE(std::isfinite(found.low) && std::isfinite(found.high));
      EXPECT_GE(found.low_error, 0);
      EXPECT_GE(found.high_error, 0);
    }
    EXPECT_EQ(found.status == Status::good, found.reason.empty());
    EXPECT_EQ(found.status == Status::fell_back, found.fallback == "percentile");
    if (found.status == Status::fell_back) {
      EXPECT_EQ(found.limits(), interval::percentile(result).limits());
    }
    const auto strict = [&] {
      static_cast<void>(interval::make(method, result, {.strict = true}));
    };
    if (found.status == Status::good) {
      EXPECT_NO_THROW(strict());
    } else {
      EXPECT_THAT(reference::message_of<InvalidArgument>(strict),
                  AllOf(HasSubstr("strict"), HasSubstr(found.reason)));
    }
  }
}

Result run(const std::vector<double>& data, const Statistic& statistic) {
  return bootstrap(data, statistic,
                   {.replicates = 2000, .seed = 1, .influence = true, .standard_errors = true});
}

TEST(Degenerate, ConstantData) {
  const Result result = run(std::vector<double>(20, 0.1), statistic::mean());
  expect_policy(result);
  for (const Method method : kAll) {
    const Interval found = interval::make(method, result);
    EXPECT_EQ(found.limits(), std::make_pair(0.1, 0.1));
    EXPECT_EQ(found.low_error, 0);
  }
  EXPECT_EQ(interval::normal(result).status, Status::good);
  EXPECT_THAT(interval::bca(result).reason, HasSubstr("0/0"));
  EXPECT_THAT(interval::studentized(result).reason, HasSubstr("is 0"));
}

TEST(Degenerate, AllReplicatesOnOneSide) {
  std::vector<double> above = reference::uniforms(500, 2);
  const Result result = result_of(above, -1);
  expect_policy(result);
  const Interval found = interval::bca(result);
  EXPECT_EQ(found.status, Status::fell_back);
  EXPECT_EQ(found.method, "bca");
  EXPECT_EQ(found.fallback, "percentile");
  EXPECT_THAT(found.reason, HasSubstr("z0 is infinite"));
  // The largest row is never exceeded, and drawn in most resamples: half of the ties keep z0
  // finite.
  expect_policy(run(reference::normals(30, 3), statistic::max()));
}

TEST(Degenerate, AccelerationBeyondTheConfidence) {
  Result result = result_of(reference::normals(1000, 4), 0);
  Influence strong;
  strong.rows = 3;
  strong.second = 1;
  strong.third = 6 * 0.6;
  result.add_influences({strong}, result.companions().abc_curves);
  expect_policy(result);
  EXPECT_THAT(interval::bca(result).reason, HasSubstr("acceleration 0.6"));
}

TEST(Degenerate, UndefinedReplicates) {
  std::vector<double> some = reference::normals(500, 5);
  for (std::size_t i = 0; i < some.size(); i += 7) some[i] = reference::kNan;
  const Result result = result_of(some, 0);
  expect_policy(result);
  for (const Method method : kAll) {
    const Interval found = interval::make(method, result);
    EXPECT_GE(found.status, Status::partial);
    EXPECT_THAT(found.reason, HasSubstr("72 of 500 replicates"));
  }
  const Result nothing = result_of(std::vector<double>(50, reference::kNan), 0);
  expect_policy(nothing);
  EXPECT_EQ(interval::bca(nothing).status, Status::undefined);
}

TEST(Degenerate, UndefinedEstimate) {
  const Result result = result_of(reference::normals(500, 6), reference::kNan);
  expect_policy(result);
  for (const Method method : {Method::normal, Method::basic, Method::bca, Method::studentized})
    EXPECT_THAT(interval::make(method, result).reason, HasSubstr("estimate is undefined"));
  EXPECT_EQ(interval::percentile(result).status, Status::good);
}

TEST(Degenerate, TooFewReplicates) {
  for (const std::size_t count : {1U, 2U, 3U, 10U, 39U}) {
    SCOPED_TRACE(count);
    const Result result = result_of(reference::normals(count, 7), 0);
    expect_policy(result);
    EXPECT_EQ(interval::percentile(result).status, Status::extreme);
  }
  EXPECT_EQ(interval::percentile(result_of(reference::normals(41, 7), 0)).status, Status::good);
}

TEST(Degenerate, StandardErrorsOfZeroOrNone) {
  Plan plan;
  plan.replicates = 400;
  plan.outputs = {"it"};
  const std::vector<double> values = reference::normals(400, 8);
  Companions companions;
  companions.estimate_errors = {1};
  companions.replicate_errors.assign(400, 1);
  for (std::size_t i = 0; i < 4; ++i) companions.replicate_errors[i] = 0;
  // A few infinite pivots lie beyond the limits.
  const Interval few = interval::studentized(Result(plan, 0, {0}, values, companions));
  EXPECT_EQ(few.status, Status::good);
  EXPECT_TRUE(std::isfinite(few.low) && std::isfinite(few.high));
  for (std::size_t i = 0; i < 200; ++i) companions.replicate_errors[i] = 0;
  const Interval many = interval::studentized(Result(plan, 0, {0}, values, companions));
  EXPECT_EQ(many.status, Status::fell_back);
  EXPECT_THAT(many.reason, HasSubstr("standard error of 0"));
  companions.replicate_errors.assign(400, 1);
  for (std::size_t i = 0; i < 5; ++i) companions.replicate_errors[i] = reference::kNan;
  const Interval undefined = interval::studentized(Result(plan, 0, {0}, values, companions));
  EXPECT_EQ(undefined.status, Status::partial);
  EXPECT_THAT(undefined.reason, HasSubstr("5 of 400"));
}

// Real data that are hard: one row, two rows, an outlier of 1e300, all but one equal.
TEST(Degenerate, HardDataNeverFail) {
  const std::vector<std::vector<double>> all = {
      {3}, {1, 2}, {0, 0, 0, 0, 1}, {1, 2, 3, 1e300}, {-1e-300, 1e-300, 0}};
  for (const auto& data : all)
    for (const Statistic& statistic :
         {statistic::mean(), statistic::variance(), statistic::median(), statistic::skewness(),
          statistic::trimmed_mean(0.1), statistic::proportion(0.5)}) {
      SCOPED_TRACE(testing::Message() << data.size() << " rows, " << statistic.name());
      const Result result = bootstrap(
          data, statistic,
          {.replicates = 200, .influence = true, .standard_errors = true, .nested_replicates = 10});
      expect_policy(result);
    }
}

}  // namespace degenerate_test
}  // namespace bootfold
