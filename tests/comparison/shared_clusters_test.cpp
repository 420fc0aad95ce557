// Clusters that have rows in several groups are drawn once for all of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <map>

#include "bootfold/compare.h"
#include "bootfold/error.h"
#include "random/theory.h"
#include "samples.h"

namespace bootfold::comparison {
namespace shared_clusters_test {

using testing::HasSubstr;
using theory::kAlarm;

/// Rows of groups A and B in four clusters; one has no row in B.
struct Table {
  Samples samples;
  std::vector<std::uint32_t> clusters;

  void add(const std::string& group, std::uint32_t cluster, const std::vector<double>& values) {
    samples.add(group, values);
    clusters.insert(clusters.end(), values.size(), cluster);
  }
};

Table small() {
  Table table;
  table.add("A", 0, {1, 4});
  table.add("B", 0, {2});
  table.add("A", 1, {6});
  table.add("B", 1, {9, 7, 5.5});
  table.add("B", 2, {3.25});
  table.add("A", 2, {2.5, 3});
  table.add("A", 3, {10});
  return table;
}

double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

double median_of(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  const std::size_t half = x.size() / 2;
  return x.size() % 2 == 1 ? x[half] : (x[half - 1] + x[half]) / 2;
}

/// Probabilities of the values of B - A over all ways to draw as many clusters as there are; what
/// is not defined is left out of them.
template <class Value>
std::map<double, double> law_of(const Table& table, std::uint32_t clusters, Difference kind,
                                const Value& value) {
  std::map<double, double> law;
  std::vector<std::uint32_t> drawn(clusters, 0);
  const double each = std::pow(clusters, -static_cast<double>(clusters));
  for (;;) {
    std::vector<double> a;
    std::vector<double> b;
    for (const std::uint32_t cluster : drawn)
      for (std::size_t i = 0; i < table.clusters.size(); ++i)
        if (table.clusters[i] == cluster)
          (table.samples.groups[i] == "A" ? a : b).push_back(table.samples.values[i]);
    if (!a.empty() && !b.empty()) {
      const double difference = value(b) - value(a);
      const double shown = kind == Difference::absolute ? difference : difference / value(a);
      law[std::round(shown * 1e9) / 1e9] += each;
    }
    std::size_t place = 0;
    while (place < clusters && ++drawn[place] == clusters) drawn[place++] = 0;
    if (place == clusters) return law;
  }
}

/// Whether the replicates have this law; all values share one alarm of a millionth.
void expect_law(const std::map<double, double>& law, const Contrast& found) {
  std::map<double, std::uint64_t> counts;
  for (const double value : found.replicates)
    if (!std::isnan(value)) ++counts[std::round(value * 1e9) / 1e9];
  double known = 0;
  for (const auto& [value, probability] : law) known += probability;
  EXPECT_TRUE(theory::is_binomial(found.replicates.size() - found.undefined,
                                  found.replicates.size(), known, kAlarm / 2));
  for (const auto& [value, probability] : law)
    EXPECT_TRUE(theory::is_binomial(counts[value], found.replicates.size(), probability,
                                    kAlarm / 2 / static_cast<double>(law.size())))
        << value;
  for (const auto& [value, count] : counts) EXPECT_TRUE(law.contains(value)) << value;
}

TEST(SharedClusters, AreDrawnOnceForAllGroups) {
  const Table table = small();
  for (const Difference kind : {Difference::absolute, Difference::relative})
    for (const bool mean : {true, false}) {
      SCOPED_TRACE(testing::Message() << name(kind) << (mean ? " mean" : " median"));
      const Comparison found = compare(table.samples.values, table.samples.labels(),
                                       mean ? statistic::mean() : statistic::median(),
                                       {.control = "A",
                                        .difference = kind,
                                        .replicates = 40'000,
                                        .seed = 7,
                                        .scheme = scheme::Cluster{table.clusters},
                                        .keep_replicates = true});
      EXPECT_EQ(found.clusters, 4U);
      EXPECT_EQ(found.shared_clusters, 3U);
      expect_law(mean ? law_of(table, 4, kind, mean_of) : law_of(table, 4, kind, median_of),
                 found.contrasts[0]);
      EXPECT_EQ(found.contrasts[0].notes.back().name, "joint_clusters");
      EXPECT_EQ(found.groups[0].rows, 6U);
      EXPECT_EQ(found.groups[1].rows, 5U);
    }
}

// Days that all airports see: what a day does to all cancels in the difference.
Table days(std::size_t count, double common) {
  random::Stream stream({.seed = 12});
  Table table;
  for (std::uint32_t day = 0; day < count; ++day) {
    const double weather = common * random::normal(stream);
    for (const char* airport : {"EWR", "JFK", "LGA"})
      for (int flight = 0; flight < 3; ++flight)
        table.add(airport, day, {1e6 + weather + random::normal(stream)});
  }
  return table;
}

TEST(SharedClusters, CancelInTheDifference) {
  const Table table = days(200, 10);
  for (const interval::Method method :
       {interval::Method::percentile, interval::Method::bca, interval::Method::normal}) {
    SCOPED_TRACE(interval::name(method));
    const Comparison found =
        compare(table.samples.values, table.samples.labels(), statistic::mean(),
                {.control = "EWR", .interval = method, .scheme = scheme::Cluster{table.clusters}});
    for (const Contrast& contrast : found.contrasts) {
      // Of 600 flights each, sqrt(2 / 600), though a group alone has 10 / sqrt(200).
      EXPECT_NEAR(contrast.standard_error, std::sqrt(2 / 600.0), 0.012);
      EXPECT_EQ(contrast.interval.status, interval::Status::good);
    }
    EXPECT_GT(found.groups[0].standard_error, 0.5);
  }
}

TEST(SharedClusters, DoNotDependOnThreads) {
  Table table = days(50, 3);
  const auto run = [](const Table& data, unsigned threads) {
    return compare(data.samples.values, data.samples.labels(), statistic::mean(),
                   {.control = "EWR",
                    .replicates = 500,
                    .scheme = scheme::Cluster{data.clusters},
                    .keep_replicates = true,
                    .execution = {.threads = threads}})
        .contrasts[1]
        .replicates;
  };
  const std::vector<double> once = run(table, 1);
  EXPECT_EQ(once, run(table, 3));
}

TEST(SharedClusters, ThatNoGroupSharesAreDrawnByEach) {
  Table table;
  random::Stream stream({.seed = 3});
  for (std::uint32_t user = 0; user < 40; ++user)
    table.add(user % 2 == 0 ? "A" : "B", user, {random::normal(stream), random::normal(stream)});
  const Comparison found = compare(table.samples.values, table.samples.labels(), statistic::mean(),
                                   {.control = "A", .scheme = scheme::Cluster{table.clusters}});
  EXPECT_EQ(found.clusters, 40U);
  EXPECT_EQ(found.shared_clusters, 0U);
  EXPECT_EQ(found.groups[1].seed, group_seed(0, "B"));
  EXPECT_TRUE(found.contrasts[0].notes.empty());
}

// A paired comparison of means is a bootstrap of the differences within pairs.
TEST(Pairs, AreClustersOfOneRowInEachGroup) {
  random::Stream stream({.seed = 21});
  Table table;
  std::vector<double> differences;
  for (std::uint32_t pair = 0; pair < 60; ++pair) {
    const double person = 5 * random::normal(stream);
    const double before = person + random::normal(stream);
    const double after = person + 0.5 + random::normal(stream);
    table.add("before", pair, {before});
    table.add("after", pair, {after});
    differences.push_back(after - before);
  }
  const comparison::Options options{.control = "before",
                                    .replicates = 20'000,
                                    .scheme = scheme::Cluster{table.clusters},
                                    .paired = true};
  const Contrast found =
      compare(table.samples.values, table.samples.labels(), statistic::mean(), options)
          .contrasts[0];
  const Result wanted =
      bootstrap(differences, statistic::mean(), {.replicates = 20'000, .seed = 1});
  EXPECT_NEAR(found.estimate, wanted.estimate(), 1e-12);
  EXPECT_TRUE(
      theory::is_normal(found.standard_error, wanted.standard_error(),
                        std::hypot(found.standard_error_error, wanted.standard_error_error())));

  Table broken = table;
  broken.add("after", 3, {1});
  const auto message = [&](const Table& data) {
    comparison::Options asked = options;
    asked.scheme = scheme::Cluster{data.clusters};
    try {
      (void)compare(data.samples.values, data.samples.labels(), statistic::mean(), asked);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(broken), HasSubstr("group 'after' has 2 rows of one pair"));
  broken = table;
  broken.add("after", 99, {1});
  EXPECT_THAT(message(broken), HasSubstr("group 'before' has no row for 1 of the 61 pairs"));
}

double permutation_p(const Table& table, const comparison::Options& options,
                     const Statistic& statistic = statistic::mean()) {
  comparison::Options asked = options;
  asked.test = comparison::Test::permutation;
  return compare(table.samples.values, table.samples.labels(), statistic, asked)
      .contrasts[0]
      .p_value;
}

// Of the 11,440 ways to choose seven of sixteen mice 1,608 have a mean difference of at least 30.63
// days, by enumeration in integers.
TEST(Permutation, OfTheMiceIsExact) {
  Table table;
  table.samples = mice();
  const std::vector<double>& x = table.samples.values;
  const std::size_t rows = x.size();
  std::uint64_t ways = 0;
  std::uint64_t beyond = 0;
  for (std::uint32_t chosen = 0; chosen < 1U << rows; ++chosen) {
    if (std::popcount(chosen) != 7) continue;
    ++ways;
    double treated = 0;
    double others = 0;
    for (std::size_t i = 0; i < rows; ++i) (chosen >> i & 1 ? treated : others) += x[i];
    beyond += 9 * treated - 7 * others >= 9 * 608 - 7 * 506 ? 1 : 0;
  }
  EXPECT_EQ(ways, 11'440U);
  EXPECT_EQ(beyond, 1'608U);
  const comparison::Options options{.control = "control",
                                    .alternative = interval::Alternative::greater};
  EXPECT_DOUBLE_EQ(permutation_p(table, options),
                   static_cast<double>(beyond) / static_cast<double>(ways));
}

TEST(Permutation, SwapsPairsAndClusters) {
  Table pairs;
  for (std::uint32_t pair = 0; pair < 10; ++pair) {
    pairs.add("before", pair, {static_cast<double>(pair * pair)});
    pairs.add("after", pair, {static_cast<double>(pair * pair) + (pair == 4 ? -1 : 2)});
  }
  // Differences 2 (nine times) and -1: as far out only if all nine have one sign, and either of the
  // last; one-sided 17 for the sum, of which 19 is the other: 2 of 1024.
  comparison::Options options{.control = "before",
                              .alternative = interval::Alternative::greater,
                              .scheme = scheme::Cluster{pairs.clusters},
                              .paired = true};
  EXPECT_DOUBLE_EQ(permutation_p(pairs, options), 2 / 1024.0);
  options.alternative = interval::Alternative::two_sided;
  EXPECT_DOUBLE_EQ(permutation_p(pairs, options), 4 / 1024.0);

  Table clusters;  // three clusters in each group, all of one above all of the other: 1 of 20
  for (std::uint32_t cluster = 0; cluster < 6; ++cluster)
    clusters.add(cluster < 3 ? "A" : "B", cluster, {1.0 * cluster, 1.0 * cluster, 0.5 + cluster});
  EXPECT_DOUBLE_EQ(
      permutation_p(clusters, {.control = "A", .scheme = scheme::Cluster{clusters.clusters}}),
      2 / 20.0);
  EXPECT_DOUBLE_EQ(
      permutation_p(clusters, {.control = "A", .scheme = scheme::Cluster{clusters.clusters}},
                    statistic::median()),
      4 / 20.0);  // 0, 1 and 3 have the same medians as 0, 1 and 2
}

// Groups B and C share users with each other, and none with the control: whole users are
// relabelled. With some shared by the two groups, those swap and the others go whole.
TEST(Permutation, RelabelsClustersAsEachPairOfGroupsHasThem) {
  Table table;
  for (std::uint32_t user = 0; user < 4; ++user) {
    table.add("A", user, {1.0 * user});
    table.add("B", 10 + user, {10.0 + user});
    table.add("C", 10 + user, {20.0 + user});
  }
  comparison::Options options{.control = "A", .scheme = scheme::Cluster{table.clusters}};
  EXPECT_DOUBLE_EQ(permutation_p(table, options), 2 / 70.0);  // B
  options.test = comparison::Test::bootstrap;
  const Comparison bootstrapped =
      compare(table.samples.values, table.samples.labels(), statistic::mean(), options);
  EXPECT_DOUBLE_EQ(bootstrapped.contrasts[0].p_value, 2 / 70.0);

  Table mixed;
  mixed.add("A", 0, {1});
  mixed.add("B", 0, {11});
  for (std::uint32_t user = 1; user < 4; ++user) {
    mixed.add("A", user, {1.0 * user});
    mixed.add("B", 10 + user, {10.0 + user});
  }
  options.scheme = scheme::Cluster{mixed.clusters};
  EXPECT_DOUBLE_EQ(permutation_p(mixed, options), 2 / (2 * 20.0));
}

// The share of a control may be 0 on a relabelling, where the lift is undefined but the difference
// is not: the test is that of the difference.
TEST(Permutation, OfALiftIsThatOfTheDifference) {
  Table table;
  table.samples.add("A", {1, 0, 0, 0, 0, 0, 0, 0, 0});
  table.samples.add("B", {1, 1, 1, 0, 0, 0, 0, 0, 0});
  for (const Difference kind : {Difference::absolute, Difference::relative})
    // Hypergeometric: 3 or 4 of the four ones among nine of eighteen.
    EXPECT_NEAR(permutation_p(table, {.control = "A",
                                      .difference = kind,
                                      .alternative = interval::Alternative::greater}),
                (84.0 * 9 + 126.0) / 3060, 1e-12);
}

TEST(FewClusters, AreThoseOfTheGroupAlsoIfDrawnJointly) {
  Table table = days(20, 1);
  table.add("one", 3, {1e6, 1e6 + 2});
  for (const Correction correction : {Correction::none, Correction::simultaneous}) {
    SCOPED_TRACE(name(correction));
    const Comparison found =
        compare(table.samples.values, table.samples.labels(), statistic::mean(),
                {.control = "EWR",
                 .correction = correction,
                 .replicates = 200,
                 .scheme = scheme::Cluster{table.clusters}});
    const Contrast& one = found.contrasts.back();
    EXPECT_EQ(one.group, "one");
    EXPECT_EQ(one.interval.status, interval::Status::undefined);
    EXPECT_EQ(one.adjusted_interval.status, interval::Status::undefined);
    EXPECT_THAT(one.interval.reason, HasSubstr("there is only one cluster"));
    const bool noted =
        std::ranges::any_of(one.notes, [](const Note& note) { return note.name == "no_interval"; });
    EXPECT_TRUE(noted);
    EXPECT_EQ(found.contrasts[0].interval.note, "");
  }
}

// Pivots of m rows are of m rows in both parts, so studentized limits need no rescaling: those of
// m out of n are near those of n.
TEST(Rescale, LeavesStudentizedDifferencesAsTheyAre) {
  Samples samples;
  samples.add("A", normals(400, 5));
  samples.add("B", normals(300, 6, 0.3));
  const auto width = [&](std::uint64_t size, double rescale) {
    const Interval found = compare(samples.values, samples.labels(), statistic::mean(),
                                   {.control = "A",
                                    .interval = interval::Method::studentized,
                                    .rescale = rescale,
                                    .scheme = scheme::Iid{.size = size}})
                               .contrasts[0]
                               .interval;
    return found.high - found.low;
  };
  EXPECT_NEAR(width(100, 0.5), width(0, 0.5), 0.06 * width(0, 0.5));
}

TEST(SharedClusters, MayHaveLabelsOfAnyValue) {
  const Table table = days(30, 2);
  Table sparse = table;
  for (std::uint32_t& label : sparse.clusters) label = 4'294'967'295U - 100'000'000U * (29 - label);
  for (const bool mean : {true, false}) {
    const auto run = [&](const Table& of) {
      return compare(of.samples.values, of.samples.labels(),
                     mean ? statistic::mean() : statistic::median(),
                     {.control = "EWR",
                      .replicates = 300,
                      .scheme = scheme::Cluster{of.clusters},
                      .keep_replicates = true});
    };
    EXPECT_EQ(run(sparse).contrasts[0].replicates, run(table).contrasts[0].replicates);
  }
}

// In each cluster both groups have the same mean, but for a unit in the last place of numbers of
// 1e9, which is far above the rounding of their difference.
TEST(SharedClusters, DifferencesThatAreRoundingAreTies) {
  Table table;
  const std::vector<double> noise = normals(40, 9);
  for (std::uint32_t cluster = 0; cluster < 20; ++cluster) {
    const double x = noise[2 * cluster] / 7;
    const double y = noise[2 * cluster + 1] / 7;
    table.add("A", cluster, {1e9 + x, 1e9 + y});
    const double middle = std::nextafter(1e9 + (x + y) / 2, 2e9);
    table.add("B", cluster, {middle, middle});
  }
  for (const interval::Method method :
       {interval::Method::percentile, interval::Method::basic, interval::Method::bca}) {
    const Comparison found =
        compare(table.samples.values, table.samples.labels(), statistic::mean(),
                {.control = "A",
                 .interval = method,
                 .replicates = 1000,
                 .scheme = scheme::Cluster{table.clusters}});
    EXPECT_GT(found.contrasts[0].standard_error, 0);
    EXPECT_EQ(found.contrasts[0].p_value, 1) << interval::name(method);
  }
}

TEST(SharedClusters, CountInTheMemoryLimit) {
  Table table;
  for (std::uint32_t cluster = 0; cluster < 4000; ++cluster)
    for (std::uint32_t group = 0; group < 80; ++group)
      table.add("g" + std::to_string(group), cluster, {1.0 * (cluster % 7) + group});
  comparison::Options options{.replicates = 20, .scheme = scheme::Cluster{table.clusters}};
  options.memory = std::size_t{8} << 20;
  try {
    (void)compare(table.samples.values, table.samples.labels(), statistic::mean(), options);
    ADD_FAILURE() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("memory is 8.0 MiB but the sums of 4,000 clusters in 80 "
                                        "groups need at least 11 MiB in addition to the data"));
  }
}

// A permutation test does not depend on the limits, so it waits until these are known.
TEST(Permutation, IsMadeOnceWhateverTheRounds) {
  Table table;
  table.samples.add("A", normals(7, 1));
  table.samples.add("B", normals(7, 2, 0.4));
  std::atomic<std::uint64_t> calls = 0;
  const Statistic range = statistic::callable([&](const statistic::Resample& rows) {
    ++calls;
    return std::ranges::max(rows.column(0)) - std::ranges::min(rows.column(0));
  });
  comparison::Options options{.control = "A", .precision = 0.03};
  const auto count = [&](comparison::Test test) {
    options.test = test;
    calls = 0;
    const Comparison found = compare(table.samples.values, table.samples.labels(), range, options);
    EXPECT_GT(found.rounds.size(), 1U);
    return calls.load();
  };
  const std::uint64_t without = count(comparison::Test::bootstrap);
  const std::uint64_t with = count(comparison::Test::permutation);
  EXPECT_GE(with - without, 2 * 3432U);  // both groups of all relabellings
  EXPECT_LT(with - without, 3 * 3432U);
}

// Random relabellings: within the Monte Carlo error of the exact p, and the same on any threads.
TEST(Permutation, AtRandomIsNearTheExactOne) {
  Table table;
  table.samples.add("A", normals(30, 1));
  table.samples.add("B", normals(40, 2, 0.4));
  comparison::Options options{.control = "A", .replicates = 20'000, .seed = 5};
  options.test = comparison::Test::permutation;
  const auto run = [&](unsigned threads) {
    options.execution.threads = threads;
    return compare(table.samples.values, table.samples.labels(), statistic::mean(), options)
        .contrasts[0];
  };
  const Contrast found = run(1);
  EXPECT_EQ(found.permutations, 20'000U);
  EXPECT_GT(found.p_value_error, 0);
  EXPECT_EQ(run(3).p_value, found.p_value);
  // Over all relabellings the difference of means has mean 0 and a known variance, and is nearly
  // normal for so many rows.
  double mean = 0;
  double squares = 0;
  for (const double x : table.samples.values) mean += x / 70;
  for (const double x : table.samples.values) squares += (x - mean) * (x - mean);
  const double z = found.estimate / std::sqrt(squares / 69 * (1 / 30.0 + 1 / 40.0));
  const double p = std::erfc(std::abs(z) / std::sqrt(2));
  EXPECT_NEAR(found.p_value, p, 0.03 * p + 4 * found.p_value_error);
}

TEST(Permutation, IsRefusedWhereItHasNoMeaning) {
  Table table = small();
  const auto message = [&](const comparison::Options& options) {
    try {
      (void)permutation_p(table, options);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message({.scheme = scheme::Stratified{table.clusters}}),
              HasSubstr("test is 'permutation' but the scheme is 'stratified'"));
  EXPECT_THAT(message({.correction = Correction::simultaneous}), HasSubstr("use holm"));
}

}  // namespace shared_clusters_test
}  // namespace bootfold::comparison
