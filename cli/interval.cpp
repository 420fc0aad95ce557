// cli/interval.cpp: `bootfold interval RUN.safetensors`: intervals of a run that was kept.
#include "bootfold/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "arguments.h"
#include "bootfold/error.h"
#include "command.h"
#include "console.h"
#include "report.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

// "all", and nothing, mean those that the run has what they need for.
std::vector<interval::Method> methods_of(const Arguments& arguments, const Result& result) {
  std::vector<std::string> names = split_list(arguments.intervals);
  if (names.empty()) names = {"all"};
  std::vector<interval::Method> methods = check_methods(names);
  if (std::find(names.begin(), names.end(), "all") == names.end()) return methods;
  const std::vector<interval::Method> there = interval::available(result);
  std::erase_if(methods, [&](interval::Method method) {
    const bool named = std::find(names.begin(), names.end(), name(method)) != names.end();
    return !named && std::find(there.begin(), there.end(), method) == there.end();
  });
  // BCa is the main one, or percentile where the run has no influences.
  if (methods.front() != interval::Method::bca)
    std::stable_partition(methods.begin(), methods.end(), [](interval::Method method) {
      return method == interval::Method::percentile;
    });
  return methods;
}

/// The run in the files, which may hold its parts in any order.
Result joined(const std::vector<std::string>& files) {
  std::vector<std::pair<std::string, Result>> parts;
  for (const std::string& file : files) parts.emplace_back(file, Result::load(file));
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return a.second.first_replicate() < b.second.first_replicate();
  });
  Result whole = std::move(parts.front().second);
  for (std::size_t i = 1; i < parts.size(); ++i) try {
      whole.append(parts[i].second);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(
          fmt::format("{} and {}: {}", parts[i - 1].first, parts[i].first, error.what()));
    }
  return whole;
}

void run_interval(const Arguments& arguments) {
  if (arguments.files.empty())
    throw InvalidArgument(
        "no FILE given; name a file that bootfold bootstrap ... --save run.safetensors wrote");
  const interval::Options options = check_interval(arguments);
  static_cast<void>(check_methods(arguments.intervals));  // before a large file is read
  const Result result = joined(arguments.files);
  Run run{.result = result, .columns = result.plan().columns, .intervals = {}};
  run.stored = true;
  run.counted = false;
  add_intervals(run, methods_of(arguments, result), options);
  print(arguments.json ? as_json(run) : as_text(run, arguments.quiet));
}

}  // namespace

void add_interval(CLI::App& root, Task& task) {
  CLI::App* command = root.add_subcommand(
      "interval", "Intervals of a run that bootstrap --save has saved, without running it again");
  auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("FILE", arguments->files,
                   "File that bootfold bootstrap ... --save FILE has written; several files: the "
                   "parts of one run")
      ->option_text(" ");
  add_interval_arguments(*command, *arguments, "What to compute", "all");
  const std::string out = "What to show";
  command->add_flag("--json", arguments->json, "One JSON object instead of text")
      ->group(out)
      ->disable_flag_override();
  command->add_flag("--quiet", arguments->quiet, "Only the numbers: no picture or notes")
      ->group(out)
      ->disable_flag_override();
  command->footer(examples(
      {{"bootfold bootstrap prices.csv --column price --interval all --save run.safetensors",
        "run once, keep everything"},
       {"bootfold interval run.safetensors --interval all --confidence 0.9",
        "all intervals at another confidence, at once"},
       {"bootfold interval run.safetensors --interval bca --convention r --alternative greater",
        "a lower limit as R boot computes it"},
       {"bootfold bootstrap prices.csv --column price --replicates 5e5 --first-replicate 500000 "
        "--save b.safetensors",
        "the second half of a run, made anywhere ..."},
       {"bootfold interval a.safetensors b.safetensors", "... and joined with the first"}}));
  command->callback(
      [arguments, &task] { task = [arguments](Interrupt&) { run_interval(*arguments); }; });
}

}  // namespace bootfold::cli
