// cli/part.cpp: `bootfold part p.plan FILE > a.part`: the sums of the rows of a shard.
#include <fmt/format.h>

#include <memory>

#include "arguments.h"
#include "bootfold/error.h"
#include "bootfold/shards.h"
#include "bootfold/sources.h"
#include "command.h"
#include "number.h"
#include "progress.h"
#include "shard_files.h"
#include "shard_words.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

struct PartArguments {
  std::string plan;
  std::vector<std::string> files;
  std::string first;
  std::string range;
  std::string threads;
  std::string memory;
  std::string output;
  bool quiet = false;
};

/// The number of the first row of the shard.
std::uint64_t first_row(const PartArguments& arguments, const shards::Words& words) {
  if (!arguments.first.empty()) return parse_whole("--first", arguments.first, 0);
  const std::string name = shard_name(arguments.files);
  std::string known;
  const std::vector<Shard> shards = shards_of(words);
  for (const Shard& shard : shards) {
    if (shard.file == name) return shard.first;
    if (known.size() < 200) known += (known.empty() ? "" : "; ") + shard.file;
  }
  throw InvalidArgument(
      fmt::format("{} is not a shard of the plan, which has {}; --first tells the number of its "
                  "first row, counted from 0",
                  name, known.empty() ? "none" : known));
}

/// "0:5000": replicates 0 .. 4999.
std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_range(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    throw InvalidArgument(fmt::format(
        "--replicate-range is '{}' but must be two numbers A:B for replicates A to B - 1", text));
  return std::pair(parse_whole("--replicate-range", text.substr(0, colon), 0),
                   parse_whole("--replicate-range", text.substr(colon + 1), 1));
}

void run_part(const PartArguments& arguments, Interrupt& interrupt) {
  if (arguments.plan.empty())
    throw InvalidArgument("no PLAN given; name a file that bootfold plan wrote");
  if (arguments.files.empty()) throw InvalidArgument("no FILE given; name the rows of the shard");
  check_shard_output(arguments.output, arguments.files);
  check_shard_output(arguments.output, {arguments.plan});
  const auto range = parse_range(arguments.range);
  const std::string bytes = read_bytes(arguments.plan);
  const shards::Words words = from_file(
      arguments.plan, [](const std::string& plan) { return shards::Plan::words_of(plan); });
  Execution execution;
  execution.threads = parse_threads(arguments.threads);
  const std::vector<Statistic> statistics = statistics_of(words);
  const shards::Plan plan = from_file(arguments.plan, [&](const std::string& stored) {
    return shards::Plan::from_bytes(stored, statistics, parse_size("--memory", arguments.memory),
                                    execution);
  });
  const std::uint64_t first = first_row(arguments, words);
  data::ReadOptions read = read_options_of(words);
  if (!tells_reading(words)) read.columns = plan.columns();
  read.may_be_empty = true;
  const Interrupt::Work work(interrupt);
  ProgressBar bar(arguments.quiet);
  execution.stop = interrupt.token();
  execution.progress = bar.callback();
  shards::PartOptions options{.replicates = range, .execution = execution};
  if (read.labels.empty()) {
    const auto source = data::open(arguments.files, read);
    return write_bytes(arguments.output, plan.part(*source, first, options).to_bytes(), "part");
  }
  const data::Table table = data::read(arguments.files, read);
  const data::Labels labels = all_labels(table, read.labels.size());
  options.labels = &labels;
  write_bytes(arguments.output, plan.part(table.view(), first, options).to_bytes(), "part");
}

}  // namespace

void add_part(CLI::App& root, Task& task) {
  CLI::App* command = root.add_subcommand(
      "part", "Shards, step 3: adds up the rows of a shard for the replicates of a plan");
  auto arguments = std::make_shared<PartArguments>();
  command->add_option("PLAN", arguments->plan, "File that bootfold plan wrote")->option_text(" ");
  command
      ->add_option("FILE", arguments->files,
                   "The rows of the shard, named as for bootfold look; they are read in the same "
                   "way")
      ->option_text(" ");
  add_text(*command, "--replicate-range", arguments->range, "A:B",
           "Only replicates A to B - 1, for jobs that split these as well [all]")
      ->group(kWhat);
  add_text(*command, "--first", arguments->first, "N",
           "The number of the shard's first row, from 0 [where the plan has this file]")
      ->group(kWhat);
  add_text(*command, "--threads", arguments->threads, "T", kThreadsHelp)->group(kHow);
  add_text(*command, "--memory", arguments->memory, "SIZE", kMemoryHelp)->group(kHow);
  add_text(*command, "--output", arguments->output, "FILE", "Write to a file [standard output]")
      ->group(kShown);
  command->add_flag("--quiet", arguments->quiet, "No progress")
      ->group(kShown)
      ->disable_flag_override();
  command->footer([] {
    return examples(
        {{"bootfold part prices.plan monday.csv > monday.part", "all replicates of one shard"},
         {"bootfold part prices.plan monday.csv --replicate-range 0:5000 > a.part",
          "the first 5,000 replicates, in a job of their own"}});
  });
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_part(*arguments, interrupt); };
  });
}

}  // namespace bootfold::cli
