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
  EXPECT_TRUE(reference::close(found.third, wanted.third, 1e-8));
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
            Scheme(scheme::Cluster{labels}), Scheme(scheme::Weighted{weights}),
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

}  // namespace edges_test
}  // namespace bootfold
