// cli/extend.cpp: `bootfold extend RUN.safetensors --replicates N`: more replicates of a saved run.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "arguments.h"
#include "bootfold/bootstrap.h"
#include "bootfold/data.h"
#include "bootfold/error.h"
#include "checkpoint.h"
#include "command.h"
#include "console.h"
#include "failure.h"
#include "input_note.h"
#include "memory.h"
#include "number.h"
#include "origin.h"
#include "progress.h"
#include "reading.h"
#include "report.h"
#include "text.h"
#include "text/output_file.h"
#include "timer.h"
#include "unchanged.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

/// As typed.
struct ExtendArguments {
  std::string run;
  std::string replicates;
  std::vector<std::string> files;
  std::string save;
  std::string threads;
  std::string memory;
  std::string checkpoint;
  bool json = false;
  bool quiet = false;
};

void check_extendable(const ExtendArguments& arguments, const Result& saved,
                      std::uint64_t replicates) {
  if (saved.companions().jackknife)
    throw InvalidArgument(
        fmt::format("{} is a jackknife, which is complete: it has one replicate for each row (or "
                    "cluster)",
                    one_line(arguments.run)));
  if (saved.plan().scheme.starts_with("balanced"))
    throw InvalidArgument(fmt::format(
        "{} is a run of scheme balanced, which cannot be extended; run bootfold bootstrap again "
        "with more --replicates",
        one_line(arguments.run)));
  if (replicates <= saved.count())
    throw InvalidArgument(fmt::format(
        "--replicates is {} but {} has {} already; give the number that it shall have in total",
        grouped(replicates), one_line(arguments.run), grouped(saved.count())));
}

/// The command that made the run, with what may differ now.
Arguments command_of(const ExtendArguments& arguments, const Result& saved) {
  Arguments command = arguments_of(saved.origin(), arguments.run);
  if (!arguments.files.empty()) command.files = arguments.files;
  if (command.files == std::vector<std::string>{"-"} && arguments.files.empty())
    throw InvalidArgument(fmt::format(
        "the data of {} came from standard input; name them with --file (- reads standard input "
        "again)",
        one_line(arguments.run)));
  for (const std::string& file : command.files) {
    const bool glob = file.find_first_of("*?[") != std::string::npos;
    if (file != "-" && !glob && !std::filesystem::exists(file))
      throw DataError(
          fmt::format("cannot read {}, the data of {}: No such file; if they were moved, "
                      "name them with --file",
                      one_line(file), one_line(arguments.run)));
  }
  command.threads = arguments.threads;
  command.memory = arguments.memory;
  command.json = arguments.json;
  command.quiet = arguments.quiet;
  command.checkpoint = arguments.checkpoint;
  return command;
}

/// Throws InvalidArgument unless these are the data that the run was made from.
void check_same_data(const std::string& run, const std::string& file, const Plan& now,
                     const Plan& then) {
  if (now.fingerprint == then.fingerprint) return;
  const std::string what =
      now.rows != then.rows
          ? fmt::format("it had {} rows and has {}", grouped(then.rows), grouped(now.rows))
      : now.columns != then.columns ? "its columns have other names"
                                    : "the values of its rows, or the version of bootfold, differ";
  throw InvalidArgument(fmt::format(
      "{} is not the data that {} was made from: {}; name the right file with --file, or run "
      "bootfold bootstrap again",
      one_line(file), one_line(run), what));
}

void save_extended(const std::string& path, const Result& result) {
  try {
    result.save(path);
  } catch (const DataError& error) {
    throw Failure(error.what());
  }
}

