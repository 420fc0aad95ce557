// The progress that a terminal shows during training.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "flowers.h"
#include "program.h"
#include "text.h"

namespace bootfold::cli {
namespace ensemble_progress_test {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> training(const Folder& folder, std::size_t members) {
  return {"ensemble", "train",     folder.write("flowers.csv", flowers(150)),
          "--target", "flower",    "--ignore",
          "id",       "--members", std::to_string(members),
          "--epochs", "200",       "--threads",
          "1"};
}

// Nothing is shown in the first 0.4 seconds. How many members take longer depends on the machine,
// so their number grows until a line of progress appears.
TEST(EnsembleProgress, ShowsMembersAndTheirLoss) {
  constexpr std::size_t kMostMembers = 60'000;
  const Folder folder;
  std::size_t members = 600;
  std::string seen = seen_on_terminal(training(folder, members));
  const std::string erase_line = "\033[K";  // written with every line of progress
  while (seen.find(erase_line) == std::string::npos && members < kMostMembers) {
    members = std::min(4 * members, kMostMembers);
    seen = seen_on_terminal(training(folder, members));
  }
  EXPECT_THAT(seen, ContainsRegex("\\[#*\\.*\\] +[0-9.]+%  [0-9,]+ members, held-out loss "
                                  "0\\.[0-9]+ +[0-9.]+[a-zA-Z ]* members/s"));
  EXPECT_THAT(seen, HasSubstr(grouped(members) + " trained"));
  std::vector<std::string> quiet = training(folder, members);
  quiet.emplace_back("--quiet");
  EXPECT_THAT(seen_on_terminal(quiet), Not(HasSubstr("members/s")));
}

}  // namespace ensemble_progress_test
}  // namespace bootfold::cli
