#include "checkpoint.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>

#include "arguments.h"
#include "bootfold/checkpoint.h"
#include "bootfold/error.h"
#include "console.h"
#include "options.h"
#include "text.h"

namespace bootfold::cli {
namespace {

std::atomic<bool> resumed = false;  // the only notes that are no warnings say so

}  // namespace

bool was_resumed() { return resumed; }

void add_checkpoint(CLI::App& command, std::string& checkpoint, const char* group) {
  add_text(command, "--checkpoint", checkpoint, "FILE",
           "Store what is done in FILE; the same command goes on from it after an interruption")
      ->group(group);
}

void check_checkpoint(const std::string& checkpoint,
                      const std::vector<std::pair<std::string, std::string>>& others) {
  if (checkpoint.empty()) return;
  std::error_code ignored;  // one of them is not there: then they are not the same
  for (const auto& [option, path] : others)
    if (!path.empty() &&
        (path == checkpoint || std::filesystem::equivalent(path, checkpoint, ignored)))
      throw InvalidArgument(fmt::format("--checkpoint {} is also {}; choose another name",
                                        one_line(checkpoint), option));
}

std::function<void(const execution::Note&)> notes(bool silent) {
  return [silent](const execution::Note& note) {
    if (!note.warning) resumed = true;
    if (note.warning || !silent) complain(with_command_options(note.text));
  };
}

void finish_checkpoint(const std::string& checkpoint) {
  if (!checkpoint.empty()) remove_checkpoint(checkpoint);
}

}  // namespace bootfold::cli