void run_extend(const ExtendArguments& arguments, Interrupt& interrupt) {
  if (arguments.run.empty())
    throw InvalidArgument(
        "no FILE given; name a file that bootfold bootstrap ... --save run.safetensors wrote");
  if (arguments.replicates.empty())
    throw InvalidArgument(
        "no --replicates given; it is the number that the run shall have in total");
  const std::uint64_t replicates = parse_whole("--replicates", arguments.replicates, 1);
  Result result = Result::load(arguments.run);
  check_extendable(arguments, result, replicates);
  const Arguments command = command_of(arguments, result);
  Request request = check(command);
  const std::string target = arguments.save.empty() ? arguments.run : arguments.save;
  if (!target.ends_with(".safetensors"))
    throw InvalidArgument(fmt::format(
        "--save is '{}' but must end in .safetensors, the format it is written in", target));
  check_checkpoint(arguments.checkpoint, {{"FILE", arguments.run}, {"--save", target}});
  text::check_writable(target);

  const Timer reading;
  const data::Table table = read_rows(request);
  const double read_seconds = reading.seconds();
  print_input_note(table.note(), request.quiet || request.json);

  const Interrupt::Work work(interrupt);
  const SchemeRequest::View view(request.scheme, table);
  const Timer computing;
  Options options = request.options;
  options.scheme = view.scheme();
  // More replicates must not come by another path.
  if (result.plan().runs.empty()) options.path = result.plan().path;
  options.first_replicate = result.first_replicate() + result.count();
  options.replicates = replicates - result.count();
  options.influence = false;  // the file has it
  options.standard_errors = !result.companions().replicate_errors.empty();
  options.execution.stop = interrupt.token();
  check_same_data(arguments.run, fmt::format("{}", fmt::join(request.files, ", ")),
                  plan(view.data(), request.statistics, options), result.plan());
  {
    ProgressBar bar(request.quiet);
    options.execution.progress = bar.callback();
    options.execution.note = notes(request.quiet || request.json);
    result.append(while_unchanged(table, arguments.checkpoint, [&] {
      return bootstrap(view.data(), request.statistics, options);
    }));
  }
  const double seconds = computing.seconds();
  result.set_origin(origin_of(command));

  Run run{.result = result,
          .columns = view.columns(),
          .intervals = {},
          .resumed = true,
          .omitted = table.omitted(),
          .read_seconds = read_seconds,
          .seconds = seconds};
  add_intervals(run, request.methods, request.interval);
  save_extended(target, result);
  run.peak_memory = peak_memory();
  print(request.json ? as_json(run) : as_text(run, request.quiet));
  finish_checkpoint(arguments.checkpoint);
}

}  // namespace

void add_extend(CLI::App& root, Task& task) {
  CLI::App* command = root.add_subcommand(
      "extend",
      "More replicates for a run that bootstrap --save has saved: the bits of one long "
      "run");
  auto arguments = std::make_shared<ExtendArguments>();
  command
      ->add_option("FILE", arguments->run,
                   "File that bootfold bootstrap ... --save FILE has written")
      ->option_text(" ");
  add_text(*command, "--replicates", arguments->replicates, "N",
           "Replicates that the run shall have in total: 2e6")
      ->group(kWhat);
  add_list(*command, "--file", arguments->files, "DATA",
           "The data, if they were moved since; repeat it for several [where they were]")
      ->group(kWhat);
  add_text(*command, "--threads", arguments->threads, "T", kThreadsHelp)->group(kHow);
  add_text(*command, "--memory", arguments->memory, "SIZE", kMemoryHelp)->group(kHow);
  add_checkpoint(*command, arguments->checkpoint, kHow);
  add_text(*command, "--save", arguments->save, "OTHER",
           "Save to another .safetensors file and leave FILE as it is [FILE]")
      ->group(kShown);
  command->add_flag("--json", arguments->json, "One JSON object instead of text")
      ->group(kShown)
      ->disable_flag_override();
  command->add_flag("--quiet", arguments->quiet, "Only the numbers: no progress, picture or plan")
      ->group(kShown)
      ->disable_flag_override();
  command->footer(examples(
      {{"bootfold bootstrap prices.csv --column price --replicates 1e5 --save run.safetensors",
        "a run that is saved ..."},
       {"bootfold extend run.safetensors --replicates 2e6",
        "... now has two million replicates: data, statistic, scheme and seed are in the file"},
       {"bootfold extend run.safetensors --replicates 2e6 --file archive/prices.csv",
        "the data were moved; others are refused"},
       {"bootfold extend run.safetensors --replicates 2e6 --save longer.safetensors",
        "keep the shorter run as well"},
       {"bootfold extend run.safetensors --replicates 1e8 --checkpoint run.checkpoint",
        "a long extension: after an interruption, the same command goes on"}}));
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_extend(*arguments, interrupt); };
  });
}

}  // namespace bootfold::cli
