// Windows hold few rows whatever the values are, and the plan knows how many.
#include "paths/quantile_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bootfold/bootstrap.h"
#include "statistic/reference.h"

namespace bootfold::paths {
namespace quantile_windows_test {

/// Values of all kinds of ties, from none to all equal.
std::vector<std::vector<double>> samples(std::size_t rows) {
  const std::vector<double> normal = reference::normals(rows, 3);
  std::vector<std::vector<double>> found = {normal, std::vector<double>(rows, 1)};
  for (const double steps : {0.5, 1.0, 3.0, 30.0, 100.0, 1000.0}) {
    found.push_back(normal);
    for (double& value : found.back()) value = std::round(steps * value);
  }
  found.push_back(normal);
  for (double& value : found.back()) value = value > 0 ? 1 : 0;
  found.push_back(normal);
  for (std::size_t i = 0; i < rows; i += 2) found.back()[i] = 0;
  return found;
}

TEST(QuantileWindows, HoldNoMoreRowsThanThePlanKnowsOf) {
  for (const std::uint64_t rows : {1, 10, 1000, 30'000, 300'000})
    for (const std::vector<double>& values : samples(rows)) {
      const std::vector<Statistic> statistics = {statistic::median(), statistic::quantile(0.9),
                                                 statistic::trimmed_mean(0.1),
                                                 statistic::trimmed_mean(0.49)};
      const study::Problem problem(DataView(values), statistics);
      const RowSpread spread(rows, rows);
      const QuantileWindows::Size size =
          QuantileWindows::size(problem, problem.data.rows(), spread);
      const QuantileWindows windows(problem, resample::Strata(rows, rows, 1), spread, {});
      EXPECT_LE(windows.all().size(), size.windows);
      EXPECT_LE(windows.slots(), size.most_slots) << rows;
      EXPECT_LE(windows.counts(), size.windows + size.tied);
    }
}

TEST(QuantileWindows, CountEqualValuesTogether) {
  std::vector<double> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 0 : 1;
  const std::vector<Statistic> statistics = {statistic::median()};
  const study::Problem problem(DataView(values), statistics);
  const std::uint64_t rows = values.size();
  const QuantileWindows windows(problem, resample::Strata(rows, rows, 1), RowSpread(rows, rows),
                                {});
  ASSERT_EQ(windows.all().size(), 1U);
  EXPECT_EQ(windows.slots(), 0U);
  ASSERT_EQ(windows.all()[0].tied.size(), 2U);
  EXPECT_EQ(windows.all()[0].tied[0].value, 0);
  EXPECT_EQ(windows.all()[0].tied[1].value, 1);
}

// The ranks of quantiles spread as the number of rows below them does, whose standard error a
// bootstrap of the indicator has. 1000 replicates know it to 2.3 %; 15 % are wrong once in 1e9.
TEST(DesignSpread, FollowsTheDesign) {
  constexpr std::size_t kRows = 20'000;
  std::vector<double> values = reference::normals(kRows, 5);
  for (std::size_t i = 1; i < kRows; ++i) values[i] += 0.9 * values[i - 1];  // neighbours are alike
  std::vector<std::uint32_t> labels(kRows);
  for (std::size_t i = 0; i < kRows; ++i) labels[i] = static_cast<std::uint32_t>(i / 20);
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  for (const double share : {0.1, 0.5}) {
    std::vector<double> below(kRows);
    const double at = sorted[static_cast<std::size_t>(share * kRows)];
    for (std::size_t i = 0; i < kRows; ++i) below[i] = values[i] < at ? 1 : 0;
    for (const Scheme& scheme :
         {Scheme(scheme::Cluster{labels}), Scheme(scheme::MovingBlocks{20}),
          Scheme(scheme::CircularBlocks{20}), Scheme(scheme::StationaryBlocks{20})}) {
      const auto design = resample::design(scheme);
      const DesignSpread spread(*design, kRows);
      const ColumnView column(values);
      const double found = spread.of(column, share, {});
      const double more = 60 + design->block_length();
      const double error =
          kRows * bootstrap(below, statistic::mean(), {.replicates = 1000, .scheme = scheme})
                      .standard_error();
      EXPECT_NEAR((found - more) / 8, error, 0.15 * error) << design->name() << share;
      EXPECT_LE(found, spread.most(share));
      // And much farther than rows that are drawn one by one.
      EXPECT_GT(found, 2 * RowSpread(kRows, kRows).most(share));
    }
  }
}

// Of values that many rows share, the quantile can be the next one.
TEST(DesignSpread, SeesBothSidesOfATie) {
  std::vector<double> values(10'000, 1);
  std::fill_n(values.begin(), 4990, 0);  // the median is 1, hardly
  const auto design = resample::design(scheme::StationaryBlocks{2});
  const ColumnView column(values);
  EXPECT_GT(DesignSpread(*design, values.size()).of(column, 0.5, {}), 8 * 50);
}

}  // namespace quantile_windows_test
}  // namespace bootfold::paths
