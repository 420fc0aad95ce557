// Scheme jackknife: closed forms, published values, every way of leaving rows out alike, and one
// message for what it cannot do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bootfold/bootstrap.h"
#include "bootfold/compare.h"
#include "bootfold/error.h"
#include "bootfold/influence.h"
#include "bootfold/interval.h"
#include "bootfold/precision.h"
#include "data/temp_file.h"
#include "statistic/reference.h"

namespace bootfold {
namespace jackknife_test {

using reference::normals;
using testing::HasSubstr;

const std::vector<double> kLsat = {576, 635, 558, 578, 666, 580, 555, 661,
                                   651, 605, 653, 575, 545, 572, 594};
const std::vector<double> kGpa = {3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43,
                                  3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96};

Options jackknife(std::span<const std::uint32_t> clusters = {}) {
  return {.scheme = scheme::Jackknife{clusters}};
}

double mean_of(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

Statistic callable_mean() {
  return statistic::callable([](const statistic::Resample& r) { return mean_of(r.column(0)); });
}

template <class Act>
std::string message_of(Act&& act) {
  try {
    act();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Jackknife, OfTheMeanHasTheTextbookErrorAndNoBias) {
  const std::vector<double> x = normals(500, 1);
  const Result result = bootstrap(x, statistic::mean(), jackknife());
  const double mean = mean_of(x);
  double squares = 0;
  for (const double value : x) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / 499 / 500);
  EXPECT_NEAR(result.standard_error(), error, 1e-13 * error);
  EXPECT_NEAR(result.bias(), 0, 1e-13 * error);
  EXPECT_EQ(result.standard_error_error(), 0);
  EXPECT_EQ(result.bias_error(), 0);
  ASSERT_EQ(result.replicates().size(), 500U);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(result.replicate(i), (500 * mean - x[i]) / 499, 1e-13);
  EXPECT_EQ(result.plan().replicates, 500U);
  EXPECT_EQ(result.plan().scheme, "jackknife, without one of 500 rows at a time");
}

// Jackknifing the variance with divisor n removes its bias exactly: the estimate less the bias is
// the variance with divisor n - 1.
TEST(Jackknife, CorrectsTheVarianceWithDivisorN) {
  const std::vector<double> x = normals(40, 2);
  const auto plug_in = statistic::callable([](const statistic::Resample& r) {
    const double mean = mean_of(r.column(0));
    double squares = 0;
    for (const double value : r.column(0)) squares += (value - mean) * (value - mean);
    return squares / static_cast<double>(r.rows);
  });
  const Result result = bootstrap(x, plug_in, jackknife());
  const double unbiased = bootstrap(x, statistic::variance(), {.replicates = 1}).estimate();
  EXPECT_NEAR(result.estimate() - result.bias(), unbiased, 1e-12);
}

// Outside truth: the law school data and the patch data of Efron and Tibshirani.
TEST(Jackknife, MeetsTheValuesOfTheBook) {
  const std::vector<ColumnView> law = {kLsat, kGpa};
  const Result correlation = bootstrap(DataView(law), statistic::correlation(), jackknife());
  EXPECT_NEAR(correlation.standard_error(), 0.142518618602, 1e-12);

  const std::vector<double> z = {8406, 2342, 8187, 8459, 4795, 3516, 4796, 10238};
  const std::vector<double> y = {-1200, 2601, -2705, 1982, -1290, 351, -638, -2719};
  const std::vector<ColumnView> patch = {y, z};
  const Result ratio = bootstrap(DataView(patch), statistic::ratio(), jackknife());
  EXPECT_NEAR(ratio.estimate(), -0.0713061, 5e-8);
  EXPECT_NEAR(ratio.bias(), 0.0080025, 5e-8);
  EXPECT_NEAR(ratio.standard_error(), 0.1055278, 5e-8);
}

// Taking a row out of sums and order statistics is the same as leaving it out of the resample.
TEST(Jackknife, IsTheSameByDeletionAndByEvaluation) {
  std::vector<double> x = normals(301, 3);
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] = std::round(x[i]);  // ties
  const std::vector<Statistic> statistics = {statistic::mean(), statistic::variance(),
                                             statistic::median(), statistic::quantile(0.9),
                                             statistic::interquartile_range()};
  Options drawn = jackknife();
  drawn.path = Path::gather;
  const Result fast = bootstrap(x, statistics, jackknife());
  const Result slow = bootstrap(x, statistics, drawn);
  EXPECT_EQ(fast.plan().path, Path::deletion);
  EXPECT_EQ(slow.plan().path, Path::gather);
  for (std::size_t k = 0; k < fast.outputs(); ++k) {
    SCOPED_TRACE(fast.plan().outputs[k]);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(fast.replicate(i, k), slow.replicate(i, k), 1e-8);  // tolerance of slow sums
    EXPECT_NEAR(fast.standard_error(k), slow.standard_error(k), 1e-6);
    EXPECT_NEAR(fast.bias(k), slow.bias(k), 2e-6);
  }
}

// Without the row that is nearly all of the sum the value is that of the others on their own.
TEST(Jackknife, LeavesAHeavyRowOut) {
  const std::vector<Statistic> statistics = {statistic::skewness(), statistic::kurtosis(),
                                             statistic::variance()};
  for (const double heavy : {1e4, 1e6, 1e8}) {
    std::vector<double> x = normals(1000, 1);
    std::vector<double> others = x;
    others.erase(others.begin() + 3);
    x[3] = heavy;
    const Result result = bootstrap(x, statistics, jackknife());
    const std::vector<Influence> influences = influence(x, statistics, {});
    for (std::size_t k = 0; k < statistics.size(); ++k) {
      const double alone = bootstrap(others, statistics[k], jackknife()).estimate();
      EXPECT_NEAR(result.replicate(3, k), alone, 1e-6 * (1 + std::abs(alone))) << heavy << " " << k;
      EXPECT_NEAR(influences[k].standard_error(), result.standard_error(k),
                  1e-6 * result.standard_error(k))
          << heavy << " " << k;
    }
  }
}

TEST(Jackknife, OfClustersLeavesOutWholeClusters) {
  const std::vector<double> x = normals(60, 4);
  std::vector<std::uint32_t> clusters;
  for (std::uint32_t i = 0; i < 60; ++i) clusters.push_back(i * i % 7);
  const Result sums = bootstrap(x, statistic::mean(), jackknife(clusters));
  const Result calls = bootstrap(x, callable_mean(), jackknife(clusters));
  std::vector<double> expected;
  for (std::uint32_t c = 0; c < 7; ++c) {
    std::vector<double> rest;
    for (std::size_t i = 0; i < 60; ++i)
      if (clusters[i] != c) rest.push_back(x[i]);
    if (rest.size() < 60) expected.push_back(mean_of(rest));
  }
  const double count = static_cast<double>(expected.size());
  const double centre = mean_of(expected);
  double squares = 0;
  for (const double value : expected) squares += (value - centre) * (value - centre);
  for (const Result* result : {&sums, &calls}) {
    ASSERT_EQ(result->replicates().size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(result->replicate(i), expected[i], 1e-13);
    EXPECT_NEAR(result->standard_error(), std::sqrt((count - 1) / count * squares), 1e-13);
    EXPECT_NEAR(result->bias(), (count - 1) * (centre - mean_of(x)), 1e-12);
  }
  EXPECT_THAT(sums.plan().scheme, HasSubstr("clusters at a time"));
}

TEST(Jackknife, HasTheSameBitsForEveryNumberOfThreadsAndInstructionSet) {
  const std::vector<double> x = normals(9000, 5);
  const std::vector<Statistic> statistics = {statistic::variance(), statistic::median()};
  Options one = jackknife();
  one.execution.threads = 1;
  const Result first = bootstrap(x, statistics, one);
  for (const execution::Level level : execution::available_levels())
    for (const unsigned threads : {2U, 7U}) {
      Options many = jackknife();
      many.execution.threads = threads;
      many.execution.level = level;
      const Result other = bootstrap(x, statistics, many);
      EXPECT_TRUE(std::equal(first.replicates().begin(), first.replicates().end(),
                             other.replicates().begin()));
      EXPECT_EQ(first.standard_error(), other.standard_error());
      EXPECT_EQ(first.bias(1), other.bias(1));
    }
}

TEST(Jackknife, HasNormalIntervalsAndForSumsAbc) {
  const std::vector<double> x = normals(50, 6);
  Options options = jackknife();
  options.influence = true;
  const Result result = bootstrap(x, statistic::variance(), options);
  EXPECT_EQ(interval::available(result),
            (std::vector{interval::Method::normal, interval::Method::abc}));
  const Interval normal = interval::normal(result);
  const double centre = result.estimate() - result.bias();
  EXPECT_NEAR(normal.high, centre + 1.959963984540054 * result.standard_error(), 1e-12);
  EXPECT_EQ(normal.low_error, 0);
  EXPECT_EQ(normal.high_error, 0);
  const Result boot = bootstrap(x, statistic::variance(), {.replicates = 10, .influence = true});
  EXPECT_EQ(interval::abc(result).low, interval::abc(boot).low);
}

TEST(Jackknife, IsKeptInFiles) {
  const testing_data::TempFile file("jackknife.safetensors");
  const std::vector<double> x = normals(30, 7);
  const Result result = bootstrap(x, statistic::median(), jackknife());
  result.save(file.path());
  const Result loaded = Result::load(file.path());
  EXPECT_EQ(loaded.standard_error(), result.standard_error());
  EXPECT_EQ(loaded.bias(), result.bias());
  EXPECT_EQ(interval::normal(loaded).low, interval::normal(result).low);
  EXPECT_EQ(loaded.plan().path, Path::deletion);
}

// Without the fourth row the second column is constant.
TEST(Jackknife, WithUndefinedValuesHasNoErrorAndSaysSo) {
  const std::vector<double> x = {1, 2, 3, 4};
  const std::vector<double> y = {1, 1, 1, 2};
  const std::vector<ColumnView> columns = {x, y};
  const Result result = bootstrap(DataView(columns), statistic::correlation(), jackknife());
  EXPECT_EQ(result.undefined(), 1U);
  EXPECT_TRUE(std::isnan(result.standard_error()));
  const Interval normal = interval::normal(result);
  EXPECT_EQ(normal.status, interval::Status::undefined);
  EXPECT_THAT(normal.reason, HasSubstr("undefined without 1 of the 4 rows"));
  EXPECT_TRUE(normal.fallback.empty());
  EXPECT_THROW(static_cast<void>(interval::normal(result, {.strict = true})), InvalidArgument);
}

TEST(Jackknife, RefusesWhatNeedsResamples) {
  const std::vector<double> x = normals(20, 8);
  const std::vector<double> one = {1};
  const Result result = bootstrap(x, statistic::mean(), jackknife());
  EXPECT_THAT(message_of([&] { static_cast<void>(interval::percentile(result)); }),
              HasSubstr("a percentile interval needs resamples, and a jackknife draws none"));
  Options errors = jackknife();
  errors.standard_errors = true;
  EXPECT_THAT(message_of([&] { static_cast<void>(bootstrap(x, statistic::mean(), errors)); }),
              HasSubstr("draws no resamples"));
  Options later = jackknife();
  later.first_replicate = 3;
  EXPECT_THAT(message_of([&] { static_cast<void>(bootstrap(x, statistic::mean(), later)); }),
              HasSubstr("starts at 0"));
  EXPECT_THAT(
      message_of([&] { static_cast<void>(bootstrap(one, statistic::mean(), jackknife())); }),
      HasSubstr("only one row"));
  EXPECT_THAT(message_of([&] {
                static_cast<void>(bootstrap_to_precision(x, statistic::mean(), {}, jackknife()));
              }),
              HasSubstr("no Monte Carlo error"));
  EXPECT_THAT(message_of([&] { Result(result).append(result); }),
              HasSubstr("a jackknife is complete"));
  Options path = jackknife();
  path.path = Path::stream;
  EXPECT_THAT(message_of([&] { static_cast<void>(bootstrap(x, statistic::mean(), path)); }),
              HasSubstr("does not support scheme 'jackknife'"));
  EXPECT_THAT(message_of([&] {
                static_cast<void>(bootstrap(x, statistic::mean(), {.path = Path::deletion}));
              }),
              HasSubstr("does not support scheme 'iid'"));
  const std::vector<std::uint32_t> few = {0, 1};
  EXPECT_THAT(
      message_of([&] { static_cast<void>(bootstrap(x, statistic::mean(), jackknife(few))); }),
      HasSubstr("2 cluster labels but 20 rows"));
}

}  // namespace jackknife_test
}  // namespace bootfold
