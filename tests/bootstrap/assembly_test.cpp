// Statistics of different kinds in one call: each has the replicates that it has alone, unless the
// same resamples are asked for or a formula needs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "bootfold/influence.h"
#include "bootfold/interval.h"
#include "numeric/quantile.h"
#include "statistic/reference.h"
#include "temp_folder.h"

namespace bootfold {
namespace assembly_test {

using testing::ElementsAre;
using testing::HasSubstr;

struct Table {
  explicit Table(std::size_t rows)
      : a(reference::normals(rows, 1)), b(reference::normals(rows, 2)) {
    for (double& value : b) value = std::exp(value / 2) + 0.1;
    for (std::size_t i = 0; i < rows; ++i) labels.push_back(static_cast<std::uint32_t>(i % 7));
  }
  [[nodiscard]] DataView view() const { return {{ColumnView(a), ColumnView(b)}, {"a", "b"}}; }

  std::vector<double> a;
  std::vector<double> b;
  std::vector<std::uint32_t> labels;
};

std::vector<double> values_of(const Result& result, std::size_t output) {
  std::vector<double> values;
  for (std::uint64_t r = 0; r < result.count(); ++r) values.push_back(result.replicate(r, output));
  return values;
}

/// median(a) / mean(b), on rows that are drawn out.
Statistic ratio_by_hand() {
  return statistic::callable(
      [](const statistic::Resample& rows) {
        std::vector<double> a(rows.column(0).begin(), rows.column(0).end());
        const auto b = rows.column(1);
        const double mean =
            std::accumulate(b.begin(), b.end(), 0.0) / static_cast<double>(b.size());
        return numeric::select_quantile(a, 0.5) / mean;
      },
      "ratio", statistic::RowOrder::any);
}

Statistic ratio() { return statistic::expression("median(a) / mean(b)"); }

TEST(Assembly, EachKindHasTheReplicatesThatItHasAlone) {
  const Table table(3000);
  const std::vector<Statistic> all = {
      statistic::expression("median(a)"), statistic::expression("mean(a)"),
      statistic::expression("quantile(b, 0.9)"), statistic::expression("sd(b)"), ratio()};
  const Options options{.replicates = 200, .seed = 3};
  const Result together = bootstrap(table.view(), all, options);
  EXPECT_THAT(together.plan().outputs, ElementsAre("median(a)", "mean(a)", "quantile(b, 0.9)",
                                                   "sd(b)", "median(a) / mean(b)"));
  ASSERT_EQ(together.plan().runs.size(), 3U);
  EXPECT_EQ(together.plan().paths(), "order and stream");
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Result alone = bootstrap(table.view(), all[k], options);
    EXPECT_EQ(together.estimate(k), alone.estimate());
    EXPECT_EQ(values_of(together, k), values_of(alone, 0)) << all[k].name();
  }
}

TEST(Assembly, StatisticsOfEveryColumnAreSplitByColumn) {
  const Table table(2000);
  const Options options{.replicates = 100, .seed = 3};
  const Result both = bootstrap(table.view(), {statistic::mean(), statistic::median()}, options);
  EXPECT_THAT(both.plan().outputs, ElementsAre("mean(a)", "mean(b)", "median(a)", "median(b)"));
  EXPECT_EQ(both.plan().runs.size(), 3U);
  EXPECT_EQ(values_of(both, 3), values_of(bootstrap(table.b, statistic::median(), options), 0));
  EXPECT_EQ(values_of(both, 1), values_of(bootstrap(table.b, statistic::mean(), options), 0));
}

TEST(Assembly, JointStatisticsHaveTheSameResamples) {
  const Table table(3000);
  const std::vector<Statistic> all = {statistic::expression("median(a)"),
                                      statistic::expression("mean(b)")};
  const Result joint = bootstrap(table.view(), all, {.replicates = 100, .seed = 3, .joint = true});
  EXPECT_TRUE(joint.plan().runs.empty());
  const Result drawn = bootstrap(table.view(), ratio_by_hand(), {.replicates = 100, .seed = 3});
  for (std::uint64_t r = 0; r < 100; ++r)
    EXPECT_NEAR(joint.replicate(r, 0) / joint.replicate(r, 1), drawn.replicate(r), 1e-9);
  const Result split = bootstrap(table.view(), all, {.replicates = 100, .seed = 3});
  EXPECT_NE(values_of(split, 0), values_of(joint, 0));
  EXPECT_EQ(values_of(split, 1), values_of(joint, 1));
}

TEST(Assembly, FewDistinctValuesKeepTheirShortcutBesideATrimmedMean) {
  std::vector<double> x = reference::normals(20000, 5);
  for (double& value : x) value = value > 0.5 ? 1 : 0;
  const Result result = bootstrap(x, {statistic::mean(), statistic::trimmed_mean(0.2)},
                                  {.replicates = 50, .seed = 1});
  ASSERT_EQ(result.plan().runs.size(), 2U);
  EXPECT_EQ(result.plan().runs[0].path, Path::distinct);
}

TEST(Assembly, BlocksOfAutomaticLengthAreThoseOfAllColumns) {
  Table table(400);
  for (std::size_t i = 1; i < 400; ++i) table.b[i] = 0.9 * table.b[i - 1] + 0.1 * table.b[i];
  const std::vector<Statistic> all = {
      statistic::expression("mean(a)"), statistic::expression("median(b)"),
      statistic::callable([](const statistic::Resample& r) { return r.column(0)[0]; }, "first")};
  const Options options{.replicates = 20, .scheme = scheme::StationaryBlocks{}};
  const Result split = bootstrap(table.view(), all, options);
  Options joint = options;
  joint.joint = true;
  EXPECT_GT(split.plan().runs.size(), 1U);
  EXPECT_EQ(split.plan().scheme, bootstrap(table.view(), all, joint).plan().scheme);
}

TEST(Assembly, RunsHaveIntervalsOfEveryMethod) {
  const Table table(300);
  const std::vector<Statistic> all = {statistic::expression("mean(a)"),
                                      statistic::expression("median(b)"), ratio()};
  const Result result = bootstrap(table.view(), all,
                                  {.replicates = 400,
                                   .seed = 3,
                                   .influence = true,
                                   .standard_errors = true,
                                   .nested_replicates = 20});
  ASSERT_GT(result.plan().runs.size(), 1U);
  for (std::size_t k = 0; k < 3; ++k) {
    const Result alone = bootstrap(table.view(), all[k],
                                   {.replicates = 400,
                                    .seed = 3,
                                    .influence = true,
                                    .standard_errors = true,
                                    .nested_replicates = 20});
    for (const auto method : {interval::Method::percentile, interval::Method::bca,
                              interval::Method::studentized, interval::Method::normal}) {
      const auto both = interval::make(method, result, {.output = k});
      const auto one = interval::make(method, alone, {});
      EXPECT_EQ(both.low, one.low) << all[k].name() << " " << interval::name(method);
      EXPECT_EQ(both.high, one.high);
    }
  }
}

TEST(Assembly, IsStoredExtendedAndContinuedFromACheckpoint) {
  const TempFolder folder;
  const Table table(2000);
  const std::vector<Statistic> all = {statistic::expression("mean(a)"),
                                      statistic::expression("median(a)")};
  const Result whole = bootstrap(table.view(), all, {.replicates = 300, .seed = 3});
  Result first = bootstrap(table.view(), all, {.replicates = 100, .seed = 3});
  first.append(
      bootstrap(table.view(), all, {.replicates = 200, .seed = 3, .first_replicate = 100}));
  EXPECT_EQ(values_of(first, 0), values_of(whole, 0));
  EXPECT_EQ(values_of(first, 1), values_of(whole, 1));

  whole.save(folder.path("run.safetensors"));
  const Result loaded = Result::load(folder.path("run.safetensors"));
  ASSERT_EQ(loaded.plan().runs.size(), 2U);
  EXPECT_EQ(loaded.plan().explain(), whole.plan().explain());

  const std::string checkpoint = folder.path("run.checkpoint");
  (void)bootstrap(table.view(), all, {.replicates = 100, .seed = 3, .checkpoint = checkpoint});
  Options goes_on{.replicates = 300, .seed = 3, .checkpoint = checkpoint};
  std::vector<std::string> notes;
  goes_on.execution.note = [&](const execution::Note& note) { notes.push_back(note.text); };
  const Result resumed = bootstrap(table.view(), all, goes_on);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("holds 200 of 600 replicates (the goal is 300 for "
                                           "each of 2 kinds of statistics);")));
  EXPECT_EQ(values_of(resumed, 0), values_of(whole, 0));
  EXPECT_EQ(values_of(resumed, 1), values_of(whole, 1));
}

