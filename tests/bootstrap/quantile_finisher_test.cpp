// What lies outside of the windows is found as well: chance will hardly ever bring it about, so the
// counts are made up.
#include "paths/quantile_finisher.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "statistic/reference.h"

namespace bootfold::paths {
namespace quantile_finisher_test {

TEST(QuantileFinisher, DrawsTheResampleOutIfAQuantileLiesOutsideOfItsWindow) {
  constexpr std::uint64_t kRows = 100'000;
  const std::vector<double> values = reference::normals(kRows, 1);
  const std::vector<Statistic> statistics = {statistic::median(), statistic::trimmed_mean(0.25)};
  const DataView data(values);
  const study::Problem problem(data, statistics);
  const resample::Strata strata(kRows, kRows, 1);
  const QuantileWindows windows(problem, strata, RowSpread(kRows, kRows), {});
  ASSERT_EQ(windows.all().size(), 3U);
  QuantileFinisher finish(problem, windows);
  std::vector<double> resample(kRows);
  std::iota(resample.begin(), resample.end(), 0.0);
  const std::vector<std::uint8_t> inside(windows.slots(), 1);
  const std::vector<__int128> between(1);
  // None below, all below, and so few below that a window ends too early.
  for (const std::uint64_t below : {std::uint64_t{0}, kRows, std::uint64_t{10'000}}) {
    const std::vector<std::uint64_t> all_below(3, below);
    std::vector<double> found(2);
    int asked = 0;
    finish({all_below, inside, between, kRows}, found, [&](std::uint32_t column) {
      EXPECT_EQ(column, 0U);
      ++asked;
      return resample;
    });
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(found[0], (kRows - 1) / 2.0);
    EXPECT_NEAR(found[1], (kRows - 1) / 2.0, 1e-6);
  }
}

}  // namespace quantile_finisher_test
}  // namespace bootfold::paths
