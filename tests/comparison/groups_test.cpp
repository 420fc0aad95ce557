// A bootstrap of every group is that of its rows, whatever the other groups are.
#include "bootfold/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "bootfold/compare.h"
#include "bootfold/error.h"
#include "cpu_time.h"
#include "samples.h"

namespace bootfold::comparison {
namespace groups_test {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<Statistic> kMeanAndMedian = {statistic::mean(), statistic::median()};

template <class Error>
std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_same(const GroupValue& value, const Result& alone, std::size_t output,
                 const Interval& interval) {
  EXPECT_EQ(value.estimate, alone.estimate(output));
  EXPECT_EQ(value.standard_error, alone.standard_error(output));
  EXPECT_EQ(value.bias, alone.bias(output));
  EXPECT_EQ(value.interval.low, interval.low);
  EXPECT_EQ(value.interval.high, interval.high);
}

TEST(BootstrapGroups, EachIsABootstrapOfItsRowsWithItsSeed) {
  const Samples samples = mixed(2000, 3);
  const std::array labels{samples.labels()};
  for (const interval::Method method :
       {interval::Method::percentile, interval::Method::bca, interval::Method::studentized}) {
    const GroupedResult found =
        bootstrap_groups(samples.values, labels, std::vector{statistic::mean()},
                         {.replicates = 500, .seed = 7}, {.interval = method});
    ASSERT_EQ(found.groups.size(), 4U);
    for (const GroupResult& group : found.groups) {
      SCOPED_TRACE(group.name);
      const bootfold::Options options{.replicates = 500,
                                      .seed = group_seed(7, group.name),
                                      .influence = method == interval::Method::bca,
                                      .standard_errors = method == interval::Method::studentized};
      const std::vector<double> rows = values_of(samples, group.name);
      const Result alone = bootstrap(rows, statistic::mean(), options);
      EXPECT_EQ(group.rows, rows.size());
      EXPECT_EQ(group.seed, options.seed);
      expect_same(group.values[0], alone, 0, interval::make(method, alone));
    }
  }
}

TEST(BootstrapGroups, HasTheNumbersOfAComparison) {
  const Samples samples = mixed(900, 4);
  const GroupedResult found =
      bootstrap_groups(samples.values, std::array{samples.labels()}, std::vector{statistic::mean()},
                       {.replicates = 300, .seed = 5});
  const Comparison compared =
      compare(samples.values, samples.labels(), statistic::mean(), {.replicates = 300, .seed = 5});
  for (std::size_t g = 0; g < found.groups.size(); ++g)
    EXPECT_EQ(found.groups[g].values[0].standard_error, compared.groups[g].standard_error);
}

TEST(BootstrapGroups, OfSeveralColumnsAreTheirCombinations) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<std::string> letters = {"b", "a", "b", "a", "b", "a", "b", "a", "b"};
  const std::vector<std::int64_t> numbers = {10, 2, 10, 2, 9, 9, 9, 9, 10};
  const std::array by{data::labels(std::span<const std::string>(letters)),
                      data::labels(std::span<const std::int64_t>(numbers))};
  const GroupedResult found =
      bootstrap_groups(values, by, kMeanAndMedian, {.replicates = 100, .seed = 1});
  std::vector<std::string> names;
  for (const GroupResult& group : found.groups) names.push_back(group.name);
  EXPECT_THAT(names, ElementsAre("a, 2", "a, 9", "b, 9", "b, 10"));
  EXPECT_THAT(found.groups[3].labels, ElementsAre("b", "10"));
  EXPECT_EQ(found.groups[3].rows, 3U);
  ASSERT_EQ(found.groups[3].values.size(), 2U);
  EXPECT_DOUBLE_EQ(found.groups[3].values[0].estimate, 13.0 / 3);
  EXPECT_EQ(found.groups[3].values[1].estimate, 3);
  const Result alone = bootstrap(std::vector<double>{1, 3, 9}, kMeanAndMedian,
                                 {.replicates = 100, .seed = group_seed(1, "b, 10")});
  expect_same(found.groups[3].values[1], alone, 1, interval::percentile(alone, {.output = 1}));
}

TEST(BootstrapGroups, ValuesAreNamedByStatisticAndColumns) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 7};
  const std::vector<double> y = {2, 1, 4, 3, 6, 5};
  const DataView both({ColumnView(x), ColumnView(y)}, {"x", "y"});
  const std::vector<std::string> groups(6, "all");
  const std::vector<Statistic> statistics = {statistic::mean(), statistic::ratio()};
  const GroupedResult found =
      bootstrap_groups(both, std::array{data::labels(std::span<const std::string>(groups))},
                       statistics, {.replicates = 50});
  ASSERT_EQ(found.outputs.size(), 3U);
  EXPECT_EQ(found.outputs[0].statistic, "mean");
  EXPECT_THAT(found.outputs[1].columns, ElementsAre("y"));
  EXPECT_EQ(found.outputs[2].statistic, "ratio");
  EXPECT_THAT(found.outputs[2].columns, ElementsAre("x", "y"));
}

