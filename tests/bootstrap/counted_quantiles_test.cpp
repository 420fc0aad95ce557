// Quantiles and trimmed means that path `stream` counts are those of the resamples, row by row; and
// statistics beside them keep their replicates to the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootfold/resample.h"
#include "numeric/quantile.h"
#include "statistic/reference.h"

namespace bootfold {
namespace counted_quantiles_test {

struct Sample {
  const char* name;
  std::vector<double> values;
};

std::vector<Sample> samples() {
  std::vector<Sample> found;
  for (const std::size_t rows : {1, 2, 3, 10, 100, 1000, 5000, 20'000}) {
    found.push_back({"normal", reference::normals(rows, 7)});
    std::vector<double> rounded = found.back().values;
    for (double& value : rounded) value = std::round(value);
    found.push_back({"ties", rounded});
    std::vector<double> heavy = found.back().values;
    for (double& value : heavy) value = std::exp(10 * value);
    found.push_back({"heavy", heavy});
  }
  found.push_back({"constant", std::vector<double>(500, 3.25)});
  // Values that many rows share, so that they are counted together.
  for (const std::size_t rows : {10'000, 60'000}) {
    const std::vector<double> normal = reference::normals(rows, 8);
    std::vector<double> halves = normal;
    std::vector<double> ratings = normal;
    std::vector<double> zeros = normal;
    std::vector<double> hundredths = normal;
    for (std::size_t i = 0; i < rows; ++i) {
      halves[i] = normal[i] > 0.001 ? 1 : 0;
      ratings[i] = std::clamp(std::round(normal[i] + 3), 1.0, 5.0);
      zeros[i] = i % 2 == 0 ? 0 : normal[i];
      hundredths[i] = std::round(100 * normal[i]) / 100;
    }
    found.push_back({"0 and 1", halves});
    found.push_back({"ratings", ratings});
    found.push_back({"half zeros", zeros});
    found.push_back({"hundredths", hundredths});
  }
  return found;
}

std::vector<double> drawn_out(const std::vector<double>& values, std::uint64_t replicate) {
  const auto counts = resample::counts(values.size(), {5, replicate});
  std::vector<double> rows;
  for (std::size_t i = 0; i < values.size(); ++i) rows.insert(rows.end(), counts[i], values[i]);
  return rows;
}

TEST(CountedQuantiles, AreThoseOfTheResample) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(testing::Message() << sample.name << ", " << sample.values.size() << " rows");
    const std::vector<double> probabilities = {0, 0.01, 0.25, 0.5, 0.75, 0.9, 1};
    std::vector<Statistic> statistics;
    for (const double q : probabilities) statistics.push_back(statistic::quantile(q));
    for (const double cut : {0.01, 0.1, 0.25, 0.49})
      statistics.push_back(statistic::trimmed_mean(cut));
    const Result result =
        bootstrap(sample.values, statistics, {.replicates = 12, .seed = 5, .path = Path::stream});
    for (std::uint64_t r = 0; r < 12; ++r) {
      std::vector<double> rows = drawn_out(sample.values, r);
      std::size_t output = 0;
      for (const double q : probabilities)
        ASSERT_EQ(result.replicate(r, output++), numeric::select_quantile(rows, q)) << q;
      for (const double cut : {0.01, 0.1, 0.25, 0.49}) {
        const double truth = numeric::trimmed_mean_of(rows, cut);
        // The rows between the cuts have six digits of base 256, and none of them is larger than a
        // row that is cut.
        std::sort(rows.begin(), rows.end());
        const auto g = static_cast<std::size_t>(cut * static_cast<double>(rows.size()));
        const double largest = std::max(std::abs(rows[g]), std::abs(rows[rows.size() - 1 - g]));
        ASSERT_NEAR(result.replicate(r, output++), truth, 1e-12 * largest) << cut;
      }
    }
  }
}

// Two columns and functions of sums: all statistics of a replicate see the same rows, and none
// changes what the others are alone.
TEST(CountedQuantiles, LeaveTheirNeighboursAsTheyAreAlone) {
  const reference::Columns columns = {reference::normals(3000, 1), reference::normals(3000, 2)};
  const DataView data = reference::view(columns);
  const Options options{.replicates = 50, .seed = 5, .path = Path::stream};
  const std::vector<Statistic> all = {statistic::mean(), statistic::median(),
                                      statistic::correlation(), statistic::trimmed_mean(0.1),
                                      statistic::interquartile_range()};
  const Result together = bootstrap(data, all, options);
  std::size_t output = 0;
  for (const Statistic& statistic : all) {
    const Result alone = bootstrap(data, statistic, options);
    for (std::size_t k = 0; k < alone.outputs(); ++k, ++output)
      for (std::uint64_t r = 0; r < 50; ++r)
        ASSERT_EQ(together.replicate(r, output), alone.replicate(r, k)) << statistic.name();
  }
  EXPECT_EQ(output, together.outputs());
}

// The path of several kinds of statistics on the same resamples.
TEST(CountedQuantiles, AreTheDefaultBesideJointSums) {
  const std::vector<double> values = reference::normals(5000, 1);
  const std::vector<Statistic> both = {statistic::mean(), statistic::median()};
  EXPECT_EQ(bootstrap(values, both, {.replicates = 10, .joint = true}).plan().path, Path::stream);
  EXPECT_EQ(bootstrap(values, statistic::trimmed_mean(0.1), {.replicates = 10}).plan().path,
            Path::stream);
}

/// Labels of clusters of all kinds.
std::vector<std::vector<std::uint32_t>> clusterings(std::size_t rows) {
  std::vector<std::vector<std::uint32_t>> found(5, std::vector<std::uint32_t>(rows));
  const std::vector<double> normal = reference::normals(rows, 9);
  for (std::size_t i = 0; i < rows; ++i) {
    const double unequal = static_cast<double>(rows) * std::exp(-std::abs(3 * normal[i]));
    found[0][i] = static_cast<std::uint32_t>(i);                          // single rows
    found[1][i] = static_cast<std::uint32_t>(i * 7919 % (rows / 5 + 1));  // small, rows apart
    found[2][i] = static_cast<std::uint32_t>(unequal);
    found[3][i] = i < rows / 2 ? 0 : static_cast<std::uint32_t>(1 + i % (rows / 10 + 1));
  }
  return found;  // the last one: all rows in one cluster
}

// Clusters are counted as rows are, so the resamples are known.
TEST(CountedQuantiles, OfClustersAreThoseOfTheResample) {
  const std::vector<double> probabilities = {0, 0.01, 0.25, 0.5, 0.9, 1};
  std::vector<Statistic> statistics;
  for (const double q : probabilities) statistics.push_back(statistic::quantile(q));
  const std::vector<double> cuts = {0.01, 0.1, 0.49};
  for (const double cut : cuts) statistics.push_back(statistic::trimmed_mean(cut));
  for (const Sample& sample : samples()) {
    const std::vector<double>& values = sample.values;
    if (values.size() > 10'000) continue;
    for (const std::vector<std::uint32_t>& labels : clusterings(values.size())) {
      SCOPED_TRACE(testing::Message() << sample.name << ", " << values.size() << " rows");
      std::map<std::uint32_t, std::vector<double>> by_label;
      for (std::size_t i = 0; i < values.size(); ++i) by_label[labels[i]].push_back(values[i]);
      const Result result = bootstrap(
          values, statistics, {.replicates = 4, .seed = 5, .scheme = scheme::Cluster{labels}});
      ASSERT_EQ(result.plan().path, Path::stream);
      for (std::uint64_t r = 0; r < 4; ++r) {
        const auto counts = resample::counts(by_label.size(), {5, r});
        std::vector<double> rows;
        std::size_t cluster = 0;
        for (const auto& [label, own] : by_label)
          for (std::uint32_t k = counts[cluster++]; k > 0; --k)
            rows.insert(rows.end(), own.begin(), own.end());
        std::size_t output = 0;
        for (const double q : probabilities)
          ASSERT_EQ(result.replicate(r, output++), numeric::select_quantile(rows, q)) << q;
        for (const double cut : cuts) {
          const double truth = numeric::trimmed_mean_of(rows, cut);
          std::sort(rows.begin(), rows.end());
          const auto g = static_cast<std::size_t>(cut * static_cast<double>(rows.size()));
          const double largest = std::max(std::abs(rows[g]), std::abs(rows[rows.size() - 1 - g]));
          ASSERT_NEAR(result.replicate(r, output++), truth, 1e-12 * largest) << cut;
        }
      }
    }
  }
}

TEST(CountedQuantiles, OfClustersLeaveTheirNeighboursAsTheyAreAlone) {
  const reference::Columns columns = {reference::normals(6000, 1), reference::normals(6000, 2)};
  const DataView data = reference::view(columns);
  std::vector<std::uint32_t> labels(6000);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint32_t>(i / 3);
  const Options options{
      .replicates = 50, .seed = 5, .scheme = scheme::Cluster{labels}, .path = Path::stream};
  const std::vector<Statistic> all = {statistic::mean(), statistic::median(),
                                      statistic::correlation(), statistic::trimmed_mean(0.1),
                                      statistic::interquartile_range()};
  const Result together = bootstrap(data, all, options);
  std::size_t output = 0;
  for (const Statistic& statistic : all) {
    const Result alone = bootstrap(data, statistic, options);
    for (std::size_t k = 0; k < alone.outputs(); ++k, ++output) {
      for (std::uint64_t r = 0; r < 50; ++r)
        ASSERT_EQ(together.replicate(r, output), alone.replicate(r, k)) << statistic.name();
      ASSERT_NEAR(together.estimate(output), alone.estimate(k), 1e-12) << statistic.name();
    }
  }
  EXPECT_EQ(output, together.outputs());
}

/// Path gather draws the same blocks out and selects.
TEST(CountedQuantiles, OfBlocksAreThoseOfTheResample) {
  const std::vector<double> probabilities = {0, 0.01, 0.25, 0.5, 0.9, 1};
  std::vector<Statistic> statistics;
  for (const double q : probabilities) statistics.push_back(statistic::quantile(q));
  for (const double cut : {0.01, 0.1, 0.49}) statistics.push_back(statistic::trimmed_mean(cut));
  statistics.push_back(statistic::mean());
  std::vector<Sample> all = samples();
  all.push_back({"walk", reference::normals(20'000, 4)});
  std::partial_sum(all.back().values.begin(), all.back().values.end(), all.back().values.begin());
  all.push_back({"trend", std::vector<double>(3000)});
  std::iota(all.back().values.begin(), all.back().values.end(), -1000);
  for (const Sample& sample : all) {
    const std::size_t rows = sample.values.size();
    const bool in_doubles = std::string_view(sample.name) == "heavy";
    if (in_doubles || rows == 5000 || rows > 20'000) continue;
    double largest = 0;
    for (const double value : sample.values) largest = std::max(largest, std::abs(value));
    for (const std::size_t length : {std::size_t{1}, std::min<std::size_t>(rows, 20), rows / 2 + 1})
      for (const Scheme& scheme :
           {Scheme(scheme::MovingBlocks{length}), Scheme(scheme::CircularBlocks{length}),
            Scheme(scheme::StationaryBlocks{static_cast<double>(length)})}) {
        SCOPED_TRACE(testing::Message() << sample.name << ", " << rows << " rows, " << length);
        Options options{.replicates = 3, .seed = 5, .scheme = scheme};
        const Result counted = bootstrap(sample.values, statistics, options);
        ASSERT_EQ(counted.plan().path, Path::blocks);
        options.path = Path::gather;
        const Result drawn = bootstrap(sample.values, statistics, options);
        for (std::uint64_t r = 0; r < 3; ++r)
          for (std::size_t k = 0; k < statistics.size(); ++k)
            if (k < probabilities.size())
              ASSERT_EQ(counted.replicate(r, k), drawn.replicate(r, k)) << k;
            else
              ASSERT_NEAR(counted.replicate(r, k), drawn.replicate(r, k), 1e-9 * largest) << k;
      }
  }
}

// Strata, Poisson counts and m out of n: the median of 400 replicates spreads as theory says, which
// for a stratum of its own and for all rows is known: sqrt(pi / 2) / sqrt(n) of normal rows, here
// within a fifth.
TEST(CountedQuantiles, WorkUnderEverySchemeThatStreams) {
  const std::vector<double> values = reference::normals(20'000, 3);
  std::vector<std::uint32_t> strata(values.size());
  for (std::size_t i = 0; i < strata.size(); ++i) strata[i] = i % 3 == 0 ? 1 : 0;
  for (const Scheme& scheme : {Scheme(scheme::Iid{}), Scheme(scheme::Poisson{}),
                               Scheme(scheme::Stratified{strata}), Scheme(scheme::Iid{5000})}) {
    const std::vector<Statistic> both = {statistic::mean(), statistic::median()};
    const Result result = bootstrap(values, both, {.replicates = 400, .seed = 1, .scheme = scheme});
    EXPECT_EQ(result.plan().path, Path::stream);
    EXPECT_NEAR(result.standard_error(1) / result.standard_error(0), std::sqrt(M_PI / 2), 0.25);
  }
}

}  // namespace counted_quantiles_test
}  // namespace bootfold
