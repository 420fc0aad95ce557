// cli/look.cpp: `bootfold look FILE ... > a.look`: what is known of the rows of a shard.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "arguments.h"
#include "bootfold/error.h"
#include "bootfold/shards.h"
#include "bootfold/sources.h"
#include "command.h"
#include "input_note.h"
#include "number.h"
#include "reading.h"
#include "shard_files.h"
#include "shard_words.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

/// A look at few rows takes every statistic, but those of all shards may be too many.
void note_obstacle(const Request& request) {
  for (std::size_t i = 0; i < request.statistics.size(); ++i)
    if (!shards::obstacle({&request.statistics[i], 1}, {}).empty())
      print_input_note(
          fmt::format("'{}' is computed only if there are at most 4,096 rows in all shards",
                      request.statistic_texts[i]),
          request.quiet);
}

void keep_left_out(shards::Look& look, const LeftOut& rows) {
  shards::Words words = look.words();
  set_left_out(words, rows);
  look.set_words(std::move(words));
}

void run_look(const Arguments& arguments, Interrupt& interrupt) {
  Arguments asked = arguments;
  asked.output.clear();  // a look may have any ending
  if (!arguments.scheme.strata.empty() && !arguments.scheme.cluster.empty())
    throw InvalidArgument("--strata and --cluster are both given; rows have either, not both");
  const Request request = check(asked);
  check_shard_output(arguments.output, arguments.files);
  shards::Words words = words_of(request);
  words["file"] = shard_name(arguments.files);
  data::ReadOptions read = request.read;
  read.may_be_empty = true;
  const Interrupt::Work work(interrupt);
  shards::LookOptions options{.words = std::move(words), .memory = request.options.memory};
  options.execution.threads = request.options.execution.threads;
  options.execution.stop = interrupt.token();
  if (read.labels.empty()) {
    const auto bar = reading_bar(arguments.quiet);
    read.progress = bar->callback();
    const auto source = with_marks(request, [&] { return data::open(arguments.files, read); });
    shards::Look look =
        with_marks(request, [&] { return shards::look(*source, request.statistics, options); });
    note_obstacle(request);
    const data::ReadNotes notes = data::notes(*source);
    keep_left_out(look, {notes.omitted, notes.filtered});
    return write_bytes(arguments.output, look.to_bytes(), "look");
  }
  const data::Table table = with_marks(request, [&] { return data::read(arguments.files, read); });
  const data::Labels labels = all_labels(table, read.labels.size());
  (arguments.scheme.strata.empty() ? options.clusters : options.strata) = &labels;
  shards::Look look = shards::look(table.view(), request.statistics, options);
  note_obstacle(request);
  keep_left_out(look, {table.omitted(), table.filtered()});
  write_bytes(arguments.output, look.to_bytes(), "look");
}

}  // namespace

void add_look(CLI::App& root, Task& task) {
  CLI::App* command = root.add_subcommand(
      "look", "Shards, step 1: reads the rows of a shard once and writes what a plan needs");
  auto arguments = std::make_shared<Arguments>();
  add_file(*command, *arguments);
  add_list(*command, "--column", arguments->columns, "NAME",
           "Columns by name or number from 1, or expressions such as log(price); the same for all "
           "shards")
      ->group(kWhat);
  add_list(*command, "--statistic", arguments->statistics, "S",
           "Statistics: functions of sums and quantiles, or expressions: \"sum(cost) / "
           "sum(clicks)\" [mean]")
      ->group(kWhat);
  add_text(*command, "--strata", arguments->scheme.strata, "COLUMN",
           "Draw rows within strata; the shard is read into memory")
      ->group(kWhat);
  add_text(*command, "--cluster", arguments->scheme.cluster, "COLUMN",
           "Draw whole clusters, which may have rows in several shards; the shard is read into "
           "memory")
      ->group(kWhat);
  add_reading(*command, *arguments);
  add_text(*command, "--threads", arguments->threads, "T", kThreadsHelp)->group(kHow);
  add_text(*command, "--memory", arguments->memory, "SIZE", kMemoryHelp)->group(kHow);
  add_text(*command, "--output", arguments->output, "FILE", "Write to a file [standard output]")
      ->group(kShown);
  command->footer([] {
    return examples({{"bootfold look monday.csv --column price > monday.look",
                      "the shards may be looked at anywhere and in any order ..."},
                     {"bootfold plan monday.look tuesday.look --replicates 1e4 > prices.plan",
                      "... and are planned together, in the order of their rows"},
                     {"bootfold part prices.plan monday.csv > monday.part",
                      "each shard is added up for all replicates"},
                     {"bootfold merge prices.plan *.part --output run.safetensors",
                      "the result, with the bits of one run over all files"}});
  });
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_look(*arguments, interrupt); };
  });
}

}  // namespace bootfold::cli