// Values may have the same name: runs are told apart by their place. A checkpoint of other
// statistics is refused, as that of a single run is.
TEST(Assembly, CheckpointsKnowTheirRuns) {
  const TempFolder folder;
  const Table table(500);
  const auto run = [&](const std::vector<const char*>& texts, std::uint64_t replicates) {
    std::vector<Statistic> all;
    for (const char* text : texts) all.push_back(statistic::expression(text));
    return bootstrap(
        table.view(), all,
        {.replicates = replicates, .seed = 3, .checkpoint = folder.path("run.checkpoint")});
  };
  (void)run({"r = mean(a)", "r = median(a)"}, 50);
  const Result longer = run({"r = mean(a)", "r = median(a)"}, 80);
  EXPECT_NE(values_of(longer, 0), values_of(longer, 1));
  EXPECT_THROW((void)run({"r = mean(b)", "r = median(a)"}, 80), InvalidArgument);
}

TEST(Assembly, ProgressRisesToTheEndOfTheLastRun) {
  const Table table(2000);
  std::vector<double> shares;
  Options options{.replicates = 4000, .seed = 3};
  options.execution.threads = 1;
  options.execution.progress = [&](execution::Progress progress) {
    shares.push_back(progress.done / progress.total);
  };
  (void)bootstrap(table.view(), {statistic::mean(), statistic::median()}, options);
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_NEAR(shares.back(), 1, 1e-9);
}

