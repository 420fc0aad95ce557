// Labels of any size become numbers.
#include "resample/numbering.h"

#include <gtest/gtest.h>

#include <vector>

#include "bootfold/bootstrap.h"

namespace bootfold::resample {
namespace {

TEST(Numbering, CountsLabelsInRisingOrder) {
  for (const std::uint32_t step : {1U, 7U, 1'000'000'000U}) {
    SCOPED_TRACE(step);
    const std::vector<std::uint32_t> first = {3 * step, 0, 3 * step};
    const std::vector<std::uint32_t> second = {4 * step, step};
    const Numbering number({first, second});
    EXPECT_EQ(number.count(), 4U);
    EXPECT_EQ(number(0), 0U);
    EXPECT_EQ(number(step), 1U);
    EXPECT_EQ(number(3 * step), 2U);
    EXPECT_EQ(number(4 * step), 3U);
  }
  EXPECT_EQ(Numbering(std::span<const std::uint32_t>()).count(), 0U);
}

// Memory is that of the rows: a table up to the largest of these labels would take 17 GB.
TEST(Numbering, LabelsOfStrataAndClustersMayHaveAnyValue) {
  std::vector<double> values;
  std::vector<std::uint32_t> dense;
  std::vector<std::uint32_t> sparse;
  for (std::uint32_t row = 0; row < 60; ++row) {
    values.push_back(row * row % 17);
    dense.push_back(row % 12);
    sparse.push_back(4'294'967'295U - 100'000'000U * (11 - row % 12));
  }
  for (const bool strata : {false, true}) {
    const auto run = [&](const std::vector<std::uint32_t>& labels) {
      const Scheme scheme =
          strata ? Scheme(scheme::Stratified{labels}) : Scheme(scheme::Cluster{labels});
      return bootstrap(values, statistic::variance(),
                       {.replicates = 50, .scheme = scheme, .influence = true});
    };
    const Result found = run(sparse);
    const Result expected = run(dense);
    EXPECT_EQ(std::vector(found.replicates().begin(), found.replicates().end()),
              std::vector(expected.replicates().begin(), expected.replicates().end()));
    EXPECT_EQ(found.companions().influences[0].acceleration(),
              expected.companions().influences[0].acceleration());
  }
}

}  // namespace
}  // namespace bootfold::resample
