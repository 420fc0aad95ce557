// Several statistics and values, intervals of groups, and means adjusted for a covariate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "bootfold/compare.h"
#include "bootfold/covariate.h"
#include "bootfold/error.h"
#include "samples.h"

namespace bootfold::comparison {
namespace compare_all_test {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(CompareAll, ComparesEachStatisticOfEachColumnOrOfAllTogether) {
  const Samples samples = mixed(400, 3);
  const std::vector<double> other = normals(400, 5, 20);
  const DataView both({ColumnView(samples.values), ColumnView(other)}, {"x", "y"});
  const std::vector<Statistic> statistics = {statistic::mean(), statistic::ratio(),
                                             statistic::median()};
  const Options options{.control = "A", .replicates = 200, .seed = 3};
  const std::vector<Comparison> all = compare_all(both, samples.labels(), statistics, options);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[1].statistic, "mean");
  EXPECT_THAT(all[1].columns, ElementsAre("y"));
  EXPECT_EQ(all[2].statistic, "ratio(x, y)");
  EXPECT_THAT(all[2].columns, ElementsAre("x", "y"));
  const Comparison alone = compare(other, samples.labels(), statistic::median(), options);
  for (std::size_t i = 0; i < alone.contrasts.size(); ++i) {
    EXPECT_EQ(all[4].contrasts[i].interval.low, alone.contrasts[i].interval.low);
    EXPECT_EQ(all[4].contrasts[i].p_value, alone.contrasts[i].p_value);
  }
}

void expect_same(const Comparison& found, const Comparison& wanted) {
  ASSERT_EQ(found.contrasts.size(), wanted.contrasts.size());
  for (std::size_t i = 0; i < wanted.contrasts.size(); ++i) {
    EXPECT_EQ(found.contrasts[i].estimate, wanted.contrasts[i].estimate);
    EXPECT_EQ(found.contrasts[i].interval.low, wanted.contrasts[i].interval.low);
    EXPECT_EQ(found.contrasts[i].p_value, wanted.contrasts[i].p_value);
    EXPECT_EQ(found.contrasts[i].permutations, wanted.contrasts[i].permutations);
  }
}

// An expression of the second column is that column's statistic by its name: rows that are drawn,
// clusters, clusters and pairs that the groups share, and relabelled.
TEST(CompareAll, ExpressionsSeeTheColumnsThatTheyName) {
  Samples samples;
  std::vector<std::uint32_t> users;
  const std::vector<double> noise = normals(120, 11, 20);
  for (std::uint32_t row = 0; row < noise.size(); ++row) {
    samples.add(row % 2 == 0 ? "A" : "B", {noise[row] + row / 2 % 5 + row % 2});
    users.push_back(row / 2);
  }
  std::vector<std::uint32_t> days = users;
  for (std::uint32_t& day : days) day /= 4;
  const std::vector<double> other = normals(120, 12, 3);
  const DataView both({ColumnView(other), ColumnView(samples.values)}, {"x", "y"});
  const std::pair<const char*, Statistic> statistics[] = {
      {"mean(y)", statistic::mean()},
      {"median(y)", statistic::median()},
      {"trimmed_mean(y, 0.1)", statistic::trimmed_mean(0.1)},
      {"quantile(y, 0.9)", statistic::quantile(0.9)}};
  std::vector<Options> asked(4, {.control = "A", .replicates = 200, .seed = 3});
  asked[1].scheme = scheme::Cluster{days};
  asked[2].scheme = scheme::Cluster{users};
  asked[2].paired = true;
  asked[3].scheme = scheme::Cluster{days, true};
  for (const Options& each : asked)
    for (const auto test : {comparison::Test::bootstrap, comparison::Test::permutation})
      for (const auto& [text, named] : statistics) {
        if (test == comparison::Test::permutation && &each == &asked[3]) continue;  // refused
        SCOPED_TRACE(testing::Message() << text << ", setting " << &each - asked.data());
        Options options = each;
        options.test = test;
        const Statistic expression = statistic::expression(text);
        const Comparison wanted = compare(samples.values, samples.labels(), named, options);
        expect_same(compare(both, samples.labels(), expression, options), wanted);
        expect_same(compare_all(both, samples.labels(), {&expression, 1}, options)[0], wanted);
      }
}

// All 252 relabellings of 5 and 5 rows; mean(y) / mean(x) is the ratio of their sums.
TEST(CompareAll, RelabelsExpressionsOfSeveralColumns) {
  Samples samples;
  samples.add("A", {3, 5, 9, 2, 6});
  samples.add("B", {8, 7, 12, 4, 11});
  const std::vector<double> views = {4, 5, 8, 3, 5, 6, 5, 9, 4, 7};
  const DataView data({ColumnView(views), ColumnView(samples.values)}, {"views", "clicks"});
  double beyond[2] = {0, 0};
  const auto rate = [&](unsigned chosen, bool own) {
    double clicks = 0;
    double seen = 0;
    for (unsigned row = 0; row < 10; ++row)
      if (((chosen >> row & 1U) != 0) == own) {
        clicks += samples.values[row];
        seen += views[row];
      }
    return clicks / seen;
  };
  const unsigned kGroup = 0x3e0;  // the last five rows
  const double difference = rate(kGroup, true) - rate(kGroup, false);
  for (unsigned chosen = 0; chosen < 1024; ++chosen) {
    if (std::popcount(chosen) != 5) continue;
    const double other = rate(chosen, true) - rate(chosen, false);
    beyond[0] += other >= difference - 1e-12 ? 1 : 0;
    beyond[1] += other <= difference + 1e-12 ? 1 : 0;
  }
  const Comparison found =
      compare(data, samples.labels(), statistic::expression("sum(clicks) / sum(views)"),
              {.control = "A", .test = comparison::Test::permutation, .replicates = 100});
  EXPECT_TRUE(found.contrasts[0].all_permutations);
  EXPECT_NEAR(found.contrasts[0].p_value, 2 * std::min(beyond[0], beyond[1]) / 252, 1e-12);
}

TEST(CompareAll, RefusesACheckpointOfSeveral) {
  const Samples samples = mice();
  const std::vector<Statistic> two = {statistic::mean(), statistic::median()};
  EXPECT_THAT(refusal_of([&] {
                (void)compare_all(samples.values, samples.labels(), two, {.checkpoint = "x"});
              }),
              HasSubstr("2 comparisons"));
  EXPECT_THAT(refusal_of([&] { (void)compare_all(samples.values, samples.labels(), {}, {}); }),
              HasSubstr("no statistic"));
}

TEST(CompareAll, GroupsHaveTheIntervalsOfTheirRowsAlone) {
  const Samples samples = mixed(500, 4);
  for (const interval::Method method : {interval::Method::percentile, interval::Method::bca}) {
    const Comparison found = compare(
        samples.values, samples.labels(), statistic::mean(),
        {.control = "B", .interval = method, .confidence = 0.9, .replicates = 300, .seed = 6});
    for (const Group& group : found.groups) {
      const Result alone = bootstrap(values_of(samples, group.name), statistic::mean(),
                                     {.replicates = 300, .seed = group.seed, .influence = true});
      const Interval wanted = interval::make(method, alone, {.confidence = 0.9});
      EXPECT_EQ(group.interval.low, wanted.low);
      EXPECT_EQ(group.interval.high, wanted.high);
    }
  }
}

// Clusters that groups share, in strata: the shared part of the clusters cancels.
TEST(CompareAll, DrawsSharedClustersWithinStrata) {
  Samples samples;
  std::vector<std::uint32_t> days;
  std::vector<std::uint32_t> seasons;
  const std::vector<double> weather = normals(40, 1);
  const std::vector<double> noise = normals(400, 2);
  for (std::uint32_t row = 0; row < 400; ++row) {
    const std::uint32_t day = row % 40;
    samples.add(row / 40 % 2 == 0 ? "a" : "b", {10 * weather[day] + noise[row]});
    days.push_back(day);
    seasons.push_back(day / 20);
  }
  const auto run = [&](const Scheme& scheme, interval::Method method) {
    return compare(samples.values, samples.labels(), statistic::mean(),
                   {.interval = method, .replicates = 500, .seed = 9, .scheme = scheme});
  };
  const Scheme within = scheme::Cluster{days, false, seasons};
  const Comparison found = run(within, interval::Method::percentile);
  EXPECT_EQ(found.shared_clusters, 40U);
  EXPECT_LT(found.contrasts[0].standard_error, 0.3);
  EXPECT_GT(found.groups[0].standard_error, 1);
  EXPECT_NE(found.contrasts[0].standard_error,
            run(scheme::Cluster{days}, interval::Method::percentile).contrasts[0].standard_error);
  EXPECT_THAT(refusal_of([&] {
                (void)compare(samples.values, samples.labels(), statistic::mean(),
                              {.test = comparison::Test::permutation, .scheme = within});
              }),
              HasSubstr("within strata"));
}

/// An experiment: y = 2 x + noise + effect of group b, where x is known before.
struct Experiment {
  std::vector<double> before;
  std::vector<double> values;
  data::Labels groups;

