// A comparison from replicates that were made elsewhere.
#include "bootfold/contrasts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/shards.h"
#include "samples.h"

namespace bootfold::comparison {
namespace contrasts_test {

/// What a table of the comparison shows.
std::vector<std::string> shown(const Comparison& found) {
  std::vector<std::string> all;
  const auto add = [&](double value) { all.push_back(testing::PrintToString(value)); };
  for (std::size_t i = 0; i < found.contrasts.size(); ++i) {
    const Contrast& c = found.contrasts[i];
    const Group& group = found.groups[i + 1];
    all.push_back(c.group);
    add(static_cast<double>(group.rows));
    add(static_cast<double>(group.seed == group_seed(found.seed, group.name)));
    for (const double value :
         {group.estimate, c.estimate, c.standard_error, c.standard_error_error, c.bias,
          c.interval.low, c.interval.high, c.p_value, c.p_value_error, c.adjusted_interval.low,
          c.adjusted_interval.high, c.adjusted_interval.low_error, c.adjusted_p_value,
          c.adjusted_p_value_error})
      add(value);
    for (const Note& note : c.notes) all.push_back(note.text);
  }
  return all;
}

/// The replicates of a group whose rows lie in two places.
Sample sample(const Samples& samples, const std::string& name, const Statistic& statistic,
              const Options& options) {
  const std::vector<double> values = values_of(samples, name);
  const std::vector<double> left(values.begin(), values.begin() + 3);
  const std::vector<double> right(values.begin() + 3, values.end());
  const shards::Plan plan(
      shards::join({shards::look(left, statistic), shards::look(right, statistic)}), statistic,
      {.replicates = options.replicates, .seed = group_seed(options.seed, name)});
  return {name, plan.finish(plan.part(left, 0) + plan.part(right, 3))};
}

Comparison from_shards(const Samples& samples, const Statistic& statistic, const Options& options) {
  const data::Labels labels = samples.labels();
  const std::vector<std::uint64_t> rows = labels.counts();
  const std::vector<std::uint32_t> chosen = choose_groups(labels, rows, statistic, 1, options);
  Contrasts contrasts(sample(samples, labels.names[chosen[0]], statistic, options),
                      chosen.size() - 1, options);
  for (std::size_t i = 1; i < chosen.size(); ++i)
    contrasts.add(sample(samples, labels.names[chosen[i]], statistic, options));
  return contrasts.finish();
}

TEST(Contrasts, OfShardsAreThoseOfAllRows) {
  for (const std::size_t rows : {60U, 40'000U}) {
    const Samples samples = mixed(rows, 3);
    for (const Correction correction :
         {Correction::none, Correction::bonferroni, Correction::holm, Correction::simultaneous})
      for (const auto alternative :
           {interval::Alternative::two_sided, interval::Alternative::greater}) {
        SCOPED_TRACE(testing::Message() << rows << " rows, " << name(correction));
        const Options options{.control = "C",
                              .groups = {"A", "D"},
                              .difference = Difference::relative,
                              .interval = interval::Method::basic,
                              .correction = correction,
                              .alternative = alternative,
                              .replicates = 300,
                              .seed = 11};
        const Comparison found = from_shards(samples, statistic::mean(), options);
        EXPECT_EQ(found.groups.size(), 3U);
        EXPECT_EQ(shown(found),
                  shown(compare(samples.values, samples.labels(), statistic::mean(), options)));
      }
  }
}

TEST(Contrasts, NotesOfFewRowsAreThoseOfAllRows) {
  Samples samples;
  samples.add("control", {1, 2, 3, -7});
  samples.add("b", {11, 12, 13, 14});
  const Options options{.difference = Difference::relative, .replicates = 200};
  const Comparison found = from_shards(samples, statistic::mean(), options);
  ASSERT_FALSE(found.contrasts[0].notes.empty());
  EXPECT_EQ(shown(found),
            shown(compare(samples.values, samples.labels(), statistic::mean(), options)));
}

TEST(Contrasts, RefuseWhatIsNotOneComparison) {
  const Samples samples = mixed(60, 3);
  const Options options{.replicates = 100};
  const Sample a = sample(samples, "A", statistic::mean(), options);
  Contrasts contrasts(a, 2, options);
  contrasts.add(sample(samples, "B", statistic::mean(), options));
  EXPECT_THROW((void)contrasts.finish(), InvalidArgument);  // one group is missing
  EXPECT_THROW(contrasts.add(sample(samples, "C", statistic::mean(), {.replicates = 50})),
               InvalidArgument);
  EXPECT_THROW(Contrasts(a, 1, {.confidence = 2, .replicates = 100}), InvalidArgument);
}

}  // namespace contrasts_test
}  // namespace bootfold::comparison
