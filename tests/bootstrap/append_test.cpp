// A result knows which replicates of which data it holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "data/temp_file.h"
#include "statistic/reference.h"

namespace bootfold {
namespace append_test {

using testing::AllOf;
using testing::HasSubstr;

Result run(const DataView& data, std::uint64_t first, std::uint64_t count, Options options = {}) {
  options.first_replicate = first;
  options.replicates = count;
  return bootstrap(data, statistic::mean(), options);
}

std::string refusal(const Result& a, const Result& b) {
  return reference::message_of<InvalidArgument>([&] { Result(a).append(b); });
}

TEST(Append, JoinsNeighbouringRanges) {
  const std::vector<double> x = reference::normals(100, 1);
  Result joined = run(x, 10, 500);
  joined.append(run(x, 510, 700));
  const Result whole = run(x, 10, 1200);
  EXPECT_EQ(joined.first_replicate(), 10U);
  EXPECT_EQ(joined.count(), 1200U);
  EXPECT_EQ(joined.fingerprint(), whole.fingerprint());
  EXPECT_TRUE(std::equal(joined.replicates().begin(), joined.replicates().end(),
                         whole.replicates().begin(), whole.replicates().end()));
  EXPECT_EQ(joined.standard_error(), whole.standard_error());
}

TEST(Append, RefusesTheSameRunTwiceAndOtherOverlaps) {
  const std::vector<double> x = reference::normals(100, 1);
  const Result first = run(x, 0, 1000);
  EXPECT_THAT(refusal(first, first), AllOf(HasSubstr("replicates 0 to 999"), HasSubstr("overlap"),
                                           HasSubstr("first_replicate=1000")));
  EXPECT_THAT(refusal(first, run(x, 500, 1000)),
              AllOf(HasSubstr("replicates 0 to 999"), HasSubstr("replicates 500 to 1,499")));
}

TEST(Append, RefusesAnEarlierPart) {
  const std::vector<double> x = reference::normals(100, 1);
  EXPECT_THAT(refusal(run(x, 50, 50), run(x, 0, 50)),
              AllOf(HasSubstr("replicates 50 to 99"), HasSubstr("replicates 0 to 49"),
                    HasSubstr("rising order")));
}

TEST(Append, NamesOutputsThatDiffer) {
  const std::vector<double> x = reference::normals(100, 1);
  const Result price = run(DataView({ColumnView(x), ColumnView(x)}, {"a", "b"}), 0, 10);
  const Result other = run(DataView({ColumnView(x), ColumnView(x)}, {"a", "c"}), 10, 10);
  EXPECT_THAT(refusal(price, other), AllOf(HasSubstr("mean(b)"), HasSubstr("mean(c)")));
}

TEST(Append, RefusesGaps) {
  const std::vector<double> x = reference::normals(100, 1);
  EXPECT_THAT(refusal(run(x, 0, 1000), run(x, 1001, 10)),
              AllOf(HasSubstr("replicates 1,001 to 1,010"), HasSubstr("missing")));
}

// Every fact that defines a replicate is in the fingerprint.
TEST(Append, RefusesOtherDataStatisticsSchemesAndSeeds) {
  const std::vector<double> x = reference::normals(100, 1);
  std::vector<double> other = x;
  other[57] = std::nextafter(other[57], 9.0);
  const std::vector<std::uint32_t> halves = [] {
    std::vector<std::uint32_t> labels(100, 0);
    std::fill(labels.begin() + 50, labels.end(), 1);
    return labels;
  }();
  std::vector<std::uint32_t> others = halves;
  std::swap(others[0], others[99]);
  const Result first = run(x, 0, 100);
  const auto differs = [&](const Result& later) {
    EXPECT_NE(later.fingerprint(), first.fingerprint());
    EXPECT_THAT(refusal(first, later), HasSubstr("different runs"));
  };
  differs(run(other, 100, 10));
  differs(run(x, 100, 10, {.seed = 1}));
  differs(run(x, 100, 10, {.scheme = scheme::Iid{50}}));
  differs(run(x, 100, 10, {.scheme = scheme::CircularBlocks{5}}));
  differs(run(x, 100, 10, {.path = Path::stream}));
  Options later;
  later.first_replicate = 100;
  later.replicates = 10;
  EXPECT_THAT(refusal(first, bootstrap(x, statistic::sum(), later)),
              AllOf(HasSubstr("values mean"), HasSubstr("sum")));
  EXPECT_NE(run(x, 0, 10, {.scheme = scheme::Stratified{halves}}).fingerprint(),
            run(x, 0, 10, {.scheme = scheme::Stratified{others}}).fingerprint());
  EXPECT_NE(run(x, 0, 10, {.scheme = scheme::Cluster{halves}}).fingerprint(),
            run(x, 0, 10, {.scheme = scheme::Cluster{others}}).fingerprint());
  EXPECT_NE(run(x, 0, 10, {.scheme = scheme::Cluster{halves}}).fingerprint(),
            run(x, 0, 10, {.scheme = scheme::Cluster{halves, true}}).fingerprint());
  const std::vector<double> ones(100, 1);
  std::vector<double> weights = ones;
  weights[7] = 2;
  EXPECT_NE(run(x, 0, 10, {.scheme = scheme::Unequal{ones}}).fingerprint(),
            run(x, 0, 10, {.scheme = scheme::Unequal{weights}}).fingerprint());
  EXPECT_NE(run(x, 0, 10, {.scheme = scheme::Balanced{}}).fingerprint(),
            run(x, 0, 11, {.scheme = scheme::Balanced{}}).fingerprint());
}

// Numbers that a name does not show are in the fingerprint too.
TEST(Append, RefusesOtherParametersOfAStatistic) {
  const std::vector<double> x = reference::normals(50, 1);
  const DataView two({ColumnView(x), ColumnView(x)});
  const auto differ = [](const DataView& data, const Statistic& a, const Statistic& b) {
    const Options options{.replicates = 10};
    EXPECT_NE(plan(data, a, options).fingerprint, plan(data, b, options).fingerprint) << a.name();
  };
  differ(x, statistic::variance(0), statistic::variance(1));
  differ(x, statistic::standard_deviation(0), statistic::standard_deviation(1));
  differ(x, statistic::proportion(0), statistic::proportion(0.5));
  differ(x, statistic::sharpe_ratio(1), statistic::sharpe_ratio(252));
  differ(x, statistic::quantile(0.25), statistic::quantile(0.75));
  differ(x, statistic::trimmed_mean(0.1), statistic::trimmed_mean(0.2));
  differ(two, statistic::covariance(0), statistic::covariance(1));
}

// What does not change a replicate is not in it.
TEST(Append, TakesRunsOfOtherThreadsMemoryAndLevels) {
  const std::vector<double> x = reference::normals(3000, 1);
  Result joined = run(x, 0, 100, {.execution = {.threads = 1}});
  Options other;
  other.memory = std::size_t{500} << 20;
  other.execution.threads = 2;
  other.execution.level = execution::Level::portable;
  joined.append(run(x, 100, 100, other));
  EXPECT_EQ(joined.count(), 200U);
}

TEST(Append, WorksFromFiles) {
  const std::vector<double> x = reference::normals(100, 1);
  const testing_data::TempFile file("part.safetensors");
  run(x, 0, 100).save(file.path());
  Result joined = Result::load(file.path());
  EXPECT_EQ(joined.first_replicate(), 0U);
  EXPECT_THAT(refusal(joined, run(x, 0, 100)), HasSubstr("overlap"));
  joined.append(run(x, 100, 100));
  EXPECT_EQ(joined.count(), 200U);
}

}  // namespace append_test
}  // namespace bootfold
