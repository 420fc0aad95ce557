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
  differs(bootstrap(x, statistic::sum(), later));
  EXPECT_NE(run(x, 0, 10, {.scheme = scheme::Stratified{halves}}).fingerprint(),
            run(x, 0, 10, {.scheme = scheme::Stratified{others}}).fingerprint());
  EXPECT_NE(run(x, 0, 10, {.scheme = scheme::Cluster{halves}}).fingerprint(),
            run(x, 0, 10, {.scheme = scheme::Cluster{others}}).fingerprint());
  EXPECT_NE(run(x, 0, 10, {.scheme = scheme::Cluster{halves}}).fingerprint(),
            run(x, 0, 10, {.scheme = scheme::Cluster{halves, true}}).fingerprint());
  const std::vector<double> ones(100, 1);
  std::vector<double> weights = ones;
  weights[7] = 2;
  EXPECT_NE(run(x, 0, 10, {.scheme = scheme::Weighted{ones}}).fingerprint(),
            run(x, 0, 10, {.scheme = scheme::Weighted{weights}}).fingerprint());
  EXPECT_NE(run(x, 0, 10, {.scheme = scheme::Balanced{}}).fingerprint(),
            run(x, 0, 11, {.scheme = scheme::Balanced{}}).fingerprint());
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
