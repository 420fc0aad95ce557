// One clear message for each way in which groups cannot be compared, and a note where they can but
// a reader must know something.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bootfold/compare.h"
#include "bootfold/error.h"
#include "data/temp_file.h"
#include "samples.h"

namespace bootfold::comparison {
namespace misuse_test {

using testing_data::message_of;
using testing_data::says;

std::string refused(const Samples& samples, const Options& options = {},
                    const Statistic& statistic = statistic::mean()) {
  return message_of<InvalidArgument>(
      [&] { (void)compare(samples.values, samples.labels(), statistic, options); });
}

Samples three_groups() {
  Samples samples;
  samples.add("apple", {1, 2, 3, 5});
  samples.add("banana", {2, 3, 4, 7});
  samples.add("cherry", {3, 4, 5, 9});
  return samples;
}

TEST(Misuse, AControlThatIsNotThere) {
  EXPECT_TRUE(says(refused(three_groups(), {.control = "bannana"}), "control is 'bannana'",
                   "did you mean 'banana'?", "'apple', 'banana', 'cherry'"));
  EXPECT_TRUE(says(refused(three_groups(), {.control = "xyzzy"}), "control is 'xyzzy'",
                   "there are 'apple', 'banana', 'cherry'"));
  EXPECT_TRUE(
      says(refused(three_groups(), {.groups = {"chery"}}), "groups is 'chery'", "'cherry'"));
}

TEST(Misuse, ALongListIsCut) {
  Samples samples;
  for (int i = 0; i < 50; ++i) samples.add("g" + std::to_string(100 + i), {1, 2});
  EXPECT_TRUE(says(refused(samples, {.control = "nothing"}), "'g119' and 30 more"));
}

TEST(Misuse, TheColumnIsNamed) {
  const Samples samples = three_groups();
  data::Labels labels = samples.labels();
  labels.column = "fruit";
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                     (void)compare(samples.values, labels, statistic::mean(), {.control = "x"});
                   }),
                   "column 'fruit'"));
}

TEST(Misuse, OneGroup) {
  Samples samples;
  samples.add("only", {1, 2, 3});
  EXPECT_TRUE(says(refused(samples), "only one group, 'only'", "at least two"));
  EXPECT_TRUE(says(refused(three_groups(), {.control = "apple", .groups = {"apple"}}),
                   "only one group, 'apple'"));
}

TEST(Misuse, AGroupOfOneRow) {
  Samples samples = three_groups();
  samples.add("date", {1});
  EXPECT_TRUE(says(refused(samples), "group 'date' has 1 row", "at least 2", "groups=NAME"));
  EXPECT_EQ(compare(samples.values, samples.labels(), statistic::mean(),
                    {.groups = {"banana", "cherry"}, .replicates = 10})
                .contrasts.size(),
            2U);
}

TEST(Misuse, TooManyGroups) {
  Samples samples;
  for (int i = 0; i < 1001; ++i) samples.add("user" + std::to_string(i), {1, 2});
  EXPECT_TRUE(says(refused(samples), "1,001 groups", "at most 1,000", "groups=NAME"));
  samples.values.resize(2000);
  samples.groups.resize(2000);
  EXPECT_EQ(compare(samples.values, samples.labels(), statistic::mean(), {.replicates = 3})
                .contrasts.size(),
            999U);
}

TEST(Misuse, ReplicatesBeyondTheMemory) {
  EXPECT_TRUE(says(refused(three_groups(), {.replicates = 1'000'000'000'000}),
                   "replicates is 1,000,000,000,000", "3 groups", "this process may use"));
}

TEST(Misuse, OptionsOutOfRange) {
  EXPECT_TRUE(says(refused(three_groups(), {.confidence = 1}), "confidence is 1"));
  EXPECT_TRUE(says(refused(three_groups(), {.confidence = std::nan("")}), "confidence is nan"));
  EXPECT_TRUE(says(refused(three_groups(), {.replicates = 1}), "replicates is 1", "at least 2"));
  EXPECT_TRUE(says(refused(three_groups(), {.memory = 1000}), "memory is"));
}

