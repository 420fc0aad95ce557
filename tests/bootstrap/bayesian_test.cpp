// The Bayesian bootstrap: sums, quantiles and trimmed means are those of the weights, replicate by
// replicate, and their laws are the ones that Dirichlet weights have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "bootfold/interval.h"
#include "numeric/quantile.h"
#include "paths/weighted_quantiles.h"
#include "random/theory.h"
#include "resample/weights.h"
#include "statistic/reference.h"

namespace bootfold {
namespace bayesian_test {

using numeric::WeightedRow;
using testing::AllOf;
using testing::HasSubstr;

std::vector<std::uint32_t> weights_of(std::size_t rows, std::uint64_t seed,
                                      std::uint64_t replicate) {
  std::vector<std::uint32_t> found((rows + 15) / 16 * 16);
  resample::BayesianWeights(execution::Level::portable, seed, replicate).next(rows, found.data());
  found.resize(rows);
  return found;
}

Options options_of(std::uint64_t replicates, std::uint64_t seed = 5) {
  return {.replicates = replicates, .seed = seed, .scheme = scheme::Bayesian{}};
}

struct Sample {
  const char* name;
  std::vector<double> values;
};

std::vector<Sample> samples() {
  std::vector<Sample> found;
  for (const std::size_t rows : {1, 2, 3, 10, 15, 17, 100, 1000, 5000, 70'000}) {
    found.push_back({"normal", reference::normals(rows, 7)});
    std::vector<double> rounded = found.back().values;
    for (double& value : rounded) value = std::round(value);
    found.push_back({"ties", rounded});
    std::vector<double> heavy = reference::normals(rows, 7);
    for (double& value : heavy) value = std::exp(10 * value);
    found.push_back({"heavy", heavy});
  }
  found.push_back({"constant", std::vector<double>(500, 3.25)});
  return found;
}

TEST(Bayesian, QuantilesAndTrimmedMeansAreThoseOfTheWeights) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(testing::Message() << sample.name << ", " << sample.values.size() << " rows");
    const std::size_t rows = sample.values.size();
    const std::vector<double> probabilities = {0, 0.01, 0.25, 0.5, 0.75, 0.9, 1};
    const std::vector<double> cuts = {0.01, 0.1, 0.25, 0.49};
    std::vector<Statistic> statistics;
    for (const double q : probabilities) statistics.push_back(statistic::quantile(q));
    for (const double cut : cuts) statistics.push_back(statistic::trimmed_mean(cut));
    const Result result = bootstrap(sample.values, statistics, options_of(12));
    EXPECT_EQ(result.plan().path, Path::weights);
    for (std::uint64_t r = 0; r < 12; ++r) {
      const auto weights = weights_of(rows, 5, r);
      std::vector<WeightedRow> sorted;
      for (std::size_t i = 0; i < rows; ++i)
        sorted.push_back({sample.values[i], static_cast<double>(weights[i])});
      std::stable_sort(sorted.begin(), sorted.end(),
                       [](const auto& a, const auto& b) { return a.value < b.value; });
      std::size_t output = 0;
      for (const double q : probabilities)
        ASSERT_EQ(result.replicate(r, output++), numeric::weighted_quantile(sorted, q, rows)) << q;
      for (const double cut : cuts) {
        // The rows between the cuts have six digits of base 256.
        const double low = numeric::weighted_quantile(sorted, cut / 2, rows);
        const double high = numeric::weighted_quantile(sorted, 1 - cut / 2, rows);
        ASSERT_NEAR(result.replicate(r, output++),
                    numeric::weighted_trimmed_mean(sorted, cut, rows),
                    1e-12 * std::max(std::abs(low), std::abs(high)))
            << cut;
      }
    }
  }
}

/// Weights of all pairs of rows: slow, and nothing in common with a walk in the order of values.
struct Pairs {
  double gini;
  double spearman;
};
Pairs of_pairs(const std::vector<double>& x, const std::vector<double>& y,
               const std::vector<std::uint32_t>& w) {
  long double total = 0, sum = 0, apart = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    total += w[i];
    sum += static_cast<long double>(w[i]) * x[i];
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    long double rank_x = 0, rank_y = 0;  // weight below less weight above
    for (std::size_t j = 0; j < x.size(); ++j) {
      apart += static_cast<long double>(w[i]) * w[j] * std::abs(x[i] - x[j]);
      rank_x += w[j] * static_cast<long double>((x[j] < x[i]) - (x[j] > x[i]));
      rank_y += w[j] * static_cast<long double>((y[j] < y[i]) - (y[j] > y[i]));
    }
    xx += w[i] * rank_x * rank_x;
    yy += w[i] * rank_y * rank_y;
    xy += w[i] * rank_x * rank_y;
  }
  return {static_cast<double>(apart / (2 * total * sum)),
          static_cast<double>(xy / std::sqrt(xx * yy))};
}