TEST(Formula, HasItsTermsOnTheSameResamplesUnderEveryScheme) {
  const Table table(900);
  const std::vector<Scheme> schemes = {
      scheme::Iid{},       scheme::Iid{.size = 300},         scheme::Poisson{},
      scheme::Balanced{},  scheme::Stratified{table.labels}, scheme::CircularBlocks{10},
      scheme::Jackknife{},
  };
  for (const Scheme& scheme : schemes) {
    SCOPED_TRACE(name(scheme));
    const Options options{.replicates = 60, .seed = 4, .scheme = scheme};
    const Result made = bootstrap(table.view(), ratio(), options);
    Options by_hand = options;
    if (made.plan().path == Path::stream) by_hand.path = Path::stream;
    const Result drawn = bootstrap(table.view(), ratio_by_hand(), by_hand);
    ASSERT_EQ(made.count(), drawn.count());
    EXPECT_NEAR(made.estimate(), drawn.estimate(), 1e-12);
    for (std::uint64_t r = 0; r < made.count(); ++r)
      ASSERT_NEAR(made.replicate(r), drawn.replicate(r), 1e-9) << r;
    EXPECT_NEAR(made.standard_error(), drawn.standard_error(), 1e-9);
  }
}

/// sum of |a_i - a_j| / (2 n^2 mean(a)), over the median of b and times the mean of b.
Statistic inequality_by_hand() {
  return statistic::callable(
      [](const statistic::Resample& rows) {
        const auto a = rows.column(0);
        std::vector<double> b(rows.column(1).begin(), rows.column(1).end());
        double differences = 0;
        double sum = 0;
        double other = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
          sum += a[i];
          other += b[i];
          for (const double value : a) differences += std::abs(a[i] - value);
        }
        const auto n = static_cast<double>(a.size());
        return differences / (2 * n * sum) / numeric::select_quantile(b, 0.5) * other / n;
      },
      "inequality", statistic::RowOrder::any);
}

