#include "unchanged.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace bootfold::cli {
namespace {

// Only what may be called from a signal handler.
void tell_lost_input(int /*signal*/) {
  constexpr std::string_view kText =
      "bootfold: an input file became shorter while it was read, or its disk failed; run it again "
      "on a file that nobody writes to\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
  _exit(kFailed);
}

}  // namespace

void catch_lost_input() { std::signal(SIGBUS, tell_lost_input); }

}  // namespace bootfold::cli