TEST(Bayesian, GiniAndSpearmanAreThoseOfPairsOfWeightedRows) {
  for (const std::size_t rows : {2, 3, 10, 17, 300}) {
    SCOPED_TRACE(rows);
    std::vector<double> x = reference::normals(rows, 3);
    std::vector<double> y = reference::normals(rows, 4);
    for (std::size_t i = 0; i < rows; ++i) {
      y[i] = std::round(4 * (x[i] + y[i]));  // has ties
      x[i] = std::exp(x[i]);
    }
    const DataView data({ColumnView(x), ColumnView(y)}, {"x", "y"});
    const std::vector<Statistic> statistics = {statistic::gini().with_columns({"x"}),
                                               statistic::spearman().with_columns({"x", "y"})};
    const Result result = bootstrap(data, statistics, options_of(9));
    for (std::uint64_t r = 0; r < 9; ++r) {
      const Pairs expected = of_pairs(x, y, weights_of(rows, 5, r));
      EXPECT_NEAR(result.replicate(r, 0), expected.gini, 1e-13);
      EXPECT_NEAR(result.replicate(r, 1), expected.spearman, 1e-13);
    }
  }
}

// With the weights in a column of the data, the weighted statistic is computed by other code.
TEST(Bayesian, StatisticsOfOrderedRowsAreThoseOfTheWeights) {
  for (Sample& sample : samples()) {
    const std::size_t rows = sample.values.size();
    SCOPED_TRACE(testing::Message() << sample.name << ", " << rows << " rows");
    std::vector<double> absolute = sample.values;
    for (double& value : absolute) value = std::abs(value);
    std::vector<double> classes(rows);
    for (std::size_t i = 0; i < rows; ++i) classes[i] = i % 3 == 0 ? 1 : 0;
    const DataView data({ColumnView(sample.values), ColumnView(absolute), ColumnView(classes)},
                        {"x", "size", "class"});
    const std::vector<Statistic> statistics = {statistic::mad().with_columns({"x"}),
                                               statistic::gini().with_columns({"size"}),
                                               statistic::top_share(0.1).with_columns({"size"}),
                                               statistic::spearman().with_columns({"x", "class"}),
                                               statistic::roc_auc().with_columns({"class", "x"})};
    const Result result = bootstrap(data, statistics, options_of(5));
    for (std::uint64_t r = 0; r < 5; ++r) {
      const auto integers = weights_of(rows, 5, r);
      const std::vector<double> weights(integers.begin(), integers.end());
      const DataView weighted({data.column(0), data.column(1), data.column(2), ColumnView(weights)},
                              {"x", "size", "class", "w"});
      for (std::size_t k = 0; k < statistics.size(); ++k) {
        const Options once{.replicates = 1};
        const double expected =
            bootstrap(weighted, statistic::weighted(statistics[k]), once).estimate();
        const double found = result.replicate(r, k);
        ASSERT_EQ(std::isnan(found), std::isnan(expected)) << k;
        if (std::isnan(found)) continue;
        ASSERT_NEAR(found, expected, 1e-12 * std::max(1.0, std::abs(expected))) << k;
      }
    }
  }
}