  explicit Experiment(std::uint64_t seed, std::size_t rows, double effect) {
    before = normals(rows, 2 * seed, 5);
    const std::vector<double> noise = normals(rows, 2 * seed + 1);
    std::vector<std::string> names;
    for (std::size_t row = 0; row < rows; ++row) {
      names.emplace_back(row % 2 == 0 ? "a" : "b");
      values.push_back(2 * before[row] + noise[row] + (row % 2 == 0 ? 0 : effect));
    }
    groups = data::labels(std::span<const std::string>(names));
  }
};

// x explains 4 / 5 of the variance, so the standard error of the difference is sqrt(1 / 5) times
// the unadjusted one. Over 1000 rows theta has a standard error of 0.032 and the ratio of standard
// errors one of 0.02 (Monte Carlo errors included); five of them are exceeded once in 1.7 million
// seeds.
TEST(Covariate, RemovesTheVarianceThatItExplains) {
  const Experiment experiment(1, 1000, 0.5);
  const Adjusted adjusted = adjust(experiment.values, experiment.before, experiment.groups);
  EXPECT_NEAR(adjusted.theta, 2, 5 * 0.032);
  EXPECT_NEAR(adjusted.explained, 0.8, 0.06);
  const Options options{.replicates = 5000, .seed = 2};
  const auto error_of = [&](const std::vector<double>& values) {
    return compare(values, experiment.groups, statistic::mean(), options)
        .contrasts[0]
        .standard_error;
  };
  EXPECT_NEAR(error_of(adjusted.values) / error_of(experiment.values), std::sqrt(0.2), 0.1);
}

// The mean of 400 adjusted differences has a standard error of 2 / sqrt(100 x 400) = 0.01; five of
// them are exceeded once in 1.7 million seeds. The groups differ by much more than x explains,
// which must not enter theta.
TEST(Covariate, LeavesTheDifferenceUnbiased) {
  double sum = 0;
  const int experiments = 400;
  for (int e = 0; e < experiments; ++e) {
    const Experiment experiment(static_cast<std::uint64_t>(e) + 10, 100, 7);
    const Adjusted adjusted = adjust(experiment.values, experiment.before, experiment.groups);
    double difference = 0;
    for (std::size_t row = 0; row < 100; ++row)
      difference += (row % 2 == 0 ? -1 : 1) * adjusted.values[row] / 50;
    sum += difference;
  }
  EXPECT_NEAR(sum / experiments, 7, 5 * 0.01);
}

// Where nothing differs, p-values below 0.05 come up in about 5 % of experiments: of 400, between
// 5 and 41 except once in 10^5 (binomial), as docs/compare.md says of unadjusted means.
TEST(Covariate, KeepsTheFalseAlarmRate) {
  int alarms = 0;
  for (std::uint64_t e = 0; e < 400; ++e) {
    const Experiment experiment(e + 1000, 200, 0);
    const Adjusted adjusted = adjust(experiment.values, experiment.before, experiment.groups);
    alarms += compare(adjusted.values, experiment.groups, statistic::mean(),
                      {.replicates = 1000, .seed = e})
                  .contrasts[0]
                  .p_value < 0.05;
  }
  EXPECT_GE(alarms, 5);
  EXPECT_LE(alarms, 41);
}

TEST(Covariate, RefusesWhatExplainsNothing) {
  const Experiment experiment(1, 10, 0);
  const std::vector<double> constant(10, 3.5);
  EXPECT_THAT(refusal_of([&] { (void)adjust(experiment.values, constant, experiment.groups); }),
              HasSubstr("constant within every group"));
  EXPECT_THAT(
      refusal_of([&] { (void)adjust(experiment.values, experiment.values, experiment.groups); }),
      HasSubstr("must be another column"));
  std::vector<double> gap = experiment.before;
  gap[3] = std::nan("");
  EXPECT_THAT(refusal_of([&] { (void)adjust(experiment.values, gap, experiment.groups); }),
              HasSubstr("row 4 (counted from 1) of the covariate"));
  EXPECT_THAT(refusal_of([&] {
                (void)adjust(experiment.values, std::vector<double>(9), experiment.groups);
              }),
              HasSubstr("9 rows"));
}

}  // namespace compare_all_test
}  // namespace bootfold::comparison