// The scheme of pairs is not the caller's word.
TEST(Misuse, StudentizedIntervalsOfPairs) {
  Samples samples;
  samples.add("A", {1, 2, 4});
  samples.add("B", {2, 3, 7});
  const std::vector<std::uint32_t> pairs = {0, 1, 2, 0, 1, 2};
  const std::string message = refused(samples, {.interval = interval::Method::studentized,
                                                .scheme = scheme::Cluster{pairs},
                                                .paired = true});
  EXPECT_TRUE(says(message, "interval is 'studentized' but pairs are drawn", "use bca"));
  EXPECT_FALSE(says(message, "scheme"));
}

TEST(Misuse, ClustersThatDoNotFit) {
  const std::vector<std::uint32_t> codes(5);
  EXPECT_TRUE(says(refused(three_groups(), {.scheme = scheme::Cluster{codes}}), "scheme 'cluster'",
                   "has 5", "12 rows"));
}

TEST(Misuse, LabelsThatDoNotFit) {
  const Samples samples = three_groups();
  data::Labels labels = samples.labels();
  labels.codes.pop_back();
  const auto message = [&] {
    return message_of<InvalidArgument>(
        [&] { (void)compare(samples.values, labels, statistic::mean()); });
  };
  EXPECT_TRUE(says(message(), "11 labels for 12 rows"));
  labels.codes.push_back(9);
  EXPECT_TRUE(says(message(), "code 9", "3 names"));
  EXPECT_TRUE(says(message_of<InvalidArgument>(
                       [&] { (void)compare(DataView(), data::Labels{}, statistic::mean()); }),
                   "no rows"));
}

TEST(Misuse, StatisticsOfSeveralValues) {
  const Samples samples = three_groups();
  const DataView two({ColumnView(samples.values), ColumnView(samples.values)});
  const auto message = [&](const Statistic& statistic) {
    return message_of<InvalidArgument>([&] { (void)compare(two, samples.labels(), statistic); });
  };
  EXPECT_TRUE(
      says(message(statistic::mean()), "'mean' gives 2 values on 2 columns", "choose one column"));
  EXPECT_TRUE(says(message(statistic::regression()), "'regression' gives 2 values"));
  EXPECT_TRUE(says(refused(samples, {}, statistic::ratio()), "'ratio' needs exactly 2 columns"));
}

TEST(Misuse, AStatisticThatAGroupDoesNotHave) {
  Samples samples = three_groups();
  samples.add("flat", {2, 2, 2});
  EXPECT_TRUE(says(refused(samples, {.replicates = 100}, statistic::skewness()),
                   "skewness of group 'flat' is undefined on its 3 rows", "groups=NAME"));
}

TEST(Misuse, RelativeDifferencesFromAZeroControl) {
  Samples samples;
  samples.add("a", {-1, 1});
  samples.add("b", {1, 2, 3});
  EXPECT_TRUE(says(refused(samples, {.difference = Difference::relative}), "control, 'a', is 0",
                   "difference=absolute"));
}