// Functions of such statistics, also beside trimmed means, have the weights that each has alone.
TEST(Bayesian, FormulasShareTheirWeights) {
  const std::vector<double> x = reference::normals(400, 9);
  std::vector<double> size = x;
  for (double& value : size) value = std::exp(value);
  const DataView data({ColumnView(x), ColumnView(size)}, {"x", "size"});
  const auto found = [&](const char* text) {
    return bootstrap(data, statistic::expression(text), options_of(20));
  };
  const Result formula = found("gini(size) / mean(size) + mad(x) * trimmed_mean(x, 0.1)");
  const Result gini = found("gini(size)");
  const Result mean = found("mean(size)");
  const Result mad = found("mad(x)");
  const Result trimmed = found("trimmed_mean(x, 0.1)");
  for (std::uint64_t r = 0; r < 20; ++r)
    EXPECT_NEAR(formula.replicate(r),
                gini.replicate(r) / mean.replicate(r) + mad.replicate(r) * trimmed.replicate(r),
                1e-13);
}

// The product of a row's own weight and of that of the replicate.
TEST(Bayesian, RowsMayHaveWeightsOfTheirOwn) {
  const std::vector<double> x = reference::normals(300, 11);
  std::vector<double> own;
  for (std::size_t i = 0; i < x.size(); ++i) own.push_back(static_cast<double>(i % 4));
  const DataView data({ColumnView(x), ColumnView(own)}, {"x", "w"});
  const Result result = bootstrap(data, statistic::weighted(statistic::median()), options_of(10));
  for (std::uint64_t r = 0; r < 10; ++r) {
    const auto weights = weights_of(x.size(), 5, r);
    std::vector<WeightedRow> rows;
    for (std::size_t i = 0; i < x.size(); ++i) rows.push_back({x[i], own[i] * weights[i]});
    std::ranges::sort(rows, {}, &WeightedRow::value);
    EXPECT_EQ(result.replicate(r), numeric::weighted_quantile(rows, 0.5, x.size()));
  }
}

// Near the largest double sums of weights overflow; below the smallest normal number their unit
// did.
TEST(Bayesian, GiniAndSharesOfNumbersOfAnySizeAreThoseOfTheirRatios) {
  std::vector<double> x;
  for (std::size_t i = 0; i < 50; ++i) x.push_back(static_cast<double>(1 + i * 7 % 16));
  const std::vector<Statistic> statistics = {statistic::gini(), statistic::top_share(0.1)};
  for (const Options& options : {options_of(20), Options{.replicates = 20, .seed = 5}}) {
    const Result usual = bootstrap(x, statistics, options);
    for (const double factor : {0x1p-1074, 0x1p-1060, 0x1p-1024, 0x1p+1000, 0x1p+1019}) {
      SCOPED_TRACE(factor);
      std::vector<double> scaled = x;
      for (double& value : scaled) value *= factor;
      const Result result = bootstrap(scaled, statistics, options);
      for (std::size_t output = 0; output < 2; ++output) {
        EXPECT_NEAR(result.estimate(output), usual.estimate(output), 1e-14);
        for (std::uint64_t r = 0; r < 20; ++r)
          EXPECT_NEAR(result.replicate(r, output), usual.replicate(r, output), 1e-14);
      }
    }
  }
}

TEST(Bayesian, OwnWeightsMayBeVeryLarge) {
  const std::vector<double> x = reference::normals(300, 11);
  std::vector<double> own;
  std::vector<double> large;
  for (std::size_t i = 0; i < x.size(); ++i) {
    own.push_back(static_cast<double>(1 + i % 4));
    large.push_back(own.back() * 0x1p+1010);
  }
  const std::vector<Statistic> statistics = {statistic::weighted(statistic::median()),
                                             statistic::weighted(statistic::gini())};
  std::vector<double> positive;
  for (const double value : x) positive.push_back(std::abs(value));
  for (const std::vector<double>* column : {&x, &std::as_const(positive)}) {
    const DataView usual({ColumnView(*column), ColumnView(own)}, {"x", "w"});
    const DataView scaled({ColumnView(*column), ColumnView(large)}, {"x", "w"});
    const Result expected = bootstrap(usual, statistics, options_of(10));
    const Result result = bootstrap(scaled, statistics, options_of(10));
    for (std::uint64_t r = 0; r < 10; ++r) {
      EXPECT_EQ(result.replicate(r, 0), expected.replicate(r, 0));
      if (column == &positive) {
        EXPECT_NEAR(result.replicate(r, 1), expected.replicate(r, 1), 1e-14);
      }
    }
  }
}

