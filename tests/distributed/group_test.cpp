// What a group exchanges, for every number of ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/plan.h"
#include "distributed/node_share.h"
#include "thread_ranks.h"

namespace bootfold::distributed {
namespace group_test {

using testing::HasSubstr;
using Cause = DistributedError::Cause;

std::vector<std::string> ranks_below(int size) {
  std::vector<std::string> all;
  for (int rank = 0; rank < size; ++rank) all.push_back(std::to_string(rank));
  return all;
}

class OfRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Group, OfRanks, testing::Values(1, 2, 3, 4, 5, 8, 13));

TEST_P(OfRanks, BroadcastGivesAllTheBytesOfRankZero) {
  in_ranks(GetParam(), [](const Group& group) {
    const std::string bytes("a\0b", 3);
    EXPECT_EQ(group.broadcast(group.rank() == 0 ? bytes : "other"), bytes);
    EXPECT_EQ(group.broadcast(""), "");
  });
}

TEST_P(OfRanks, GatherIsInTheOrderOfRanks) {
  in_ranks(GetParam(), [](const Group& group) {
    const std::string own = std::to_string(group.rank());
    const std::vector<std::string> all = ranks_below(group.size());
    EXPECT_EQ(group.gather(own), group.rank() == 0 ? all : std::vector<std::string>());
    EXPECT_EQ(group.all_gather(own), all);
  });
}

TEST_P(OfRanks, ReduceMergesInTheOrderOfRanks) {
  in_ranks(GetParam(), [](const Group& group) {
    std::string all;
    for (const std::string& rank : ranks_below(group.size())) all += rank + ",";
    const std::string merged = group.reduce(
        std::to_string(group.rank()) + ",",
        [](std::string_view a, std::string_view b) { return std::string(a) + std::string(b); });
    EXPECT_EQ(merged, group.rank() == 0 ? all : "");
  });
}

TEST_P(OfRanks, NodesAreGroups) {
  in_ranks(
      GetParam(),
      [](const Group& group) {
        const Group node = group.node();
        EXPECT_EQ(node.rank(), group.rank() % 3);
        EXPECT_EQ(node.size(), std::min(3, group.size() - group.rank() / 3 * 3));
        const std::vector<std::string> here = node.all_gather(std::to_string(group.rank()));
        EXPECT_EQ(here.front(), std::to_string(group.rank() / 3 * 3));
      },
      3);
}

TEST(Group, AgreesOnTheFirstFailure) {
  std::atomic<int> failures = 0;
  in_ranks(4, [&](const Group& group) {
    group.agree([] {});
    try {
      group.agree([&] {
        if (group.rank() == 2) throw DataError("no such file");
        if (group.rank() == 3) throw InvalidArgument("something else");
      });
    } catch (const DistributedError& error) {
      EXPECT_STREQ(error.what(), "rank 2: no such file");
      EXPECT_EQ(error.cause(), Cause::data);
      ++failures;
    }
    try {
      group.agree([] { throw InvalidArgument("seed is -1"); });
    } catch (const DistributedError& error) {
      EXPECT_STREQ(error.what(), "seed is -1");  // the same everywhere
      EXPECT_EQ(error.cause(), Cause::argument);
      ++failures;
    }
  });
  EXPECT_EQ(failures, 8);
}

TEST(Group, OfOneProcessNeedsNothing) {
  const Group alone;
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_EQ(alone.size(), 1);
  EXPECT_EQ(alone.node().size(), 1);
  EXPECT_EQ(alone.broadcast("x"), "x");
  EXPECT_EQ(alone.all_gather("x"), std::vector<std::string>{"x"});
  EXPECT_THROW(alone.agree([] { throw DataError("as it is"); }), DataError);
  EXPECT_EQ(run([](const Group& group) { EXPECT_EQ(group.size(), 1); }), 0);
}

TEST(Group, RunPrintsTheMessageAndReturnsOne) {
  EXPECT_EXIT(std::exit(run([](const Group&) { throw DataError("no rows"); })),
              testing::ExitedWithCode(1), "rank 0: no rows");
}

TEST(Launch, IsWhatTheLauncherTells) {
  const auto told = [](const std::vector<std::pair<const char*, const char*>>& variables) {
    for (const auto& [name, value] : variables) setenv(name, value, 1);
    const Launch found = launch();
    for (const auto& [name, value] : variables) unsetenv(name);
    return std::pair(found.rank, found.size);
  };
  EXPECT_EQ(told({}), std::pair(0, 1));
  EXPECT_EQ(told({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), std::pair(2, 4));
  EXPECT_EQ(told({{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}}), std::pair(1, 3));
  EXPECT_EQ(told({{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "3"}}), std::pair(1, 3));
  EXPECT_EQ(told({{"SLURM_STEP_NUM_TASKS", "3"}}), std::pair(0, 1));
  EXPECT_EQ(told({{"PMI_RANK", "1"}, {"PMI_SIZE", "x"}}), std::pair(0, 1));
  EXPECT_EQ(told({{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}, {"BOOTFOLD_MPI", "off"}}), std::pair(0, 1));
  setenv("BOOTFOLD_MPI", "maybe", 1);
  EXPECT_THROW(static_cast<void>(launch()), InvalidArgument);
  unsetenv("BOOTFOLD_MPI");
}

// All threads of the test may use the same processors.
TEST(NodeShare, DividesProcessorsAndMemory) {
  const unsigned all = execution::hardware_threads();
  in_ranks(
      6,
      [&](const Group& group) {
        const Options share = with_node_share(group, {});
        EXPECT_EQ(share.execution.threads, std::max(1U, all / 2));
        EXPECT_EQ(share.memory, execution::default_memory() / 2);
        const Options own = with_node_share(group, {.memory = 5, .execution = {.threads = 3}});
        EXPECT_EQ(own.execution.threads, 3U);
        EXPECT_EQ(own.memory, 5U);
      },
      2);
  EXPECT_EQ(with_node_share(Group(), {}).execution.threads, 0U);
}

}  // namespace group_test
}  // namespace bootfold::distributed
