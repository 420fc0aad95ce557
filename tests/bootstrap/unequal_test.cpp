// Scheme unequal: values, estimates and bits of all kinds of statistics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "bootfold/batches.h"
#include "bootfold/error.h"
#include "bootfold/resample.h"
#include "random/theory.h"
#include "resample/strata.h"
#include "statistic/reference.h"

namespace bootfold {
namespace unequal_test {

using theory::kAlarm;

std::vector<double> exponential_weights(std::size_t rows) {
  std::vector<double> weights = reference::uniforms(rows, 31);
  for (double& weight : weights) weight = -std::log(weight);
  for (std::size_t i = 0; i < rows; i += 17) weights[i] = 0;
  return weights;
}

double range(const statistic::Resample& resample) {
  const auto column = resample.column(0);
  return *std::max_element(column.begin(), column.end()) -
         *std::min_element(column.begin(), column.end());
}

double mean_of(const statistic::Resample& resample) {
  const auto column = resample.column(0);
  return std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(column.size());
}

/// The law of the median of five draws, by the draws below each value.
std::map<double, double> law_of_median(const std::vector<double>& x,
                                       const std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::map<double, double> share;
  for (std::size_t i = 0; i < x.size(); ++i) share[x[i]] += weights[i] / sum;
  std::map<double, double> law;
  double up_to = 0;
  double before = 0;
  for (const auto& [value, p] : share) {
    up_to += p;
    const double q = 1 - up_to;
    const double at_least_three =
        10 * std::pow(up_to, 3) * q * q + 5 * std::pow(up_to, 4) * q + std::pow(up_to, 5);
    law[value] = at_least_three - before;
    before = at_least_three;
  }
  return law;
}

// Path order, and rows drawn out. Two chi-squares share one alarm of 1e-6.
TEST(Unequal, MediansFollowTheEnumeratedLaw) {
  const std::vector<double> x = {3, 1, 4, 1.5, 9, 2};
  const std::vector<double> weights = {1, 2.5, 0.5, 0, 3, 1};
  const auto law = law_of_median(x, weights);
  for (const Path path : {Path::order, Path::gather}) {
    const Result result = bootstrap(
        x, statistic::median(),
        {.replicates = 100'000, .seed = 4, .scheme = scheme::Unequal{weights, 5}, .path = path});
    std::map<double, std::uint64_t> seen;
    for (const double value : result.replicates()) ++seen[value];
    std::vector<std::uint64_t> observed;
    std::vector<double> probabilities;
    for (const auto& [value, probability] : law) {
      observed.push_back(seen[value]);
      probabilities.push_back(std::max(0.0, probability));
    }
    EXPECT_TRUE(theory::follows(observed, probabilities, kAlarm / 2));
  }
}

// Values of path stream are those of the counted rows.
TEST(Unequal, StreamedValuesAreThoseOfTheCounts) {
  constexpr std::size_t kRows = 40'000;
  const std::vector<double> x = reference::normals(kRows, 5);
  const std::vector<double> weights = exponential_weights(kRows);
  const std::vector<Statistic> statistics = {statistic::mean(), statistic::median(),
                                             statistic::quantile(0.99),
                                             statistic::trimmed_mean(0.1)};
  const Result result = bootstrap(x, statistics,
                                  {.replicates = 6,
                                   .seed = 9,
                                   .scheme = scheme::Unequal{weights},
                                   .joint = true,
                                   .tolerance = 1e-12});
  ASSERT_EQ(result.plan().path, Path::stream);
  const resample::Strata strata(std::make_shared<const resample::WeightedPlaces>(weights, kRows),
                                9);
  resample::CountLaws laws;
  for (std::uint64_t r = 0; r < 6; ++r) {
    const auto counts =
        resample::all_counts(execution::available_levels().back(), laws, strata, 0, r);
    std::vector<double> rows;
    for (std::size_t place = 0; place < counts.size(); ++place) {
      const std::uint32_t row = strata.order()[place];
      ASSERT_GT(weights[row], 0);
      rows.insert(rows.end(), counts[place], x[row]);
    }
    ASSERT_EQ(rows.size(), kRows);
    std::sort(rows.begin(), rows.end());
    EXPECT_NEAR(result.replicate(r, 0),
                std::accumulate(rows.begin(), rows.end(), 0.0) / static_cast<double>(kRows), 1e-13);
    EXPECT_EQ(result.replicate(r, 1), (rows[kRows / 2 - 1] + rows[kRows / 2]) / 2);
    const double place = 0.99 * (kRows - 1);
    const auto low = static_cast<std::size_t>(place);
    EXPECT_NEAR(result.replicate(r, 2),
                rows[low] + (rows[low + 1] - rows[low]) * (place - static_cast<double>(low)),
                1e-12);
    EXPECT_NEAR(
        result.replicate(r, 3),
        std::accumulate(rows.begin() + kRows / 10, rows.end() - kRows / 10, 0.0) / (0.8 * kRows),
        1e-9);
  }
}

// The standard error of a weighted mean is sqrt(sum p (x - m)^2 / N).
TEST(Unequal, StreamedMeansSpreadAsTheorySays) {
  constexpr std::size_t kRows = 50'000;
  const std::vector<double> x = reference::normals(kRows, 5);
  const std::vector<double> weights = exponential_weights(kRows);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double mean = 0;
  double variance = 0;
  for (std::size_t i = 0; i < kRows; ++i) mean += weights[i] / total * x[i];
  for (std::size_t i = 0; i < kRows; ++i)
    variance += weights[i] / total * (x[i] - mean) * (x[i] - mean);
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{200'000}}) {
    const Result result =
        bootstrap(x, statistic::mean(),
                  {.replicates = 1000, .seed = 2, .scheme = scheme::Unequal{weights, size}});
    ASSERT_EQ(result.plan().path, Path::stream);
    EXPECT_NEAR(result.estimate(), mean, 1e-12);
    double sum = 0;
    for (const double value : result.replicates()) sum += (value - mean) * (value - mean);
    const double expected = variance / static_cast<double>(size == 0 ? kRows : size);
    EXPECT_TRUE(theory::is_chi_square(sum / expected, 1000, kAlarm / 2));
  }
}

TEST(Unequal, BitsDependOnNothingElse) {
  constexpr std::size_t kRows = 70'001;
  const std::vector<double> x = reference::normals(kRows, 5);
  const std::vector<double> weights = exponential_weights(kRows);
  for (const std::vector<Statistic>& statistics :
       {std::vector<Statistic>{statistic::mean(), statistic::median()},
        {statistic::median()},
        {statistic::regression()},
        {statistic::trimmed_mean(0.2), statistic::callable(range)}}) {
    const DataView one(x);
    const DataView two({ColumnView(x), ColumnView(weights)});
    const bool of_two = statistics[0].name() == "regression";
    const DataView& data = of_two ? two : one;
    Options options{.replicates = 9, .seed = 3, .scheme = scheme::Unequal{weights}};
    options.execution.threads = 1;
    const Result alone = bootstrap(data, statistics, options);
    const auto same = [&](const Options& other, std::size_t from = 0) {
      const Result result = bootstrap(data, statistics, other);
      const auto expected = alone.replicates().subspan(from * alone.outputs());
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), result.replicates().begin()));
    };
    for (const unsigned threads : {2U, 7U}) {
      Options other = options;
      other.execution.threads = threads;
      same(other);
    }
    for (const execution::Level level : execution::available_levels()) {
      Options other = options;
      other.execution.level = level;
      same(other);
    }
    Options other = options;
    other.memory = std::size_t{20} << 20;
    same(other);
    other = options;
    other.first_replicate = 4;
    other.replicates = 5;
    same(other, 4);
  }
}

// Whole weights are rows written out. A function that sees rows, and quantiles, sees exactly those.
TEST(Unequal, EstimatesAreThoseOfRepeatedRows) {
  const std::vector<double> x = {5, 1, 4, 2.5, 9, 2, 7, 3};
  const std::vector<double> weights = {1, 2, 0, 1, 1, 3, 0, 0};
  std::vector<double> repeated;
  for (std::size_t i = 0; i < x.size(); ++i)
    repeated.insert(repeated.end(), static_cast<std::size_t>(weights[i]), x[i]);
  const std::vector<Statistic> statistics = {
      statistic::mean(),           statistic::median(),        statistic::quantile(0.3),
      statistic::trimmed_mean(.2), statistic::callable(range), statistic::callable(mean_of)};
  const Result weighted =
      bootstrap(x, statistics, {.replicates = 10, .scheme = scheme::Unequal{weights}});
  const Result plain = bootstrap(repeated, statistics, {.replicates = 10});
  for (std::size_t k = 0; k < statistics.size(); ++k)
    EXPECT_NEAR(weighted.estimate(k), plain.estimate(k), 1e-14) << statistics[k].name();
  // A quantile alone takes another path to the same estimate.
  EXPECT_EQ(
      bootstrap(x, statistic::median(), {.replicates = 10, .scheme = scheme::Unequal{weights}})
          .estimate(),
      weighted.estimate(1));
}

struct SumAndRows {
  double sum = 0;
  double rows = 0;
  void accumulate(double value, double weight) {
    sum += weight * value;
    rows += weight;
  }
  void merge(const SumAndRows& part) {
    sum += part.sum;
    rows += part.rows;
  }
  [[nodiscard]] double finish() const { return sum / rows; }
};

/// Sums of counts * values / rows, without a look at the sum of the counts.
CountFunction means_by_counts(const std::vector<double>& x) {
  return [&x](const CountBatch& batch, std::span<double> values) {
    std::visit(
        [&](auto counts) {
          for (std::size_t r = 0; r < batch.replicates; ++r) {
            values[r] = 0;
            for (std::size_t i = 0; i < batch.rows; ++i)
              values[r] += static_cast<double>(counts[r * batch.rows + i]) * x[i];
            values[r] /= static_cast<double>(batch.rows);
          }
        },
        batch.counts);
  };
}

// Functions of rows and of whole counts have the weighted mean as their estimate, up to a small
// share of the standard error: by a single resample of whole numbers it would be about half of one.
TEST(Unequal, EstimatesOfFunctionsAreWeightedMeans) {
  constexpr std::size_t kRows = 40'000;
  const std::vector<double> x = reference::normals(kRows, 5);
  std::vector<double> one_heavy = exponential_weights(kRows);
  one_heavy[kRows / 2] = kRows;
  for (const std::vector<double>& weights : {exponential_weights(kRows), one_heavy})
    for (const std::uint64_t size : {0, 100, 3000, 50'000}) {
      SCOPED_TRACE(testing::Message() << "size " << size << ", largest weight "
                                      << *std::max_element(weights.begin(), weights.end()));
      const std::uint64_t draws = size == 0 ? kRows : size;
      long double total = 0;
      long double sum = 0;
      long double squares = 0;
      for (std::size_t i = 0; i < kRows; ++i) {
        total += weights[i];
        sum += static_cast<long double>(weights[i]) * x[i];
        squares += static_cast<long double>(weights[i]) * x[i] * x[i];
      }
      const auto mean = static_cast<double>(sum / total);
      const double error = std::sqrt((static_cast<double>(squares / total) - mean * mean) /
                                     static_cast<double>(draws));
      const Options options{.replicates = 2, .seed = 3, .scheme = scheme::Unequal{weights, size}};
      const auto off = [&](const Result& result) { return std::abs(result.estimate() - mean); };
      EXPECT_LT(off(bootstrap(x, statistic::callable(mean_of), options)), 0.05 * error);
      EXPECT_LT(off(bootstrap(x, statistic::accumulator(SumAndRows{}), options)), 0.05 * error);
      const BatchFunction by_batches = [](const Batch& batch, std::span<double> values) {
        for (std::size_t r = 0; r < values.size(); ++r) values[r] = mean_of(batch.resamples[r]);
      };
      EXPECT_LT(off(bootstrap_batches(x, {"mean"}, by_batches, options)), 0.05 * error);
      const CountFunction by_counts = means_by_counts(x);
      EXPECT_LT(off(bootstrap_counts(x, {"mean"}, by_counts, options)), 0.05 * error);
      EXPECT_LT(off(bootstrap_counts(x, {"mean"}, by_counts, options, Takes::weights)), 1e-12);
    }
}

// The resamples that stand for the data may have no value: these are left out.
TEST(Unequal, UndefinedValuesAreLeftOutOfAnEstimate) {
  const std::vector<double> x = {1, 2, 3};
  const std::vector<double> weights = {1, 1.3, 0.7};
  const Options options{.replicates = 2, .scheme = scheme::Unequal{weights}};
  const auto first_if_no_two = [](const statistic::Resample& resample) {
    const auto column = resample.column(0);
    const bool two = std::count(column.begin(), column.end(), 2.0) == 2;
    return two ? std::numeric_limits<double>::quiet_NaN() : column[0];
  };
  EXPECT_EQ(bootstrap(x, statistic::callable(first_if_no_two), options).estimate(), 1);
  const auto never = [](const statistic::Resample&) {
    return std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_TRUE(std::isnan(bootstrap(x, statistic::callable(never), options).estimate()));
}

// One row has nearly all of the weight, so that the standard error is far below that of the rows as
// they are: the bound that the plan states holds all the same.
TEST(Unequal, ErrorsOfSumsAreWithinTheStatedBoundUnderExtremeWeights) {
  constexpr std::size_t kRows = 40'000;
  constexpr std::size_t kHeavy = 123;
  for (const double value : {0.7, 1000.0})
    for (const double others : {1e-1, 1e-3, 1e-5, 1e-7})
      for (const std::uint64_t draws : {kRows, 10 * kRows}) {
        SCOPED_TRACE(testing::Message()
                     << value << " has all weight but " << others << ", " << draws << " draws");
        std::vector<double> x = reference::normals(kRows, 5);
        x[kHeavy] = value;
        std::vector<double> weights(kRows, others / (kRows - 1));
        weights[kHeavy] = 1 - others;
        long double first = 0;
        long double second = 0;
        for (std::size_t i = 0; i < kRows; ++i) {
          const long double off = static_cast<long double>(x[i]) - value;
          first += weights[i] * off;
          second += weights[i] * off * off;
        }
        const auto error = static_cast<double>(
            std::sqrt((second - first * first) / static_cast<long double>(draws)));

        const Options options{.replicates = 30,
                              .seed = 3,
                              .scheme = scheme::Unequal{weights, draws},
                              .path = Path::stream};
        const Result result = bootstrap(x, statistic::mean(), options);
        EXPECT_LE(result.plan().sum_error, options.tolerance);
        const resample::Counter counter(kRows, {.seed = 3, .scheme = options.scheme});
        std::vector<std::uint32_t> counts(kRows);
        for (std::size_t r = 0; r < result.count(); ++r) {
          counter.counts(r, counts);
          long double sum = 0;
          for (std::size_t i = 0; i < kRows; ++i)
            sum += counts[i] * (static_cast<long double>(x[i]) - value);
          const long double exact = value + sum / static_cast<long double>(draws);
          EXPECT_LE(std::abs(static_cast<double>(result.replicate(r) - exact)),
                    result.plan().sum_error * error)
              << r;
        }
      }
}

TEST(Unequal, QuantilesHaveNoInfluenceAndSayWhy) {
  const std::vector<double> x = reference::normals(50, 5);
  const std::vector<double> weights = exponential_weights(50);
  const Result result =
      bootstrap(x, statistic::median(),
                {.replicates = 50, .scheme = scheme::Unequal{weights}, .influence = true});
  EXPECT_THAT(result.companions().influences[0].problem,
              testing::AllOf(testing::HasSubstr("unequal"), testing::HasSubstr("sums only")));
}

TEST(Unequal, OneRowWithNearlyAllWeight) {
  constexpr std::size_t kRows = 40'000;
  std::vector<double> x = reference::normals(kRows, 5);
  std::vector<double> weights(kRows, 1e-12);
  weights[77] = 1e6;
  const Result result = bootstrap(x, std::vector<Statistic>{statistic::mean(), statistic::median()},
                                  {.replicates = 5, .scheme = scheme::Unequal{weights}});
  for (std::size_t r = 0; r < 5; ++r) {
    EXPECT_NEAR(result.replicate(r, 0), x[77], 1e-6);
    EXPECT_EQ(result.replicate(r, 1), x[77]);
  }
}

}  // namespace unequal_test
}  // namespace bootfold
