// cli/merge.cpp: `bootfold merge p.plan *.part`: the result of all shards.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "arguments.h"
#include "bootfold/error.h"
#include "bootfold/shards.h"
#include "command.h"
#include "console.h"
#include "failure.h"
#include "report.h"
#include "shard_files.h"
#include "shard_words.h"
#include "text/output_file.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

/// The methods that need nothing but replicates: parts have no influences of rows.
std::vector<interval::Method> merged_methods(const Arguments& arguments) {
  using enum interval::Method;
  const std::vector<std::string> named = split_list(arguments.intervals);
  if (std::find(named.begin(), named.end(), "all") != named.end())
    return {percentile, normal, basic};
  std::vector<interval::Method> methods = check_methods(arguments.intervals);
  for (const interval::Method method : methods)
    if (method != normal && method != basic && method != percentile)
      throw InvalidArgument(fmt::format(
          "--interval is '{}' but shards have normal, basic and percentile intervals; others need "
          "all rows in one place, for bootfold bootstrap",
          interval::name(method)));
  if (methods.empty()) methods = {percentile};
  return methods;
}

void run_merge(const Arguments& arguments, const std::string& file) {
  if (file.empty()) throw InvalidArgument("no PLAN given; name a file that bootfold plan wrote");
  if (!arguments.output.empty() && !arguments.output.ends_with(".safetensors"))
    throw InvalidArgument(
        fmt::format("--output is '{}' but must end in .safetensors, the format it is written in",
                    arguments.output));
  if (!arguments.output.empty()) text::check_writable(arguments.output);
  const interval::Options options = check_interval(arguments);
  const std::vector<interval::Method> methods = merged_methods(arguments);
  const shards::Plan plan = from_file(file, [](const std::string& bytes) {
    return shards::Plan::from_bytes(bytes, statistics_of(shards::Plan::words_of(bytes)));
  });
  shards::Part all = plan.empty();
  for (const std::string& part : arguments.files) try {
      all +=
          from_file(part, [](const std::string& bytes) { return shards::Part::from_bytes(bytes); });
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("{}: {}", part, error.what()));
    }
  const Result result = plan.finish(all);
  Run run{.result = result, .columns = plan.columns(), .intervals = {}};
  run.stored = true;  // the parts took the time
  const std::optional<LeftOut> left_out = left_out_of(plan.words());
  run.counted = left_out.has_value();
  if (left_out) {
    run.omitted = left_out->omitted;
    run.filtered = left_out->filtered;
  }
  add_intervals(run, methods, options);
  if (!arguments.output.empty()) try {
      result.save(arguments.output);
    } catch (const DataError& error) {
      throw Failure(error.what());
    }
  print(arguments.json ? as_json(run) : as_text(run, arguments.quiet));
}

}  // namespace

void add_merge(CLI::App& root, Task& task) {
  CLI::App* command =
      root.add_subcommand("merge", "Shards, step 4: the result from the parts of all shards");
  auto arguments = std::make_shared<Arguments>();
  auto plan = std::make_shared<std::string>();
  command->add_option("PLAN", *plan, "File that bootfold plan wrote")->option_text(" ");
  command->add_option("FILE", arguments->files, "Files that bootfold part wrote, in any order")
      ->option_text(" ");
  add_interval_arguments(*command, *arguments, kWhat);
  command->get_option("--interval")
      ->description("normal, basic or percentile, a list of them, or all [percentile]");
  command->add_flag("--json", arguments->json, "One JSON object instead of text")
      ->group(kShown)
      ->disable_flag_override();
  add_text(*command, "--output", arguments->output, "FILE",
           "Save the run to a .safetensors file, for bootfold interval FILE")
      ->group(kShown);
  command->add_flag("--quiet", arguments->quiet, "Only the numbers: no picture or plan")
      ->group(kShown)
      ->disable_flag_override();
  command->footer([] {
    return examples({{"bootfold merge prices.plan *.part --output run.safetensors",
                      "the result of all shards, which is also saved"},
                     {"bootfold interval run.safetensors --interval basic --confidence 0.9",
                      "another interval of the saved run"}});
  });
  command->callback([arguments, plan, &task] {
    task = [arguments, plan](Interrupt&) { run_merge(*arguments, *plan); };
  });
}

}  // namespace bootfold::cli