TEST(Misuse, ValuesThatAreNoNumbersNameTheGroup) {
  Samples samples = three_groups();
  samples.values[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(says(message_of<DataError>(
                       [&] { (void)compare(samples.values, samples.labels(), statistic::mean()); }),
                   "group 'banana', counting its own rows", "row 2"));
}

TEST(Misuse, ChoicesByName) {
  EXPECT_EQ(parse_difference("relative"), Difference::relative);
  EXPECT_EQ(parse_correction("simultaneous"), Correction::simultaneous);
  EXPECT_TRUE(says(message_of<InvalidArgument>([] { (void)parse_correction("bonferoni"); }),
                   "correction is 'bonferoni'", "none, bonferroni, holm, simultaneous",
                   "did you mean 'bonferroni'?"));
  EXPECT_TRUE(says(refused(three_groups(), {.interval = interval::Method::abc}), "interval is abc",
                   "percentile, basic, normal, bca or studentized"));
  EXPECT_TRUE(says(message_of<InvalidArgument>([] { (void)parse_difference("abs"); }),
                   "difference is 'abs'", "absolute, relative"));
}

const Note* note(const Contrast& contrast, const std::string& name) {
  for (const Note& each : contrast.notes)
    if (each.name == name) return &each;
  return nullptr;
}

// Replicates in which the control's mean is 0 have no lift: they are counted, left out and told.
TEST(Notes, ReplicatesWithoutADifferenceAreCounted) {
  Samples samples;
  samples.add("a", {-1, 1, 3});
  samples.add("b", {1, 2, 3, 4});
  const Options options{
      .difference = Difference::relative, .replicates = 2000, .keep_replicates = true};
  const Contrast contrast =
      compare(samples.values, samples.labels(), statistic::mean(), options).contrasts[0];
  // Sums of three draws from {-1, 1, 3} are odd and never 0: nothing undefined, but signs change.
  EXPECT_EQ(contrast.undefined, 0U);
  ASSERT_NE(note(contrast, "control_near_zero"), nullptr);
  EXPECT_TRUE(says(note(contrast, "control_near_zero")->text, "change sign", "absolute"));

  Samples even;
  even.add("a", {-1, 1, 1, 3});
  even.add("b", {1, 2, 3, 4});
  const Contrast gaps =
      compare(even.values, even.labels(), statistic::mean(), options).contrasts[0];
  std::uint64_t undefined = 0;
  for (const double value : gaps.replicates) undefined += std::isnan(value) ? 1U : 0U;
  EXPECT_GT(undefined, 20U);
  EXPECT_EQ(gaps.undefined, undefined);
  ASSERT_NE(note(gaps, "undefined_replicates"), nullptr);
  EXPECT_TRUE(says(note(gaps, "undefined_replicates")->text,
                   "undefined on " + std::to_string(undefined) + " of 2,000", "omitted"));
  EXPECT_TRUE(std::isfinite(gaps.standard_error));
  EXPECT_TRUE(std::isfinite(gaps.interval.low));
  EXPECT_TRUE(std::isfinite(gaps.p_value));
}

TEST(Notes, ConstantGroupsShowNoVariation) {
  Samples samples;
  samples.add("a", {1, 1, 1});
  samples.add("b", {2, 2});
  for (const interval::Method method :
       {interval::Method::percentile, interval::Method::basic, interval::Method::normal})
    for (const Correction correction :
         {Correction::none, Correction::holm, Correction::simultaneous}) {
      const Contrast contrast =
          compare(samples.values, samples.labels(), statistic::mean(),
                  {.interval = method, .correction = correction, .replicates = 999})
              .contrasts[0];
      EXPECT_EQ(contrast.estimate, 1);
      EXPECT_EQ(contrast.standard_error, 0);
      EXPECT_EQ(contrast.interval.low, 1);
      EXPECT_EQ(contrast.adjusted_interval.high, 1);
      EXPECT_DOUBLE_EQ(contrast.adjusted_p_value, 0.2);  // 2 / (5 over 2)
      EXPECT_NE(note(contrast, "no_variation"), nullptr);
    }
}

TEST(Notes, AMethodThatCannotServeSaysWhatWasTaken) {
  Samples samples;
  samples.add("a", {1, 1, 1});
  samples.add("b", {2, 2});
  for (const interval::Method method : {interval::Method::bca, interval::Method::studentized}) {
    const Contrast contrast = compare(samples.values, samples.labels(), statistic::mean(),
                                      {.interval = method, .replicates = 999})
                                  .contrasts[0];
    ASSERT_NE(note(contrast, "fell_back"), nullptr);
    EXPECT_TRUE(says(note(contrast, "fell_back")->text, "percentile instead of"));
    EXPECT_EQ(contrast.interval.low, 1);
    EXPECT_DOUBLE_EQ(contrast.p_value, 0.2);  // 2 / (5 over 2)
  }
}

TEST(Notes, LimitsBeyondTheReplicatesAreNamed) {
  const Samples samples = mice();
  const auto contrast = [&](const Options& options) {
    return compare(samples.values, samples.labels(), statistic::mean(), options).contrasts[0];
  };
  const Contrast few = contrast({.confidence = 0.999, .replicates = 1000});
  ASSERT_NE(note(few, "few_replicates"), nullptr);
  EXPECT_TRUE(says(note(few, "few_replicates")->text, "at least 2,00"));
  EXPECT_EQ(note(contrast({.confidence = 0.99, .replicates = 1000}), "few_replicates"), nullptr);
  EXPECT_EQ(
      note(
          contrast({.interval = interval::Method::normal, .confidence = 0.999, .replicates = 1000}),
          "few_replicates"),
      nullptr);
  const Contrast joint =
      contrast({.correction = Correction::simultaneous, .confidence = 0.9999, .replicates = 1000});
  ASSERT_NE(note(joint, "few_replicates"), nullptr);
}

}  // namespace misuse_test
}  // namespace bootfold::comparison
