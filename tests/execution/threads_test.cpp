// How many threads there are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bootfold/error.h"
#include "bootfold/execution.h"

namespace bootfold::execution {
namespace threads_test {

TEST(Threads, AreAllThatTheProcessMayUseUnlessANumberIsAskedFor) {
  EXPECT_GE(hardware_threads(), 1U);
  EXPECT_EQ(thread_count({}), hardware_threads());
  for (const unsigned threads : {1U, 2U, 7U, 1024U})
    EXPECT_EQ(thread_count({.threads = threads}), threads);
}

TEST(Threads, BeyondAThousandAreAnError) {
  EXPECT_THAT([] { static_cast<void>(thread_count({.threads = 1025})); },
              testing::ThrowsMessage<InvalidArgument>(
                  testing::StrEq("threads is 1025 but can be at most 1024; 0 uses all cores")));
}

}  // namespace threads_test
}  // namespace bootfold::execution