// Features of one part, of two (more than four digits), and of several limbs; the bound is the
// plan's.
TEST(Bayesian, MeansAreWithinTheBoundOfTheWeightedMeans) {
  for (const double tolerance : {1e-5, 1e-12})
    for (const Sample& sample : samples()) {
      const std::size_t rows = sample.values.size();
      if (rows < 2 || sample.name == std::string_view("constant")) continue;
      SCOPED_TRACE(testing::Message()
                   << sample.name << ", " << rows << " rows, tolerance " << tolerance);
      Options options = options_of(12);
      options.tolerance = tolerance;
      const std::vector<Statistic> statistics = {statistic::mean(), statistic::variance()};
      const Result result = bootstrap(sample.values, statistics, options);
      long double centre = 0;
      for (const double value : sample.values) centre += value;
      centre /= static_cast<long double>(rows);
      long double squares = 0;
      for (const double value : sample.values) squares += (value - centre) * (value - centre);
      const auto n = static_cast<long double>(rows);
      const auto error = static_cast<double>(std::sqrt(squares) / n);
      const double bound = result.plan().sum_error * error + 1e-13 * std::abs(result.estimate(0));
      for (std::uint64_t r = 0; r < 12; ++r) {
        const auto weights = weights_of(rows, 5, r);
        long double total = 0;
        long double sum = 0;
        for (std::size_t i = 0; i < rows; ++i) {
          total += weights[i];
          sum += static_cast<long double>(weights[i]) * sample.values[i];
        }
        const long double mean = sum / total;
        ASSERT_NEAR(result.replicate(r, 0), static_cast<double>(mean), bound);
        long double second = 0;
        for (std::size_t i = 0; i < rows; ++i)
          second += weights[i] * (sample.values[i] - mean) * (sample.values[i] - mean);
        const auto variance = static_cast<double>(second / total * n / (n - 1));
        if (sample.name == std::string_view("ties")) continue;
        ASSERT_NEAR(result.replicate(r, 1), variance, 1e-6 * variance);
      }
    }
}

// What fixed point cannot hold is summed in doubles, with the same weights.
TEST(Bayesian, DataBeyondFixedPointAreSummedInDoubles) {
  std::vector<double> x = reference::normals(300, 3);
  x[17] = 1e300;
  const std::vector<Statistic> both = {statistic::mean(), statistic::median()};
  const Result result = bootstrap(x, both, options_of(20));
  for (std::uint64_t r = 0; r < 20; ++r) {
    const auto weights = weights_of(x.size(), 5, r);
    long double total = 0;
    for (const std::uint32_t weight : weights) total += weight;
    EXPECT_NEAR(result.replicate(r, 0) / (weights[17] / static_cast<double>(total) * 1e300), 1,
                1e-12);
    EXPECT_LT(std::abs(result.replicate(r, 1)), 1);
  }
}

// Sums are integers: the mean has the same replicates alone and beside anything else.
TEST(Bayesian, StatisticsLeaveTheirNeighboursAsTheyAreAlone) {
  const reference::Columns columns = {reference::normals(9000, 1), reference::normals(9000, 2)};
  const DataView data = reference::view(columns);
  const std::vector<Statistic> all = {statistic::mean(), statistic::median(),
                                      statistic::correlation(), statistic::trimmed_mean(0.1),
                                      statistic::interquartile_range()};
  const Result together = bootstrap(data, all, options_of(50));
  std::size_t output = 0;
  for (const Statistic& statistic : all) {
    const Result alone = bootstrap(data, statistic, options_of(50));
    for (std::size_t k = 0; k < alone.outputs(); ++k, ++output)
      for (std::uint64_t r = 0; r < 50; ++r)
        ASSERT_EQ(together.replicate(r, output), alone.replicate(r, k)) << statistic.name();
  }
  EXPECT_EQ(output, together.outputs());
}

