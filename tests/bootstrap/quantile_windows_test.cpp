// Windows hold few rows whatever the values are, and the plan knows how many.
#include "paths/quantile_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

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
      const QuantileWindows::Size size = QuantileWindows::size(problem, spread);
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

}  // namespace quantile_windows_test
}  // namespace bootfold::paths