TEST(Formula, OfSortedRowsSumsAndQuantilesIsComputedFromCounts) {
  Table table(300);
  for (double& value : table.a) value = std::exp(value);
  const Statistic formula = statistic::expression("gini(a) / median(b) * mean(b)");
  const Options options{.replicates = 40, .seed = 4, .influence = true};
  const Result made = bootstrap(table.view(), formula, options);
  Options by_hand = options;
  by_hand.path = made.plan().path;
  const Result drawn = bootstrap(table.view(), inequality_by_hand(), by_hand);
  EXPECT_THAT(made.plan().reason, HasSubstr("in the order of the values"));
  EXPECT_NEAR(made.estimate(), drawn.estimate(), 1e-12);
  for (std::uint64_t r = 0; r < 40; ++r)
    ASSERT_NEAR(made.replicate(r), drawn.replicate(r), 1e-9) << r;
  EXPECT_NEAR(made.companions().influences[0].acceleration(),
              drawn.companions().influences[0].acceleration(), 1e-7);

  const std::vector<Statistic> terms = {statistic::expression("gini(a)"),
                                        statistic::expression("mean(b)"),
                                        statistic::expression("sd(a)")};
  const Result joint = bootstrap(table.view(), terms, {.replicates = 40, .seed = 4, .joint = true});
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_EQ(values_of(joint, k),
              values_of(bootstrap(table.view(), terms[k],
                                  {.replicates = 40, .seed = 4, .path = joint.plan().path}),
                        0))
        << terms[k].name();
}

// More rows than those whose trimmed means are always walked over.
TEST(Formula, OfATrimmedMeanAndSortedRowsIsComputedFromCounts) {
  Table table(5000);
  for (double& value : table.a) value = std::exp(value);
  const Options options{.replicates = 20, .seed = 4, .joint = true};
  const std::vector<Statistic> all = {statistic::expression("trimmed_mean(b, 0.1) / gini(a)"),
                                      statistic::expression("trimmed_mean(b, 0.1)"),
                                      statistic::expression("gini(a)")};
  const Result joint = bootstrap(table.view(), all, options);
  const Result alone = bootstrap(table.view(), all[0], options);
  EXPECT_THAT(alone.plan().reason, HasSubstr("in the order of the values"));
  EXPECT_EQ(values_of(alone, 0), values_of(joint, 0));
  for (std::uint64_t r = 0; r < 20; ++r)
    EXPECT_DOUBLE_EQ(joint.replicate(r, 0), joint.replicate(r, 1) / joint.replicate(r, 2));
}

TEST(Formula, OfClustersHasItsTermsOnTheSameResamples) {
  const Table table(900);
  Options options{.replicates = 60, .seed = 4, .scheme = scheme::Cluster{table.labels}};
  const Result made = bootstrap(table.view(), ratio(), options);
  options.joint = true;
  const Result terms =
      bootstrap(table.view(),
                {statistic::expression("median(a)"), statistic::expression("mean(b)")}, options);
  for (std::uint64_t r = 0; r < 60; ++r)
    ASSERT_EQ(made.replicate(r), terms.replicate(r, 0) / terms.replicate(r, 1));
}