// Dirichlet(1, ..., 1): mean 1/n, variance (n - 1) / (n^2 (n + 1)), covariance -1 / (n^2 (n + 1)).
// The squares of 200,000 replicates, n = 4: each of 4 + 4 + 6 moments gets a share of the alarm.
TEST(Bayesian, WeightsHaveTheMomentsOfDirichlet) {
  constexpr std::size_t kRows = 4;
  constexpr int kReplicates = 200'000;
  const double n = kRows;
  std::vector<std::vector<double>> share(kRows);
  for (int r = 0; r < kReplicates; ++r) {
    const auto weights = weights_of(kRows, 11, static_cast<std::uint64_t>(r));
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < kRows; ++i) share[i].push_back(weights[i] / total - 1 / n);
  }
  const auto expect_mean = [&](const std::vector<double>& values, double expected) {
    double sum = 0;
    double squares = 0;
    for (const double value : values) {
      sum += value;
      squares += (value - expected) * (value - expected);
    }
    EXPECT_TRUE(theory::is_normal(sum / kReplicates, expected, std::sqrt(squares) / kReplicates,
                                  theory::kAlarm / 14));
  };
  for (std::size_t i = 0; i < kRows; ++i) {
    expect_mean(share[i], 0);
    for (std::size_t j = i; j < kRows; ++j) {
      std::vector<double> products(share[i].size());
      for (std::size_t r = 0; r < products.size(); ++r) products[r] = share[i][r] * share[j][r];
      expect_mean(products, (i == j ? n - 1 : -1) / (n * n * (n + 1)));
    }
  }
}