TEST(BootstrapGroups, OfOneRowAreSkipped) {
  Samples samples = mice();
  samples.add("alone", {3});
  const GroupedResult found = bootstrap_groups(samples.values, std::array{samples.labels()},
                                               kMeanAndMedian, {.replicates = 50});
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(found.groups[0].name, "control");
  ASSERT_EQ(found.skipped.size(), 1U);
  EXPECT_EQ(found.skipped[0].name, "alone");
  EXPECT_EQ(found.skipped[0].rows, 1U);
}

TEST(BootstrapGroups, DrawsClustersAndStrataOfItsOwnRows) {
  const Samples samples = mixed(600, 8);
  std::vector<std::uint32_t> clusters;
  std::vector<std::uint32_t> strata;
  for (std::uint32_t row = 0; row < 600; ++row) {
    clusters.push_back(row % 30);
    strata.push_back(row % 3);
  }
  const GroupedResult found = bootstrap_groups(
      samples.values, std::array{samples.labels()}, std::vector{statistic::mean()},
      {.replicates = 200, .seed = 2, .scheme = scheme::Cluster{clusters, false, strata}});
  std::vector<double> rows;
  std::vector<std::uint32_t> own;
  std::vector<std::uint32_t> within;
  for (std::size_t row = 0; row < 600; ++row)
    if (samples.groups[row] == "C") {
      rows.push_back(samples.values[row]);
      own.push_back(clusters[row]);
      within.push_back(strata[row]);
    }
  const Result alone = bootstrap(rows, statistic::mean(),
                                 {.replicates = 200,
                                  .seed = group_seed(2, "C"),
                                  .scheme = scheme::Cluster{own, false, within}});
  EXPECT_EQ(found.groups[2].values[0].standard_error, alone.standard_error());
}

TEST(BootstrapGroups, DoNotDependOnThreadsOrOtherGroups) {
  const Samples samples = mixed(3000, 9);
  const auto run = [&](unsigned threads, std::size_t rows) {
    Samples some = samples;
    some.values.resize(rows);
    some.groups.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) some.groups[row] += std::to_string(row % 40);
    return bootstrap_groups(some.values, std::array{some.labels()}, kMeanAndMedian,
                            {.replicates = 100, .seed = 3, .execution = {.threads = threads}});
  };
  const GroupedResult one = run(1, 3000);
  const GroupedResult several = run(3, 3000);
  ASSERT_EQ(one.groups.size(), several.groups.size());
  for (std::size_t g = 0; g < one.groups.size(); ++g) {
    EXPECT_EQ(one.groups[g].name, several.groups[g].name);
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_EQ(one.groups[g].values[k].interval.high, several.groups[g].values[k].interval.high);
  }
}

// What a bootstrap of 30 rows takes by itself is a few tens of microseconds; the limit is far above
// it, and far below what one millisecond for each group would take.
TEST(BootstrapGroups, ManySmallOnesCostLittleEach) {
  const std::size_t groups = 4000;
  const std::vector<double> values = normals(30 * groups, 1);
  std::vector<std::int64_t> numbers;
  for (std::size_t row = 0; row < values.size(); ++row)
    numbers.push_back(static_cast<std::int64_t>(row * 7919 % groups));
  const data::Labels labels = data::labels(std::span<const std::int64_t>(numbers));
  const double before = cpu_seconds();
  const GroupedResult found =
      bootstrap_groups(values, {&labels, 1}, std::vector{statistic::mean()}, {.replicates = 100});
  EXPECT_EQ(found.groups.size(), groups);
  EXPECT_LT(cpu_seconds() - before, 3.0);
}

TEST(BootstrapGroups, RunToAPrecision) {
  const Samples samples = mice();
  const GroupedResult found =
      bootstrap_groups(samples.values, std::array{samples.labels()}, std::vector{statistic::mean()},
                       {.seed = 1}, {.precision = 0.1});
  for (const GroupResult& group : found.groups) {
    EXPECT_GT(group.replicates, 100U);
    EXPECT_LE(group.values[0].interval.low_error, 0.1 * group.values[0].standard_error);
  }
}

TEST(BootstrapGroups, RefusesWhatHasNoMeaning) {
  const Samples samples = mice();
  const data::Labels labels = samples.labels();
  const auto message = [&](std::span<const data::Labels> by,
                           const bootfold::Options& options = {}) {
    return message_of<InvalidArgument>(
        [&] { (void)bootstrap_groups(samples.values, by, kMeanAndMedian, options); });
  };
  EXPECT_THAT(message({}), HasSubstr("no labels of groups"));
  data::Labels fewer = labels;
  fewer.codes.pop_back();
  EXPECT_THAT(message({&fewer, 1}), HasSubstr("15 labels for 16 rows"));
  EXPECT_THAT(message({&labels, 1}, {.checkpoint = "x"}), HasSubstr("omit checkpoint"));
  std::vector<std::int64_t> each(16);
  for (std::size_t row = 0; row < 16; ++row) each[row] = static_cast<std::int64_t>(row);
  data::Labels own = data::labels(std::span<const std::int64_t>(each));
  own.column = "id";
  EXPECT_EQ(message({&own, 1}),
            "each of the 16 groups of column 'id' has one row but needs at least 2 to have a "
            "standard error; check the column of the groups");
}

}  // namespace groups_test
}  // namespace bootfold::comparison
