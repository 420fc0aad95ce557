// The twin for builds without MPI: one process works as ever, several are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "bootfold/distributed/group.h"
#include "bootfold/error.h"

namespace bootfold::distributed {

TEST(WithoutMpi, OneProcessIsAGroup) {
  EXPECT_EQ(Group::world().size(), 1);
  EXPECT_EQ(run([](const Group& group) { EXPECT_EQ(group.broadcast("x"), "x"); }), 0);
}

TEST(WithoutMpi, SeveralProcessesAreRefused) {
  setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  try {
    static_cast<void>(Group::world());
    ADD_FAILURE() << "four processes would do the same work";
  } catch (const DistributedError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("started 4 processes"));
    EXPECT_THAT(error.what(), testing::HasSubstr("-DBOOTFOLD_MPI=ON"));
    EXPECT_THAT(error.what(), testing::HasSubstr("BOOTFOLD_MPI=off"));
    EXPECT_EQ(error.cause(), DistributedError::Cause::argument);
  }
  setenv("BOOTFOLD_MPI", "off", 1);
  EXPECT_EQ(Group::world().size(), 1);
}

}  // namespace bootfold::distributed