// The mean of 0 and 1 is the weight of the second row, which is uniform: Beta(1, 1). Of n values 0
// and m values 1 it is Beta(m, n).
TEST(Bayesian, MeansOfZerosAndOnesAreBeta) {
  for (const auto& [zeros, ones] : {std::pair{1, 1}, {2, 1}, {3, 4}}) {
    std::vector<double> x(static_cast<std::size_t>(zeros), 0.0);
    x.insert(x.end(), static_cast<std::size_t>(ones), 1.0);
    const Result result = bootstrap(x, statistic::mean(), options_of(100'000, 3));
    const std::vector<double> draws(result.replicates().begin(), result.replicates().end());
    EXPECT_TRUE(theory::follows_cdf(
        draws,
        [ones = ones, zeros = zeros](double p) { return boost::math::ibeta(ones, zeros, p); },
        theory::kAlarm / 3));
  }
}

// The weight of the i smallest of n rows is Beta(i, n - i). So where a quantile is one order
// statistic, number k, P(quantile <= x_(i)) = P(Beta(i, n - i) >= (k - 1/2) / n). For the median of
// an odd number of rows that bound is 1/2.
TEST(Bayesian, QuantilesHaveTheExactLaw) {
  struct Case {
    std::size_t rows;
    double q;
    std::size_t rank;
  };
  for (const Case& one : {Case{5, 0.5, 3}, {9, 0.5, 5}, {5, 0.25, 2}, {9, 0.125, 2}, {5, 1, 5}}) {
    SCOPED_TRACE(testing::Message() << one.rows << " rows, quantile " << one.q);
    std::vector<double> x(one.rows);
    for (std::size_t i = 0; i < one.rows; ++i) x[i] = static_cast<double>((3 * i + 1) % one.rows);
    if (one.rows == 9) std::iota(x.begin(), x.end(), 0.0);
    const Result result = bootstrap(x, statistic::quantile(one.q), options_of(200'000, 4));
    std::vector<std::uint64_t> seen(one.rows);
    for (const double value : result.replicates()) ++seen[static_cast<std::size_t>(value)];
    const auto n = static_cast<double>(one.rows);
    const double bound = (static_cast<double>(one.rank) - 0.5) / n;
    std::vector<double> expected;
    double before = 0;
    for (std::size_t i = 1; i <= one.rows; ++i) {
      const auto below = static_cast<double>(i);
      const double at = i == one.rows ? 1 : boost::math::ibetac(below, n - below, bound);
      expected.push_back(at - before);
      before = at;
    }
    EXPECT_TRUE(theory::follows(seen, expected, theory::kAlarm / 5));
  }
}

// The median of many rows spreads as that of iid resamples: sqrt(pi / 2) times the mean of normal
// rows, here within a fifth.
TEST(Bayesian, MediansOfManyRowsSpreadAsTheorySays) {
  const std::vector<double> x = reference::normals(20'000, 3);
  const std::vector<Statistic> both = {statistic::mean(), statistic::median()};
  const Result result = bootstrap(x, both, options_of(400, 1));
  EXPECT_NEAR(result.standard_error(1) / result.standard_error(0), std::sqrt(M_PI / 2), 0.25);
}

TEST(Bayesian, MediansHaveBcaIntervals) {
  const std::vector<double> x = reference::normals(101, 3);
  Options options = options_of(2000, 1);
  options.influence = true;
  const Result result = bootstrap(x, statistic::median(), options);
  const Interval limits = interval::bca(result);
  EXPECT_LT(limits.low, result.estimate());
  EXPECT_GT(limits.high, result.estimate());
}

std::string complaint(const Statistic& statistic, bool standard_errors) {
  const std::vector<double> x = reference::normals(50, 3);
  Options options = options_of(20);
  options.standard_errors = standard_errors;
  try {
    static_cast<void>(bootstrap(x, statistic, options));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

struct Sum {
  double sum = 0;
  void accumulate(double value, double weight) { sum += weight * value; }
  void merge(const Sum& part) { sum += part.sum; }
  [[nodiscard]] double finish() const { return sum; }
};

TEST(Bayesian, WhatHasNoMeaningUnderWeightsIsExplained) {
  const Statistic first = statistic::callable(
      [](const statistic::Resample& resample) { return resample.column(0)[0]; });
  EXPECT_THAT(complaint(first, false),
              AllOf(HasSubstr("bayesian"), HasSubstr("functions of the resample"),
                    HasSubstr("quantiles"), HasSubstr("iid")));
  EXPECT_THAT(complaint(statistic::accumulator(Sum{}), false),
              AllOf(HasSubstr("bayesian"), HasSubstr("accumulators")));
  EXPECT_EQ(complaint(statistic::mean(), true), "");
  EXPECT_THAT(complaint(statistic::median(), true),
              AllOf(HasSubstr("bayesian"), HasSubstr("standard errors"), HasSubstr("bca")));
}

// Chance will hardly ever bring it about, so the weights are made up.
TEST(WeightedQuantiles, LookAtAllRowsIfAQuantileLiesOutsideOfItsWindow) {
  constexpr std::uint64_t kRows = 100'000;
  const std::vector<double> values = reference::normals(kRows, 1);
  const std::vector<Statistic> statistics = {statistic::median(), statistic::trimmed_mean(0.25)};
  const DataView data(values);
  const study::Problem problem(data, statistics);
  const paths::QuantileWindows windows(problem, resample::Strata(kRows, kRows, 1),
                                       paths::RowSpread(kRows, kRows), {});
  ASSERT_EQ(windows.all().size(), 3U);
  paths::WeightedQuantiles finish(problem, windows);
  std::vector<WeightedRow> rows;
  for (std::uint64_t i = 0; i < kRows; ++i) rows.push_back({static_cast<double>(i), 100});
  const std::vector<std::uint32_t> inside(windows.slots(), 100);
  const std::vector<__int128> between(1);
  // None below, all below, and so few below that a window ends too early.
  for (const std::uint64_t below : {std::uint64_t{0}, 100 * kRows, std::uint64_t{1'000'000}}) {
    const std::vector<std::uint64_t> all_below(3, below);
    std::vector<double> found(2);
    int asked = 0;
    finish({all_below, inside, between, 100 * kRows, kRows}, found, [&](std::uint32_t column) {
      EXPECT_EQ(column, 0U);
      ++asked;
      return rows;
    });
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(found[0], (kRows - 1) / 2.0);
    EXPECT_NEAR(found[1], (kRows - 1) / 2.0, 1e-6);
  }
}

}  // namespace bayesian_test
}  // namespace bootfold
