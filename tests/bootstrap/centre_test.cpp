// Where the replicates of moving blocks lie: rows near the ends are in fewer blocks, so it is at
// the statistic with the expected counts of rows as weights, not at the estimate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "bootfold/batches.h"
#include "bootfold/compare.h"
#include "bootfold/interval.h"
#include "resample/design.h"
#include "statistic/reference.h"

namespace bootfold {
namespace centre_test {

using testing::IsEmpty;

constexpr std::size_t kRows = 7;
constexpr std::size_t kLength = 3;  // two whole blocks, and one that is cut to a row
const std::vector<double> kSeries = {1, 2, 4, 8, 16, 32, 64};

/// Calls see(rows) with the rows of every draw; all are equally likely.
template <class See>
void for_each_draw(const See& see) {
  constexpr std::size_t kStarts = kRows - kLength + 1;
  for (std::size_t a = 0; a < kStarts; ++a)
    for (std::size_t b = 0; b < kStarts; ++b)
      for (std::size_t c = 0; c < kStarts; ++c)
        see(std::vector<std::size_t>{a, a + 1, a + 2, b, b + 1, b + 2, c});
}

std::vector<double> counts_of_all_draws() {
  std::vector<double> counts(kRows);
  for_each_draw([&](const std::vector<std::size_t>& rows) {
    for (const std::size_t row : rows) ++counts[row];
  });
  return counts;
}

/// The median by the definition of docs/resampling.md.
double weighted_median(std::vector<double> x, const std::vector<double>& weights) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double below = 0;
  for (const std::size_t row : order) {
    below += weights[row] / total;
    if (below >= 0.5) return x[row];
  }
  return x[order.back()];
}

/// A series that rises faster and faster, so that its two ends do not make up for one another.
std::vector<double> rising(std::size_t rows, std::uint64_t seed = 3) {
  std::vector<double> x = reference::normals(rows, seed);
  for (std::size_t i = 0; i < rows; ++i) {
    const double time = static_cast<double>(i) / static_cast<double>(rows);
    x[i] += 10 * time * time;
  }
  return x;
}

TEST(ExpectedCounts, AreThoseOfAllDraws) {
  const std::vector<double> all = counts_of_all_draws();
  const std::vector<double> found =
      resample::design(scheme::MovingBlocks{kLength})->expected_counts(kRows);
  ASSERT_EQ(found.size(), kRows);
  const double total = std::accumulate(found.begin(), found.end(), 0.0);
  const double draws = std::accumulate(all.begin(), all.end(), 0.0);
  for (std::size_t row = 0; row < kRows; ++row)
    EXPECT_DOUBLE_EQ(found[row] / total, all[row] / draws) << row;
}

TEST(ExpectedCounts, AreEmptyWhereAllRowsAreDrawnAlike) {
  for (const Scheme& scheme :
       {Scheme(scheme::Iid{}), Scheme(scheme::CircularBlocks{3}), Scheme(scheme::MovingBlocks{1}),
        Scheme(scheme::MovingBlocks{7}), Scheme(scheme::StationaryBlocks{3})})
    EXPECT_THAT(resample::design(scheme)->expected_counts(7), IsEmpty()) << name(scheme);
}

// A mean is linear, so its replicates have exactly the centre as their expectation.
TEST(Centre, OfAMeanIsTheExpectationOverAllDraws) {
  double sum = 0;
  double draws = 0;
  for_each_draw([&](const std::vector<std::size_t>& rows) {
    for (const std::size_t row : rows) sum += kSeries[row] / kRows;
    ++draws;
  });
  const Result result = bootstrap(kSeries, statistic::mean(),
                                  {.replicates = 10, .scheme = scheme::MovingBlocks{kLength}});
  EXPECT_NEAR(result.centre(), sum / draws, 1e-12);
  EXPECT_GT(std::abs(result.centre() - result.estimate()), 1);
}

TEST(Centre, OfOtherStatisticsIsTheirValueAtTheExpectedCounts) {
  const std::vector<double> weights = counts_of_all_draws();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double mean = 0;
  for (std::size_t i = 0; i < kRows; ++i) mean += weights[i] / total * kSeries[i];
  double variance = 0;
  for (std::size_t i = 0; i < kRows; ++i)
    variance +=
        weights[i] / total * (kSeries[i] - mean) * (kSeries[i] - mean) * kRows / (kRows - 1);
  const Result result = bootstrap(
      kSeries,
      {statistic::variance(), statistic::median(), statistic::trimmed_mean(0), statistic::mean()},
      {.replicates = 10, .scheme = scheme::MovingBlocks{kLength}});
  EXPECT_NEAR(result.centre(0), variance, 1e-9);
  EXPECT_NEAR(result.centre(1), weighted_median(kSeries, weights), 1e-12);
  EXPECT_NEAR(result.centre(2), mean, 1e-12);
  EXPECT_NEAR(result.centre(3), mean, 1e-12);
}

TEST(Centre, IsTheEstimateWhereAStatisticTakesWholeRows) {
  const auto first =
      statistic::callable([](const statistic::Resample& rows) { return rows.column(0)[0]; });
  const Result result = bootstrap(kSeries, {first, statistic::mean()},
                                  {.replicates = 10, .scheme = scheme::MovingBlocks{kLength}});
  EXPECT_EQ(result.centre(0), result.estimate(0));
  EXPECT_NE(result.centre(1), result.estimate(1));
}

// Replicates of a maximum are at most the estimate. With little weight on the last row the weighted
// quantile would be the row before it, and intervals would lie as far above the estimate.
TEST(Centre, OfExtremesIsTheEstimate) {
  const Result result =
      bootstrap(kSeries, {statistic::max(), statistic::min(), statistic::quantile(0.95)},
                {.replicates = 10, .scheme = scheme::MovingBlocks{kLength}});
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(result.centre(k), result.estimate(k)) << k;
}

TEST(Centre, IsTheEstimateWhereAllRowsAreDrawnAlike) {
  for (const Scheme& scheme : {Scheme(scheme::Iid{}), Scheme(scheme::CircularBlocks{3}),
                               Scheme(scheme::StationaryBlocks{3})}) {
    const Result result =
        bootstrap(kSeries, statistic::mean(), {.replicates = 10, .scheme = scheme});
    EXPECT_THAT(result.companions().centres, IsEmpty());
    EXPECT_EQ(result.centre(), result.estimate());
  }
}

TEST(Centre, OfFunctionsOfWeightsIsTheirValueAtTheExpectedCounts) {
  const CountFunction mean = [](const CountBatch& batch, std::span<double> values) {
    const auto counts = std::get<std::span<const double>>(batch.counts);
    for (std::size_t r = 0; r < batch.replicates; ++r) {
      values[r] = 0;
      for (std::size_t i = 0; i < kRows; ++i)
        values[r] += counts[r * kRows + i] * kSeries[i] / kRows;
    }
  };
  const Options options{.replicates = 10, .scheme = scheme::MovingBlocks{kLength}};
  const double expected = bootstrap(kSeries, statistic::mean(), options).centre();
  const Result result = bootstrap_counts(kSeries, {"mean"}, mean, options, Takes::weights);
  EXPECT_NEAR(result.centre(), expected, 1e-12);
  EXPECT_NE(result.centre(), result.estimate());
}

// The bias of a mean is 0. Within six Monte Carlo errors it is; from the estimate the replicates
// are more than fifty away.
TEST(Centre, LeavesNoBiasOfAMean) {
  const std::vector<double> x = rising(200);
  const Result result = bootstrap(
      x, statistic::mean(), {.replicates = 100'000, .seed = 1, .scheme = scheme::MovingBlocks{20}});
  EXPECT_LT(std::abs(result.bias()), 6 * result.bias_error());
  EXPECT_GT(std::abs(result.centre() - result.estimate()), 50 * result.bias_error());
}

// The middle of the normal interval of a mean is the estimate but for Monte Carlo error. About the
// estimate in place of the centre it would be twice as far away as the two are from one another.
TEST(Centre, IsWhatIntervalsAreMadeAbout) {
  const std::vector<double> x = rising(200);
  const Result result = bootstrap(
      x, statistic::mean(), {.replicates = 100'000, .seed = 1, .scheme = scheme::MovingBlocks{20}});
  const Interval found = interval::normal(result);
  EXPECT_NEAR((found.low + found.high) / 2, result.estimate(), 6 * result.bias_error());
  EXPECT_GT(std::abs(result.centre() - result.estimate()), 0.15 * result.standard_error());
}

TEST(Centre, IsKeptInFilesAndByAppend) {
  const std::vector<double> x = rising(60);
  Options options{.replicates = 20, .seed = 5, .scheme = scheme::MovingBlocks{8}};
  const Result whole = bootstrap(x, {statistic::mean(), statistic::median()}, options);
  const std::string path = testing::TempDir() + "bootfold_centre.safetensors";
  whole.save(path);
  const Result loaded = Result::load(path);
  std::remove(path.c_str());
  EXPECT_EQ(loaded.companions().centres, whole.companions().centres);
  options.replicates = 12;
  Result joined = bootstrap(x, {statistic::mean(), statistic::median()}, options);
  options.first_replicate = 12;
  options.replicates = 8;
  joined.append(bootstrap(x, {statistic::mean(), statistic::median()}, options));
  EXPECT_EQ(joined.companions().centres, whole.companions().centres);
  EXPECT_EQ(joined.bias(0), whole.bias(0));
}

TEST(Centre, HasTheSameBitsForAllThreadsAndLevels) {
  const std::vector<double> x = rising(5000);
  const std::vector<Statistic> statistics = {statistic::variance(), statistic::quantile(0.3)};
  Options options{.replicates = 3, .scheme = scheme::MovingBlocks{17}};
  const auto expected = bootstrap(x, statistics, options).companions().centres;
  for (const auto level : execution::available_levels())
    for (const unsigned threads : {1U, 3U}) {
      options.execution = {.threads = threads, .level = level};
      EXPECT_EQ(bootstrap(x, statistics, options).companions().centres, expected);
    }
}

// The difference of two means has no bias, and lies in the middle of its interval.
TEST(Centre, OfGroupsIsTakenOutOfTheirDifference) {
  std::vector<double> values = rising(150, 1);
  const std::vector<double> other = rising(250, 2);
  values.insert(values.end(), other.begin(), other.end());
  data::Labels groups;
  groups.names = {"a", "b"};
  groups.codes.assign(150, 0);
  groups.codes.insert(groups.codes.end(), 250, 1);
  const Comparison found =
      compare(values, groups, statistic::mean(),
              {.replicates = 100'000, .seed = 2, .scheme = scheme::MovingBlocks{15}});
  const comparison::Contrast& contrast = found.contrasts[0];
  const double error = contrast.standard_error / std::sqrt(100'000.0);
  EXPECT_LT(std::abs(contrast.bias), 6 * error);
  EXPECT_NEAR((contrast.interval.low + contrast.interval.high) / 2, contrast.estimate,
              0.05 * contrast.standard_error);
}

}  // namespace centre_test
}  // namespace bootfold
