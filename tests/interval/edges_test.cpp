// Data at the edges of the arithmetic: spreads of 0 but for rounding, means far from 0, statistics
// that reach the end of their range.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bootfold/influence.h"
#include "bootfold/interval.h"
#include "bootfold/random.h"
#include "jackknife/curve.h"
#include "statistic/reference.h"

namespace bootfold {
namespace edges_test {

using interval::Status;
using testing::HasSubstr;

DataView columns(const std::vector<double>& x, const std::vector<double>& y) {
  return DataView(std::vector<ColumnView>{ColumnView(x), ColumnView(y)});
}

std::vector<double> two_values(double low, std::size_t lows, double high, std::size_t highs) {
  std::vector<double> x(lows, low);
  x.insert(x.end(), highs, high);
  return x;
}

// Where both values are drawn equally often, m4 - m2^2 is 0, and rounding must not make it 1e-16:
// the pivot of such a resample is infinite.
TEST(StudentizedVariance, OfTwoValuesSaysThatErrorsAreZero) {
  const std::vector<double> x = two_values(9.7, 7, 10.0, 5);
  for (const Statistic& statistic : {statistic::variance(), statistic::standard_deviation()}) {
    SCOPED_TRACE(statistic.name());
    const Result result =
        bootstrap(x, statistic, {.replicates = 4000, .seed = 1, .standard_errors = true});
    const Interval found = interval::studentized(result);
    EXPECT_EQ(found.status, Status::fell_back);
    EXPECT_THAT(found.reason, HasSubstr("too many resamples have a standard error of 0"));
    EXPECT_EQ(found.limits(), interval::percentile(result).limits());
  }
}

TEST(StudentizedVariance, OfTwoValuesIsNeverAbsurd) {
  random::Stream stream({.seed = 11});
  for (int set = 0; set < 60; ++set) {
    const double low = std::round(1000 * random::normal(stream)) / 100;
    const double step = std::round(1 + 100 * random::uniform(stream)) / 10;
    const std::vector<double> x = two_values(low, 3 + random::uniform_index(stream, 12), low + step,
                                             3 + random::uniform_index(stream, 12));
    SCOPED_TRACE(testing::Message() << "set " << set << ": " << low << " and " << low + step);
    const Result result =
        bootstrap(x, statistic::variance(), {.replicates = 1000, .standard_errors = true});
    const Interval found = interval::studentized(result);
    EXPECT_LT(std::abs(found.low), 20 * step * step);
    EXPECT_LT(std::abs(found.high), 20 * step * step);
  }
}

/// Exponential numbers that stay exact when `offset` is added.
std::vector<double> exponentials(std::size_t count, double offset, double grid = 0x1p-18) {
  random::Stream stream({.seed = 5});
  std::vector<double> x(count);
  for (double& value : x) value = offset + std::round(random::exponential(stream) / grid) * grid;
  return x;
}

void expect_same(const Influence& found, const Influence& wanted) {
  EXPECT_TRUE(reference::close(found.second, wanted.second, 1e-9));
  // Where the influences are symmetric their third moment is rounding, which depends on the centre.
  if (std::abs(wanted.third) > 1e-9 * std::pow(wanted.second, 1.5)) {
    EXPECT_TRUE(reference::close(found.third, wanted.third, 1e-8));
  } else {
    EXPECT_NEAR(found.third, wanted.third, 1e-9 * std::pow(wanted.second, 1.5));
  }
  if (wanted.deleted) {
    EXPECT_NEAR(found.bias(), wanted.bias(), 1e-6 * found.standard_error());
  }
}

// A mean moves with the data, and so do no differences of it.
TEST(Influence, OfAMeanFarFromZeroHasAllDigits) {
  for (const double offset : {1e7, 1e9}) {
    for (const std::size_t rows : {1000U, 300'000U}) {
      SCOPED_TRACE(testing::Message() << rows << " rows at " << offset);
      const std::vector<double> near = exponentials(rows, 0);
      const std::vector<double> far = exponentials(rows, offset);
      std::vector<std::uint32_t> labels(rows);
      for (std::uint32_t i = 0; i < rows; ++i) labels[i] = i % 200;
      std::vector<double> weights(rows);
      for (std::size_t i = 0; i < rows; ++i) weights[i] = static_cast<double>(1 + i % 3);
      for (const Scheme& scheme :
           {Scheme(scheme::Iid{}), Scheme(scheme::Stratified{labels}),
            Scheme(scheme::Cluster{labels}), Scheme(scheme::Unequal{weights}),
            Scheme(scheme::MovingBlocks{5})}) {
        SCOPED_TRACE(name(scheme));
        expect_same(influence(far, statistic::mean(), {.scheme = scheme})[0],
                    influence(near, statistic::mean(), {.scheme = scheme})[0]);
      }
      expect_same(infinitesimal(far, statistic::mean())[0],
                  infinitesimal(near, statistic::mean())[0]);
    }
  }
  const std::vector<double> near = exponentials(20'000, 0, 0x1p-10);
  expect_same(influence(exponentials(20'000, 0x1p40, 0x1p-10), statistic::mean())[0],
              influence(near, statistic::mean())[0]);
}

TEST(Influence, OfADifferenceOfColumnsFarFromZeroHasAllDigits) {
  const std::vector<double> near = exponentials(5000, 0);
  const std::vector<double> far = exponentials(5000, 1e9);
  std::vector<double> other(near.rbegin(), near.rend());
  const std::vector<double> other_near = other;
  for (double& value : other) value += 2e9;
  expect_same(influence(columns(far, other), statistic::difference())[0],
              influence(columns(near, other_near), statistic::difference())[0]);
}

TEST(Bca, OfAMeanFarFromZeroIsThatOfTheRest) {
  const double offset = 1e9;
  const Options options{.replicates = 2000, .seed = 3, .influence = true};
  const Result near = bootstrap(exponentials(100'000, 0), statistic::mean(), options);
  const Result far = bootstrap(exponentials(100'000, offset), statistic::mean(), options);
  const double unit = near.standard_error();
  for (const auto method : {interval::Method::bca, interval::Method::abc}) {
    SCOPED_TRACE(interval::name(method));
    const Interval wanted = interval::make(method, near);
    const Interval found = interval::make(method, far);
    EXPECT_NEAR(found.low - offset, wanted.low, 1e-3 * unit);
    EXPECT_NEAR(found.high - offset, wanted.high, 1e-3 * unit);
  }
}

// A curve is read between its points as it would be evaluated there.
TEST(AbcCurve, IsWhatItsFunctionIs) {
  const auto expect = [](const char* what, const std::function<double(double)>& function) {
    SCOPED_TRACE(what);
    AbcCurve curve;
    jackknife::sample(curve, function);
    EXPECT_EQ(curve.values.size(), AbcCurve::kValues);
    for (int i = -8050; i <= 8050; ++i) {
      const double place = i / 1003.0;
      const double wanted = std::abs(place) <= AbcCurve::kReach ? function(place) : std::nan("");
      if (std::isnan(wanted))
        EXPECT_TRUE(std::isnan(curve.at(place))) << place;
      else
        EXPECT_NEAR(curve.at(place), wanted, 1e-9) << place;
    }
  };
  expect("straight", [](double t) { return 5 + t; });
  expect("exponential", [](double t) { return std::exp(t / 3); });
  expect("with a pole beside it", [](double t) { return 1 / (1 + t * t); });
  expect("clamped", [](double t) { return std::clamp(0.8 + 0.11 * t + 0.003 * t * t, -1.0, 1.0); });
  expect("clamped on both sides", [](double t) { return std::clamp(t / 3.1, -1.0, 1.0); });
  expect("undefined below", [](double t) { return std::sqrt(1 + t / 5); });
  expect("clamped, then undefined",
         [](double t) { return t > 5 ? std::nan("") : std::min(1.0, std::exp(t - 2)); });
}

TEST(Abc, OfACorrelationStaysWithinItsRange) {
  const std::vector<double>& x = reference::kLsat;
  const std::vector<double>& y = reference::kGpa;
  const Result result =
      bootstrap(columns(x, y), statistic::correlation(), {.replicates = 100, .influence = true});
  for (const double confidence : {0.9, 0.99, 0.999, 0.9999, 0.99999}) {
    SCOPED_TRACE(confidence);
    const Interval found = interval::abc(result, {.confidence = confidence});
    EXPECT_LE(found.high, 1);
    EXPECT_GE(found.low, -1);
  }
}

// Values divided by 3 are not exact, and neither are their sums: ties must be found all the same.
TEST(Ties, DoNotDependOnTheUnit) {
  std::vector<double> ratings;
  for (int i = 0; i < 40; ++i) ratings.push_back((i * 7 % 5) + 1);
  const auto scaled = [&](double unit) {
    std::vector<double> x = ratings;
    for (double& value : x) value *= unit;
    return x;
  };
  for (const Path path : {Path::gather, Path::stream, Path::distinct}) {
    SCOPED_TRACE(name(path));
    const Options options{.replicates = 2000, .seed = 9, .path = path, .influence = true};
    const Result whole = bootstrap(ratings, statistic::mean(), options);
    for (const double unit : {1 / 3.0, 0.1, 1 / 7.0, 1e-9 / 3}) {
      SCOPED_TRACE(unit);
      const Result other = bootstrap(scaled(unit), statistic::mean(), options);
      for (const auto convention : {interval::Convention::numpy, interval::Convention::r}) {
        const Interval wanted = interval::bca(whole, {.convention = convention});
        const Interval found = interval::bca(other, {.convention = convention});
        EXPECT_TRUE(reference::close(found.low, wanted.low * unit, 1e-9));
        EXPECT_TRUE(reference::close(found.high, wanted.high * unit, 1e-9));
      }
    }
  }
}

// One unit shows no variation, so there is no interval, and none of width 0.
TEST(OneUnit, HasNoInterval) {
  const auto expect_none = [](const std::vector<double>& x, const Scheme& scheme, const char* why) {
    SCOPED_TRACE(name(scheme));
    const Result result =
        bootstrap(x, statistic::mean(), {.replicates = 50, .scheme = scheme, .influence = true});
    for (const Interval& found : interval::all(result)) {
      SCOPED_TRACE(found.method);
      EXPECT_EQ(found.status, Status::undefined);
      EXPECT_THAT(found.reason, HasSubstr(why));
      EXPECT_TRUE(std::isnan(found.low) && std::isnan(found.high));
    }
  };
  const std::vector<double> four = {1, 2, 3, 5};
  const std::vector<std::uint32_t> same = {1, 1, 1, 1};
  const std::vector<std::uint32_t> each = {0, 1, 2, 3};
  const std::vector<double> alone = {0, 1, 0, 0};
  expect_none({4}, {}, "there is only one row");
  expect_none({4}, scheme::Balanced{}, "there is only one row");
  expect_none(four, scheme::Cluster{same}, "there is only one cluster");
  expect_none(four, scheme::Stratified{each}, "each of the 4 strata has one row");
  expect_none(four, scheme::MovingBlocks{4}, "there is only one block");
  expect_none(four, scheme::Unequal{alone}, "there is only one");
}

TEST(FewUnits, AreNoted) {
  const auto note = [](std::size_t rows) {
    std::vector<double> x(rows);
    for (std::size_t i = 0; i < rows; ++i) x[i] = static_cast<double>(i * i);
    return interval::percentile(bootstrap(x, statistic::mean(), {.replicates = 100})).note;
  };
  EXPECT_THAT(note(2), HasSubstr("only 2 rows to draw from: the interval means little"));
  EXPECT_THAT(note(9), HasSubstr("only 9 rows"));
  EXPECT_EQ(note(10), "");
  std::vector<std::uint32_t> strata(30);
  for (std::uint32_t i = 0; i < 30; ++i) strata[i] = i < 20 ? 0 : i;
  EXPECT_THAT(
      interval::percentile(bootstrap(exponentials(30, 0), statistic::mean(),
                                     {.replicates = 100, .scheme = scheme::Stratified{strata}}))
          .note,
      HasSubstr("10 strata have one row each"));
}

// Of m rows a mean varies sqrt(n / m) times as much as of n, for which the interval is.
TEST(Rescale, TurnsResamplesOfMRowsIntoOnesOfN) {
  const std::vector<double> x = exponentials(400, 0);
  const auto run = [&](double rate) {
    return bootstrap(x, statistic::mean(),
                     {.replicates = 5000,
                      .seed = 2,
                      .scheme = scheme::Iid{.size = 100},
                      .influence = true,
                      .rescale = rate});
  };
  const Result kept = run(0);
  const Result half = run(0.5);
  const Result third = run(1 / 3.0);
  EXPECT_EQ(kept.plan().rescale, 1);
  EXPECT_EQ(half.plan().rescale, 0.5);
  EXPECT_EQ(std::vector(kept.replicates().begin(), kept.replicates().end()),
            std::vector(half.replicates().begin(), half.replicates().end()));
  EXPECT_NEAR(half.standard_error(), kept.standard_error() / 2, 1e-15);
  EXPECT_NEAR(third.standard_error(), kept.standard_error() * std::cbrt(0.25), 1e-12);
  const double estimate = kept.estimate();
  EXPECT_NEAR(half.bias(), kept.bias() / 4, 1e-15);
  for (const auto method : {interval::Method::basic, interval::Method::percentile,
                            interval::Method::bca, interval::Method::abc}) {
    SCOPED_TRACE(interval::name(method));
    const Interval wide = interval::make(method, kept);
    const Interval found = interval::make(method, half);
    EXPECT_NEAR(found.low, estimate + 0.5 * (wide.low - estimate), 1e-12);
    EXPECT_NEAR(found.high, estimate + 0.5 * (wide.high - estimate), 1e-12);
    EXPECT_NEAR(found.low_error, 0.5 * wide.low_error, 1e-12);
  }
  // The law: within 4 of its own standard errors of that of resamples of n (false alarm 1e-4).
  const Result full = bootstrap(x, statistic::mean(), {.replicates = 5000, .seed = 3});
  EXPECT_NEAR(half.standard_error(), full.standard_error(),
              4 * std::hypot(half.standard_error_error(), full.standard_error_error()));
}

// As norm.inter of R boot, which leaves out what is not finite.
TEST(ConventionR, LeavesOutResamplesWithoutSpread) {
  const std::vector<double> x = two_values(0, 2, 1, 2);
  const Result result =
      bootstrap(x, statistic::mean(), {.replicates = 2000, .seed = 4, .standard_errors = true});
  const Interval numpy = interval::studentized(result);
  EXPECT_EQ(numpy.status, Status::fell_back);
  const Interval found = interval::studentized(result, {.convention = interval::Convention::r});
  EXPECT_EQ(found.status, Status::partial);
  EXPECT_THAT(found.reason, HasSubstr("the standard error is 0 or undefined on"));
  EXPECT_TRUE(std::isfinite(found.low) && std::isfinite(found.high));
}

}  // namespace edges_test
}  // namespace bootfold
