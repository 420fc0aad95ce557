// A comparison that ended early goes on from its checkpoint, to the same bits.
#include "bootfold/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stop_token>

#include "bootfold/compare.h"
#include "bootfold/error.h"
#include "statistic/reference.h"
#include "temp_folder.h"

namespace bootfold {
namespace comparison {
namespace checkpoint_test {

using testing::HasSubstr;

struct Sample {
  std::vector<double> values;
  data::Labels groups;
  std::vector<std::uint32_t> clusters;
};

Sample sample(std::size_t rows) {
  Sample made{reference::normals(rows, 2), {{}, {"a", "b", "c"}, "group"}, {}};
  for (std::size_t row = 0; row < rows; ++row) {
    made.groups.codes.push_back(static_cast<std::uint32_t>(row % 3));
    made.clusters.push_back(static_cast<std::uint32_t>(row / 6));
  }
  return made;
}

using Folder = TempFolder;

void expect_same(const Comparison& a, const Comparison& b) {
  ASSERT_EQ(a.contrasts.size(), b.contrasts.size());
  EXPECT_EQ(a.replicates, b.replicates);
  EXPECT_EQ(a.rounds, b.rounds);
  for (std::size_t i = 0; i < a.contrasts.size(); ++i) {
    EXPECT_EQ(a.contrasts[i].replicates, b.contrasts[i].replicates);
    EXPECT_EQ(a.contrasts[i].interval.low, b.contrasts[i].interval.low);
    EXPECT_EQ(a.contrasts[i].interval.high, b.contrasts[i].interval.high);
    EXPECT_EQ(a.contrasts[i].p_value, b.contrasts[i].p_value);
  }
}

/// Stops a comparison at shares of its work, and counts the stops that kept something.
int finish_in_pieces(const Sample& given, const Statistic& statistic, Options options,
                     const Comparison& whole) {
  int kept = 0;
  for (int stops = 0;; ++stops) {
    std::stop_source source;
    options.execution.stop = source.get_token();
    options.execution.progress = [&](execution::Progress progress) {
      const double share = progress.done / progress.total;
      if (stops < 3 && share > 0.25 * (stops + 1) && share < 1) source.request_stop();
    };
    try {
      expect_same(compare(DataView(given.values), given.groups, statistic, options), whole);
      return kept;
    } catch (const Cancelled& cancelled) {
      if (!cancelled.kept().empty()) ++kept;
    }
  }
}

TEST(CompareCheckpoint, GoesOnToTheSameBits) {
  const Sample given = sample(3000);
  for (const bool studentized : {false, true}) {
    SCOPED_TRACE(studentized);
    const Folder folder;
    Options options{.replicates = 150'000, .seed = 4, .keep_replicates = true};
    options.interval = studentized ? interval::Method::studentized : interval::Method::bca;
    const Statistic statistic = statistic::variance();
    const Comparison whole = compare(DataView(given.values), given.groups, statistic, options);
    options.checkpoint = folder.path("run");
    EXPECT_GE(finish_in_pieces(given, statistic, options, whole), 1);
    remove_checkpoint(options.checkpoint);
    EXPECT_TRUE(folder.empty());
  }
}

TEST(CompareCheckpoint, GroupsThatShareClustersGoOn) {
  const Sample given = sample(3000);
  const Folder folder;
  Options options{.replicates = 200'000, .seed = 4, .keep_replicates = true};
  options.scheme = scheme::Cluster{given.clusters};
  const Comparison whole =
      compare(DataView(given.values), given.groups, statistic::mean(), options);
  EXPECT_GT(whole.shared_clusters, 0U);
  options.checkpoint = folder.path("run");
  static_cast<void>(finish_in_pieces(given, statistic::mean(), options, whole));
}

TEST(CompareCheckpoint, RoundsOfAPrecisionGoOn) {
  const Sample given = sample(300);
  const Folder folder;
  Options options{.seed = 4, .keep_replicates = true};
  options.precision = 0.01;
  const Comparison whole =
      compare(DataView(given.values), given.groups, statistic::kurtosis(), options);
  options.checkpoint = folder.path("run");
  static_cast<void>(finish_in_pieces(given, statistic::kurtosis(), options, whole));
  expect_same(compare(DataView(given.values), given.groups, statistic::kurtosis(), options), whole);
}

TEST(CompareCheckpoint, OtherDataAreRefusedWithTheNameOfTheGroup) {
  Sample given = sample(3000);
  const Folder folder;
  Options options{.replicates = 150'000, .checkpoint = folder.path("run")};
  std::stop_source source;
  options.execution.stop = source.get_token();
  options.execution.progress = [&](execution::Progress progress) {
    if (progress.done > 0.2 * progress.total) source.request_stop();
  };
  const auto run = [&] {
    return compare(DataView(given.values), given.groups, statistic::variance(), options);
  };
  EXPECT_THROW(static_cast<void>(run()), Cancelled);
  options.execution = {};
  given.values[0] += 1;  // of group a, the control
  try {
    static_cast<void>(run());
    FAIL() << "it was taken";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("holds another run of 'a': the data differ"));
  }
}

}  // namespace checkpoint_test
}  // namespace comparison
}  // namespace bootfold
