// What somebody at a terminal sees while networks are trained.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "flowers.h"
#include "program.h"

namespace bootfold::cli {
namespace ensemble_progress_test {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// Everything that the program writes to its terminal.
std::string seen_on_terminal(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), BOOTFOLD_CLI);
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  winsize size{};
  size.ws_row = 40;
  size.ws_col = 120;
  int terminal = -1;
  const pid_t process = forkpty(&terminal, nullptr, nullptr, &size);
  if (process == 0) {
    execv(BOOTFOLD_CLI, words.data());
    _exit(127);
  }
  std::string seen;
  std::array<char, 4096> part{};
  // When the program has ended, reading fails.
  for (ssize_t count = read(terminal, part.data(), part.size()); count > 0;
       count = read(terminal, part.data(), part.size()))
    seen.append(part.data(), static_cast<std::size_t>(count));
  close(terminal);
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << seen;
  return seen;
}

std::vector<std::string> long_training(const Folder& folder) {
  return {"ensemble", "train",     folder.write("flowers.csv", flowers(150)),
          "--target", "flower",    "--ignore",
          "id",       "--members", "3000",
          "--epochs", "200",       "--threads",
          "1"};
}

// At least a second of work on a fast machine, of which the first 0.4 show nothing.
TEST(EnsembleProgress, TellsMembersAndTheirLoss) {
  const Folder folder;
  const std::vector<std::string> arguments = long_training(folder);
  const std::string seen = seen_on_terminal(arguments);
  EXPECT_THAT(seen, ContainsRegex("\\[#*\\.*\\] +[0-9.]+%  [0-9]+ members, held-out loss "
                                  "0\\.[0-9]+ +[0-9.]+[a-zA-Z ]* members/s"));
  EXPECT_THAT(seen, HasSubstr("3,000 trained"));
  std::vector<std::string> quiet = arguments;
  quiet.emplace_back("--quiet");
  EXPECT_THAT(seen_on_terminal(quiet), Not(HasSubstr("members/s")));
}

}  // namespace ensemble_progress_test
}  // namespace bootfold::cli