TEST(Assembly, HasTheBitsOfEveryThreadLevelAndMemory) {
  const Table table(5000);
  const std::vector<Statistic> all = {statistic::expression("median(a)"), ratio()};
  const Options options{.replicates = 70, .seed = 4};
  const Result one = bootstrap(table.view(), all, options);
  ASSERT_EQ(one.plan().runs.size(), 2U);
  for (const auto level : execution::available_levels())
    for (const unsigned threads : {1U, 2U, 7U})
      for (const std::size_t memory : {std::size_t{16} << 20, std::size_t{1} << 30}) {
        Options other = options;
        other.memory = memory;
        other.execution = {.threads = threads, .level = level};
        const Result found = bootstrap(table.view(), all, other);
        EXPECT_TRUE(std::ranges::equal(found.replicates(), one.replicates()));
        EXPECT_EQ(found.fingerprint(), one.fingerprint());
      }
}

TEST(Formula, StreamsAndHasInfluencesWithoutEvaluations) {
  const Table table(20000);
  const Plan found = plan(table.view(), ratio(), {.replicates = 100, .influence = true});
  EXPECT_EQ(found.path, Path::stream);
  EXPECT_THAT(found.reason, testing::Not(HasSubstr("evaluations")));
}

TEST(Formula, InfluencesAreThoseOfDeletedRows) {
  const Table table(400);
  for (const Scheme& scheme :
       {Scheme(scheme::Iid{}), Scheme(scheme::Iid{.size = 200}),
        Scheme(scheme::Stratified{table.labels}), Scheme(scheme::Cluster{table.labels})}) {
    SCOPED_TRACE(name(scheme));
    const Influence made = influence(table.view(), ratio(), {.scheme = scheme})[0];
    const Influence drawn = influence(table.view(), ratio_by_hand(), {.scheme = scheme})[0];
    ASSERT_TRUE(made.usable()) << made.problem;
    EXPECT_NEAR(made.acceleration(), drawn.acceleration(), 1e-9);
    EXPECT_NEAR(made.standard_error(), drawn.standard_error(), 1e-9);
    EXPECT_NEAR(made.mean, drawn.mean, 1e-9);
  }
}

TEST(Formula, BesideOthersLeavesThemAsTheyAre) {
  const Table table(2000);
  const Options options{.replicates = 50, .seed = 4, .influence = true};
  const Result both = bootstrap(table.view(), {statistic::expression("mean(a)"), ratio()}, options);
  const Result mean = bootstrap(table.a, statistic::mean(), options);
  EXPECT_TRUE(both.plan().runs.empty());
  EXPECT_EQ(values_of(both, 0), values_of(mean, 0));
  EXPECT_EQ(both.companions().influences[0].acceleration(),
            mean.companions().influences[0].acceleration());
  EXPECT_EQ(both.companions().abc_curves[0].values, mean.companions().abc_curves[0].values);
  EXPECT_THAT(both.companions().abc_curves[1].problem, HasSubstr("functions of sums"));
}

TEST(Formula, DividingByZeroIsUndefinedAndCounted) {
  const std::vector<double> a = {1, 2, 3, 4};
  const std::vector<double> b = {0, 0, 0, 1};
  const DataView view({ColumnView(a), ColumnView(b)}, {"a", "b"});
  const Result result = bootstrap(view, ratio(), {.replicates = 4000, .seed = 1});
  // All four draws miss the last row with probability (3/4)^4 = 0.316; +- 5 standard errors.
  EXPECT_NEAR(static_cast<double>(result.undefined()) / 4000, 0.316, 0.037);
}

TEST(Formula, IsPartOfTheFingerprint) {
  const Table table(500);
  const auto fingerprint = [&](const char* text) {
    return plan(table.view(), statistic::expression(text)).fingerprint;
  };
  EXPECT_NE(fingerprint("median(a) / mean(b)"), fingerprint("median(a) - mean(b)"));
  EXPECT_EQ(fingerprint("median(a) / mean(b)"), fingerprint("median(a) / mean(b)"));
}

}  // namespace assembly_test
}  // namespace bootfold
