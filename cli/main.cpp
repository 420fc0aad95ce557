// cli/main.cpp: the program `bootfold`.
//
// Results go to standard output, everything else to standard error, mistakes as one line. Exit code
// 0: done, 1: the run failed, 2: the command or its input cannot be right, 130: interrupted by
// Ctrl-C, 143: ended by SIGTERM.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>

#include "bootfold/distributed/group.h"
#include "bootfold/error.h"
#include "bootfold/execution.h"
#include "bootfold/random.h"
#include "bootfold/version.h"
#include "command.h"
#include "console.h"
#include "ending.h"
#include "interrupt.h"
#include "ranks.h"
#include "unchanged.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

std::string version() {
  std::string levels;
  for (const execution::Level level : execution::available_levels())
    levels += fmt::format("{}{}", levels.empty() ? "" : ", ", execution::name(level));
  return fmt::format(
      "bootfold {}\n"
      "random streams: version {}\n"
      "SIMD: {} in use, available: {} (choose by the variable BOOTFOLD_SIMD)\n"
      "threads: {}\n",
      kVersion, random::kStreamVersion, execution::name(execution::default_level()), levels,
      execution::hardware_threads());
}

void build(CLI::App& app, bool& version_wanted, Task& task) {
  add_bootstrap(app, task);
  add_explain(app, task);
  add_interval(app, task);
  add_extend(app, task);
  add_compare(app, task);
  add_ensemble(app, task);
  add_look(app, task);
  add_plan(app, task);
  add_part(app, task);
  add_merge(app, task);
  add_demo(app, task);
  prepare(app);
  app.add_flag("--version", version_wanted, "Show version and instruction sets")
      ->group("Other")
      ->disable_flag_override();
  app.footer(examples(
      {{"bootfold bootstrap prices.csv --column price",
        "standard error and 95% interval of the mean price"},
       {"bootfold bootstrap prices.csv --column price --statistic median --replicates 1e6 --json",
        "a million replicates of the median, as JSON"},
       {"bootfold explain prices.csv --column price --statistic variance",
        "the path that would be used, the reason and the cost"},
       {"bootfold compare visits.csv --value revenue --by variant --control A",
        "the mean revenue of every variant against that of A"},
       {"bootfold ensemble train iris.csv --target species --output iris.safetensors",
        "a hundred small networks, each on its own resample"},
       {"bootfold bootstrap --help", "all options and statistics"},
       {"bootfold demo bootstrap", "a million replicates of five million values"},
       {"bootfold demo spirals",
        "one small network and an ensemble of a hundred, with a picture"}}));
}

Command parse_command(int count, char** words) {
  CLI::App app("bootfold: how much would this number change if the data had been drawn again?",
               "bootfold");
  bool version_wanted = false;
  Command command;
  build(app, version_wanted, command.task);
  try {
    app.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* page = &app;
    std::string before;
    while (!page->get_subcommands().empty()) {
      before += (before.empty() ? "" : " ") + page->get_name();
      page = page->get_subcommands().front();
    }
    command.text = page->help(before);
    command.text.erase(command.text.find_last_not_of('\n') + 1);
    command.text += '\n';
    return command;
  } catch (const CLI::ParseError& error) {
    throw InvalidArgument(explain_mistake(error));
  }
  if (version_wanted) {
    command.text = version();
    return command;
  }
  check_all_taken(app);
  return command;
}

void run(int count, char** words) {
  const Command command = parse_command(count, words);
  if (!command.text.empty()) return print(command.text);
  Interrupt interrupt;
  command.task.alone(interrupt);
}

}  // namespace
}  // namespace bootfold::cli

int main(int count, char** words) {
  using namespace bootfold::cli;
  occupy_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that is too large is an error of its write
  catch_lost_input();
  std::signal(SIGPIPE, SIG_DFL);  // a reader that has seen enough ends us without a word
  try {
    if (bootfold::distributed::launch().size > 1) return run_in_group(count, words, parse_command);
    run(count, words);
    return 0;
  } catch (...) {
    const Ending how = ending();
    complain(how.text);
    return how.code;
  }
}
