// The progress that a terminal shows while a large text file is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace bootfold::cli {
namespace reading_test {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// Nothing is shown in the first 0.4 seconds. How many rows take longer depends on the machine, so
// their number grows until a line of progress appears.
TEST(Reading, ShowsTheTimeLeftOnATerminalAlone) {
  constexpr std::size_t kMostRows = 64'000'000;
  const Folder folder;
  const std::string path = folder.path("large.csv");
  std::string seen;
  std::vector<std::string> command;
  for (std::size_t rows = 2'000'000; rows <= kMostRows; rows *= 4) {
    folder.write("large.csv", two_columns(rows));
    command = {"bootstrap", path, "--column", "price", "--replicates", "2", "--memory", "8G"};
    seen = seen_on_terminal(command);
    if (seen.find("reading") != seen.npos) break;
  }
  EXPECT_THAT(seen, ContainsRegex("%  reading  [0-9.]+ [a-z]+ bytes/s  [0-9.]+ m?s left"));
  EXPECT_THAT(run(command).err, Not(HasSubstr("reading")));
  command.emplace_back("--quiet");
  EXPECT_THAT(seen_on_terminal(command), Not(HasSubstr("reading")));
  // A file that is added up piece by piece.
  command.pop_back();
  command.back() = "16M";
  EXPECT_THAT(seen_on_terminal(command), HasSubstr("reading"));
}

}  // namespace reading_test
}  // namespace bootfold::cli
