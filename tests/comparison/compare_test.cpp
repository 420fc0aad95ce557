// Published numbers, and what must not change a comparison.
#include "bootfold/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "bootfold/error.h"
#include "samples.h"

namespace bootfold::comparison {
namespace compare_test {

// All numbers of a contrast, to be compared bit by bit.
std::vector<double> numbers(const Contrast& c) {
  std::vector<double> all = {c.estimate,
                             c.standard_error,
                             c.bias,
                             c.interval.low,
                             c.interval.high,
                             c.adjusted_interval.low,
                             c.p_value,
                             c.adjusted_interval.high,
                             c.adjusted_p_value,
                             c.standard_error_error,
                             c.interval.low_error,
                             c.adjusted_p_value_error};
  all.insert(all.end(), c.replicates.begin(), c.replicates.end());
  return all;
}

void expect_same(const Comparison& a, const Comparison& b) {
  ASSERT_EQ(a.contrasts.size(), b.contrasts.size());
  EXPECT_EQ(a.control, b.control);
  for (std::size_t i = 0; i < a.contrasts.size(); ++i) {
    SCOPED_TRACE(a.contrasts[i].group);
    EXPECT_EQ(a.contrasts[i].group, b.contrasts[i].group);
    EXPECT_EQ(numbers(a.contrasts[i]), numbers(b.contrasts[i]));
  }
  for (std::size_t i = 0; i < a.groups.size(); ++i) {
    EXPECT_EQ(a.groups[i].name, b.groups[i].name);
    EXPECT_EQ(a.groups[i].estimate, b.groups[i].estimate);
    EXPECT_EQ(a.groups[i].standard_error, b.groups[i].standard_error);
  }
}

// Efron and Tibshirani: 86.86 - 56.22 = 30.63; the standard errors of both means are exact
// (TRUTH: 23.3635234373, 13.3303494604), so that of the difference is 26.8989... A standard error
// from a million replicates is off by more than 5 of its own errors once in 1.7 million.
TEST(Compare, MiceDifferByThirtyDays) {
  const Samples samples = mice();
  const Comparison found = compare(samples.values, samples.labels(), statistic::mean(),
                                   {.replicates = 1'000'000, .seed = 7});
  EXPECT_EQ(found.statistic, "mean");
  EXPECT_EQ(found.control, "control");
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(found.groups[0].rows, 9U);
  EXPECT_NEAR(found.groups[0].estimate, 56.222222222222, 1e-9);
  EXPECT_NEAR(found.groups[1].estimate, 86.857142857143, 1e-9);
  ASSERT_EQ(found.contrasts.size(), 1U);
  const Contrast& contrast = found.contrasts[0];
  EXPECT_EQ(contrast.group, "treatment");
  EXPECT_NEAR(contrast.estimate, 30.634920634921, 1e-9);
  const double exact = std::hypot(23.3635234373, 13.3303494604);
  EXPECT_NEAR(contrast.standard_error, exact, 5 * contrast.standard_error_error);
  EXPECT_NEAR(contrast.standard_error_error, exact / std::sqrt(2e6), 0.1 * exact / std::sqrt(2e6));
  EXPECT_LT(contrast.interval.low, 0);
  EXPECT_GT(contrast.interval.high, 80);
  EXPECT_EQ(contrast.undefined, 0U);
  ASSERT_EQ(contrast.notes.size(), 1U);
  EXPECT_EQ(contrast.notes[0].name, "few_rows");
}

// The medians: standard errors 37.8346743939 and 12.8608629, exact.
TEST(Compare, MiceByTheirMedians) {
  const Samples samples = mice();
  const Contrast contrast = compare(samples.values, samples.labels(), statistic::median(),
                                    {.replicates = 200'000, .seed = 7})
                                .contrasts[0];
  EXPECT_EQ(contrast.estimate, 94 - 46);
  EXPECT_NEAR(contrast.standard_error, std::hypot(37.8346743939, 12.8608629),
              5 * contrast.standard_error_error);
}

// What it says it does: a plain bootstrap of each group with the seed that belongs to its name,
// then a difference in each replicate. To the bit, on all kinds of paths.
TEST(Compare, EqualsPlainBootstrapsWithTheSeedsOfTheGroups) {
  const Samples samples = mixed(3000, 1);
  for (const Statistic& statistic :
       {statistic::mean(), statistic::quantile(0.9), statistic::variance(),
        statistic::proportion(10), statistic::trimmed_mean(0.1)}) {
    SCOPED_TRACE(statistic.name());
    const Comparison found =
        compare(samples.values, samples.labels(), statistic,
                {.control = "B", .replicates = 500, .seed = 7, .keep_replicates = true});
    ASSERT_EQ(found.contrasts.size(), 3U);
    const auto alone = [&](const std::string& group) {
      return bootstrap(values_of(samples, group), statistic,
                       {.replicates = 500, .seed = group_seed(7, group)});
    };
    const Result control = alone("B");
    EXPECT_EQ(found.groups[0].standard_error, control.standard_error());
    for (const Contrast& contrast : found.contrasts) {
      SCOPED_TRACE(contrast.group);
      const Result group = alone(contrast.group);
      EXPECT_EQ(contrast.estimate, group.estimate() - control.estimate());
      ASSERT_EQ(contrast.replicates.size(), 500U);
      for (std::size_t i = 0; i < 500; ++i)
        ASSERT_EQ(contrast.replicates[i], group.replicate(i) - control.replicate(i)) << i;
    }
  }
}

// The same with clusters, strata and weights: each group has its own part of them.
TEST(Compare, EqualsPlainBootstrapsUnderEveryScheme) {
  const Samples samples = mixed(600, 12);
  std::vector<std::uint32_t> codes;
  std::vector<double> weights;
  for (std::uint32_t i = 0; i < 600; ++i) {
    codes.push_back(i * 31 % 17 * 4 + static_cast<std::uint32_t>(samples.groups[i][0] - 'A'));
    weights.push_back(1 + i % 3);
  }
  const std::vector<Scheme> schemes = {scheme::Cluster{codes}, scheme::Stratified{codes},
                                       scheme::Unequal{weights}, scheme::Bayesian{},
                                       scheme::StationaryBlocks{5}};
  for (const Scheme& scheme : schemes) {
    SCOPED_TRACE(bootfold::name(scheme));
    const Comparison found =
        compare(samples.values, samples.labels(), statistic::mean(),
                {.replicates = 200, .seed = 7, .scheme = scheme, .keep_replicates = true});
    const auto alone = [&](const std::string& group) {
      std::vector<std::uint32_t> own_codes;
      std::vector<double> own_weights;
      for (std::size_t i = 0; i < 600; ++i)
        if (samples.groups[i] == group) {
          own_codes.push_back(codes[i]);
          own_weights.push_back(weights[i]);
        }
      Scheme own = scheme;
      if (auto* cluster = std::get_if<scheme::Cluster>(&own)) cluster->clusters = own_codes;
      if (auto* strata = std::get_if<scheme::Stratified>(&own)) strata->strata = own_codes;
      if (auto* weighted = std::get_if<scheme::Unequal>(&own))
        weighted->probabilities = own_weights;
      return bootstrap(values_of(samples, group), statistic::mean(),
                       {.replicates = 200, .seed = group_seed(7, group), .scheme = own});
    };
    const Result control = alone("A");
    const Result group = alone("D");
    for (std::size_t i = 0; i < 200; ++i)
      ASSERT_EQ(found.contrasts[2].replicates[i], group.replicate(i) - control.replicate(i)) << i;
  }
}

TEST(Compare, ThreadsAndInstructionSetsChangeNoBit) {
  const Samples samples = mixed(20'000, 2);
  Options options{.correction = Correction::simultaneous,
                  .replicates = 300,
                  .seed = 3,
                  .keep_replicates = true,
                  .execution = {.threads = 1}};
  const data::Labels labels = samples.labels();
  const Comparison one = compare(samples.values, labels, statistic::mean(), options);
  for (const unsigned threads : {2U, 7U}) {
    options.execution.threads = threads;
    expect_same(one, compare(samples.values, labels, statistic::mean(), options));
  }
  for (const execution::Level level : execution::available_levels()) {
    options.execution.level = level;
    expect_same(one, compare(samples.values, labels, statistic::mean(), options));
  }
}

// Rows keep their order within a group; how the groups lie among each other does not matter, nor
// whether they had to be copied or the codes are numbered otherwise.
TEST(Compare, TheOrderOfTheGroupsChangesNoBit) {
  const Samples samples = mixed(2000, 4);
  const Options options{
      .control = "C", .correction = Correction::holm, .replicates = 300, .keep_replicates = true};
  const Comparison found = compare(samples.values, samples.labels(), statistic::mean(), options);
  for (const std::vector<std::string>& order :
       {std::vector<std::string>{"A", "B", "C", "D"}, {"D", "B", "A", "C"}}) {
    Samples sorted;
    for (const std::string& group : order) sorted.add(group, values_of(samples, group));
    expect_same(found, compare(sorted.values, sorted.labels(), statistic::mean(), options));
  }
  data::Labels reversed = samples.labels();
  std::reverse(reversed.names.begin(), reversed.names.end());
  for (std::uint32_t& code : reversed.codes) code = 3 - code;
  const Comparison other = compare(samples.values, reversed, statistic::mean(), options);
  ASSERT_EQ(other.contrasts.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(numbers(other.contrasts[i]), numbers(found.contrasts[2 - i]));
}

TEST(Compare, OtherGroupsChangeNothingWithoutACorrection) {
  const Samples samples = mixed(2000, 5);
  const data::Labels labels = samples.labels();
  const Options all{.control = "A", .replicates = 300, .keep_replicates = true};
  Options some = all;
  some.groups = {"D"};
  const Comparison one = compare(samples.values, labels, statistic::mean(), some);
  ASSERT_EQ(one.contrasts.size(), 1U);
  EXPECT_EQ(one.contrasts[0].group, "D");
  const Comparison found = compare(samples.values, labels, statistic::mean(), all);
  EXPECT_EQ(numbers(one.contrasts[0]), numbers(found.contrasts[2]));
  some.groups = {"D", "A", "D"};  // the control is there anyway
  EXPECT_EQ(compare(samples.values, labels, statistic::mean(), some).contrasts.size(), 1U);
}

TEST(Compare, EveryTypeOfColumnGivesTheSame) {
  Samples samples = mixed(1000, 6);
  for (double& value : samples.values) value = std::round(8 * value);  // fits one byte
  const Options options{.replicates = 200, .keep_replicates = true};
  const data::Labels labels = samples.labels();
  const Comparison found = compare(samples.values, labels, statistic::mean(), options);
  const std::vector<float> floats(samples.values.begin(), samples.values.end());
  expect_same(found, compare(floats, labels, statistic::mean(), options));
  const std::vector<std::int64_t> integers(samples.values.begin(), samples.values.end());
  const std::vector<std::uint8_t> bytes(samples.values.begin(), samples.values.end());
  expect_same(found, compare(ColumnView(integers.data(), data::Type::int64, 1000, 8), labels,
                             statistic::mean(), options));
  expect_same(found, compare(ColumnView(bytes.data(), data::Type::uint8, 1000, 1), labels,
                             statistic::mean(), options));
}

TEST(Compare, StatisticsOfTwoColumnsCompareToo) {
  const Samples x = mixed(900, 7);
  const Samples y = mixed(900, 8);
  const DataView both({ColumnView(x.values), ColumnView(y.values)}, {"clicks", "visits"});
  const Comparison found =
      compare(both, x.labels(), statistic::ratio(), {.control = "A", .replicates = 200});
  EXPECT_EQ(found.statistic, "ratio(clicks, visits)");
  const auto mean = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  const auto ratio = [&](const std::string& group) {
    return mean(values_of(x, group)) / mean(values_of({y.values, x.groups}, group));
  };
  EXPECT_NEAR(found.contrasts[1].estimate, ratio("C") - ratio("A"), 1e-12);
}

TEST(Compare, TheControlIsNamedGuessedOrFirst) {
  Samples samples;
  samples.add("blue", {1, 2, 3});
  samples.add("Control", {1, 2, 4});
  samples.add("zebra", {1, 2, 5});
  const auto control = [&](const Options& options) {
    const Comparison found = compare(samples.values, samples.labels(), statistic::mean(), options);
    EXPECT_EQ(found.groups[0].name, found.control);
    return found.control;
  };
  EXPECT_EQ(control({.replicates = 10}), "Control");
  EXPECT_EQ(control({.control = "zebra", .replicates = 10}), "zebra");
  samples.groups[3] = samples.groups[4] = samples.groups[5] = "controls";
  EXPECT_EQ(control({.replicates = 10}), "blue");
}

TEST(Compare, ALiftIsRelativeToTheSizeOfTheControl) {
  const Samples samples = mixed(2000, 9);
  const data::Labels labels = samples.labels();
  Options options{.replicates = 300, .keep_replicates = true};
  const Comparison plain = compare(samples.values, labels, statistic::mean(), options);
  options.difference = Difference::relative;
  const Comparison lift = compare(samples.values, labels, statistic::mean(), options);
  const double control = lift.groups[0].estimate;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(lift.contrasts[i].estimate, lift.groups[i + 1].estimate / control - 1, 1e-15);
    EXPECT_EQ(lift.contrasts[i].p_value, plain.contrasts[i].p_value);  // 0 stays 0
  }
  // Below zero, more is still more.
  std::vector<double> negative = samples.values;
  for (double& value : negative) value -= 100;
  const Comparison below = compare(negative, labels, statistic::mean(), options);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(below.contrasts[i].estimate > 0, plain.contrasts[i].estimate > 0);
    EXPECT_NEAR(below.contrasts[i].estimate, plain.contrasts[i].estimate / 90, 2e-3);
  }
}

TEST(Compare, ProgressRunsOnOverAllGroups) {
  const Samples samples = mixed(4000, 10);
  std::vector<execution::Progress> told;
  const Options options{.replicates = 100, .execution = {.progress = [&](execution::Progress p) {
                                             told.push_back(p);
                                           }}};
  (void)compare(samples.values, samples.labels(), statistic::mean(), options);
  ASSERT_GE(told.size(), 4U);
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].total, 400'000);
    if (i > 0) {
      EXPECT_GE(told[i].done, told[i - 1].done);
    }
  }
  EXPECT_EQ(told.back().done, told.back().total);
}

TEST(Compare, CanBeCancelled) {
  const Samples samples = mixed(4000, 11);
  std::stop_source source;
  Options options{.replicates = 2'000'000};
  options.execution.stop = source.get_token();
  options.execution.progress = [&](execution::Progress) { source.request_stop(); };
  EXPECT_THROW((void)compare(samples.values, samples.labels(), statistic::mean(), options),
               Cancelled);
}

// Known answers, made from docs/random-streams.md with the Philox of tests/random/make_vectors.py.
TEST(GroupSeed, IsPinned) {
  EXPECT_EQ(group_seed(0, ""), 2479816705906017379U);
  EXPECT_EQ(group_seed(7, "A"), 18266791720711376050U);
  EXPECT_EQ(group_seed(7, "treatment"), 7037287675370695783U);
  EXPECT_EQ(group_seed(~std::uint64_t{0}, "sixteen letters!"), 6862453593729397968U);
}

TEST(GroupSeed, DiffersWithSeedAndName) {
  EXPECT_NE(group_seed(1, "A"), group_seed(2, "A"));
  EXPECT_NE(group_seed(1, "A"), group_seed(1, "B"));
  EXPECT_NE(group_seed(1, ""), group_seed(1, std::string(1, '\0')));
  EXPECT_NE(group_seed(1, "12345678"), group_seed(1, std::string("12345678") + '\0'));
}

// A precision finds the number of replicates; the numbers are those of a run of that length.
TEST(Compare, AddsReplicatesUntilThePrecisionIsReached) {
  const Samples samples = mice();
  Options options{.precision = 0.05};
  const Comparison found = compare(samples.values, samples.labels(), statistic::mean(), options);
  ASSERT_FALSE(found.rounds.empty());
  EXPECT_EQ(found.rounds.back(), found.replicates);
  EXPECT_GE(found.replicates, 1000U);
  EXPECT_LE(found.precision, 0.05);
  const Contrast& contrast = found.contrasts[0];
  EXPECT_DOUBLE_EQ(found.precision,
                   std::max(contrast.interval.low_error, contrast.interval.high_error) /
                       contrast.standard_error);
  const Comparison again = compare(samples.values, samples.labels(), statistic::mean(),
                                   {.replicates = found.replicates});
  expect_same(found, again);
  options.precision = 1.5;
  EXPECT_THROW(
      static_cast<void>(compare(samples.values, samples.labels(), statistic::mean(), options)),
      InvalidArgument);
}

// One-sided at confidence 1 - a is the limit of two-sided at 1 - 2 a.
TEST(Compare, OneSidedLimitsAreThoseOfTwoSidedOnesAtTwiceTheError) {
  const Samples samples = mixed(400, 3);
  const auto run = [&](double confidence, interval::Alternative alternative) {
    return compare(samples.values, samples.labels(), statistic::mean(),
                   {.correction = Correction::holm,
                    .confidence = confidence,
                    .alternative = alternative,
                    .replicates = 2000});
  };
  const Comparison both = run(0.9, interval::Alternative::two_sided);
  const Comparison less = run(0.95, interval::Alternative::less);
  const Comparison greater = run(0.95, interval::Alternative::greater);
  for (std::size_t i = 0; i < both.contrasts.size(); ++i) {
    EXPECT_NEAR(less.contrasts[i].interval.high, both.contrasts[i].interval.high, 1e-12);
    EXPECT_NEAR(greater.contrasts[i].interval.low, both.contrasts[i].interval.low, 1e-12);
    EXPECT_EQ(less.contrasts[i].interval.low, -std::numeric_limits<double>::infinity());
    EXPECT_NEAR(less.contrasts[i].adjusted_interval.high, both.contrasts[i].adjusted_interval.high,
                1e-12);
    const double smaller = std::min(less.contrasts[i].p_value, greater.contrasts[i].p_value);
    EXPECT_DOUBLE_EQ(both.contrasts[i].p_value, std::min(1.0, 2 * smaller));
  }
}

}  // namespace compare_test
}  // namespace bootfold::comparison
