// Several statistics, several columns, one pass over the same resamples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "statistic/reference.h"

namespace bootfold {
namespace several_test {

using testing::ElementsAre;

TEST(Several, OnePassEqualsTheSingleRuns) {
  const std::vector<Statistic> all = {
      statistic::mean(),     statistic::variance(),    statistic::standard_deviation(0),
      statistic::skewness(), statistic::kurtosis(),    statistic::proportion(0.3),
      statistic::sum(),      statistic::sharpe_ratio()};
  for (const std::size_t n : {9, 100, 257, 5000})
    for (const Path path : {Path::stream, Path::gather}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << name(path));
      const std::vector<double> x = reference::normals(n, 1);
      const Options options{.replicates = 50, .seed = 6, .path = path};
      const Result together = bootstrap(x, all, options);
      ASSERT_EQ(together.outputs(), all.size());
      for (std::size_t k = 0; k < all.size(); ++k) {
        const Result alone = bootstrap(x, all[k], options);
        EXPECT_EQ(together.estimate(k), alone.estimate());
        EXPECT_EQ(together.standard_error(k), alone.standard_error());
        for (std::uint64_t r = 0; r < 50; ++r)
          ASSERT_EQ(together.replicate(r, k), alone.replicate(r)) << all[k].name();
      }
    }
}

TEST(Several, MixedKindsEqualTheSingleRunsOnDrawnRows) {
  const std::vector<double> x = reference::normals(150, 1);
  const std::vector<Statistic> all = {statistic::mean(), statistic::median(),
                                      statistic::trimmed_mean(0.1), statistic::variance()};
  const Options options{.replicates = 60, .seed = 6, .path = Path::gather};
  const Result together = bootstrap(x, all, options);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Result alone = bootstrap(x, all[k], options);
    EXPECT_EQ(together.estimate(k), alone.estimate());
    for (std::uint64_t r = 0; r < 60; ++r)
      ASSERT_EQ(together.replicate(r, k), alone.replicate(r)) << all[k].name();
  }
}

TEST(Several, AStatisticOfOneColumnIsAppliedToEveryColumn) {
  for (const Path path : {Path::stream, Path::gather}) {
    const reference::Columns columns = {reference::normals(400, 1), reference::uniforms(400, 2),
                                        reference::normals(400, 3)};
    const Options options{.replicates = 40, .seed = 2, .path = path};
    const Result together =
        bootstrap(reference::view(columns), {statistic::mean(), statistic::variance()}, options);
    ASSERT_EQ(together.outputs(), 6U);
    for (std::size_t c = 0; c < 3; ++c) {
      const Result mean = bootstrap(columns[c], statistic::mean(), options);
      const Result variance = bootstrap(columns[c], statistic::variance(), options);
      EXPECT_EQ(together.estimate(c), mean.estimate());
      EXPECT_EQ(together.estimate(3 + c), variance.estimate());
      for (std::uint64_t r = 0; r < 40; ++r) {
        ASSERT_EQ(together.replicate(r, c), mean.replicate(r));
        ASSERT_EQ(together.replicate(r, 3 + c), variance.replicate(r));
      }
    }
  }
}

TEST(Several, MediansOfSeveralColumnsComeFromTheSameRows) {
  const reference::Columns columns = {reference::normals(101, 1), reference::normals(101, 1)};
  for (const Path path : {Path::gather, Path::stream}) {
    const Result result =
        bootstrap(reference::view(columns), statistic::median(), {.replicates = 100, .path = path});
    for (std::uint64_t r = 0; r < 100; ++r)
      ASSERT_EQ(result.replicate(r, 0), result.replicate(r, 1));
  }
}

std::vector<std::string> outputs(const DataView& data, std::vector<Statistic> statistics) {
  return plan(data, statistics, {.replicates = 3}).outputs;
}

TEST(Several, OutputsAreNamed) {
  const std::vector<double> x = {1, 2, 4};
  const DataView one(x);
  const DataView two({ColumnView(x), ColumnView(x)}, {"price", "size"});
  const DataView plain({ColumnView(x), ColumnView(x)});
  EXPECT_THAT(outputs(one, {statistic::mean()}), ElementsAre("mean"));
  EXPECT_THAT(outputs(one, {statistic::quantile(0.25), statistic::trimmed_mean(0.1)}),
              ElementsAre("quantile:0.25", "trimmed_mean:0.1"));
  EXPECT_THAT(outputs(two, {statistic::mean(), statistic::correlation()}),
              ElementsAre("mean(price)", "mean(size)", "correlation(price, size)"));
  EXPECT_THAT(outputs(plain, {statistic::ratio()}), ElementsAre("ratio(1, 2)"));
  EXPECT_THAT(outputs(two, {statistic::regression()}), ElementsAre("intercept", "slope(size)"));
}

struct Nothing {
  void accumulate(double, double) {}
  void merge(const Nothing&) {}
  [[nodiscard]] double finish() const { return 0; }
};

// Without the column's name nobody could tell the outputs apart.
TEST(Several, AccumulatorOutputsHaveDistinctNames) {
  const std::vector<double> x = {1, 2, 4};
  const auto names = outputs(DataView({ColumnView(x), ColumnView(x)}, {"price", "size"}),
                             {statistic::accumulator(Nothing{}, "nothing")});
  ASSERT_EQ(names.size(), 2U);
  EXPECT_NE(names[0], names[1]);
}

/// Names the outputs in a child that may take five seconds: 0 if they are as expected.
[[noreturn]] void name_braces() {
  alarm(5);
  const std::vector<double> x = {1, 2, 4};
  const DataView data({ColumnView(x), ColumnView(x)}, {"a{1}", "{1}{2}"});
  const std::vector<std::string> expected = {"mean(a{1})", "mean({1}{2})",
                                             "correlation(a{1}, {1}{2})"};
  std::exit(outputs(data, {statistic::mean(), statistic::correlation()}) == expected ? 0 : 1);
}

// Column names come from files: a name that looks like a placeholder is only a name.
TEST(Several, ColumnNamesMayHoldBraces) {
  EXPECT_EXIT(name_braces(), testing::ExitedWithCode(0), "");
}

}  // namespace several_test
}  // namespace bootfold
