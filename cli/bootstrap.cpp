// cli/bootstrap.cpp: `bootfold bootstrap FILE ...`.
#include "bootfold/bootstrap.h"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "arguments.h"
#include "bootfold/data.h"
#include "bootfold/error.h"
#include "command.h"
#include "console.h"
#include "exact.h"
#include "failure.h"
#include "memory.h"
#include "progress.h"
#include "report.h"
#include "timer.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

Result compute(const data::Table& table, const Request& request, Interrupt& interrupt) {
  ProgressBar bar(request.quiet);
  Options options = request.options;
  options.execution.stop = interrupt.token();
  options.execution.progress = bar.callback();
  return bootstrap(table.view(), request.statistics, options);
}

// The path was writable before the work, so what goes wrong now is the run's failure.
void write_replicates(const std::string& path, const Result& result) {
  const std::array<std::size_t, 2> shape{result.replicates().size() / result.outputs(),
                                         result.outputs()};
  try {
    data::write_npy(path, result.replicates(),
                    std::span(shape).first(result.outputs() == 1 ? 1 : 2));
  } catch (const DataError& error) {
    throw Failure(error.what());
  }
}

void run_bootstrap(const Arguments& arguments, Interrupt& interrupt) {
  const Request request = check(arguments);
  if (!request.output.empty()) data::check_writable(request.output);

  const Timer reading;
  const data::Table table = data::read(request.file, request.read);
  const double read_seconds = reading.seconds();

  const Interrupt::Work work(interrupt);
  if (request.exact) return print(exact_report(table, request, read_seconds, interrupt));
  const Timer computing;
  const Result result = compute(table, request, interrupt);
  const double seconds = computing.seconds();
  if (!request.output.empty()) write_replicates(request.output, result);

  Run run{.result = result,
          .columns = table.names(),
          .intervals = intervals(result, request.confidence),
          .omitted = table.omitted(),
          .read_seconds = read_seconds,
          .seconds = seconds};
  run.peak_memory = peak_memory();
  print(request.json ? as_json(run) : as_text(run, request.quiet));
}

}  // namespace

void add_bootstrap(CLI::App& root, Task& task) {
  CLI::App* command = root.add_subcommand(
      "bootstrap", "How much would a statistic change if the data had been drawn again?");
  auto arguments = std::make_shared<Arguments>();
  add_arguments(*command, *arguments);
  command->footer([] {
    return list_of_statistics() + "\n" +
           examples(
               {{"bootfold bootstrap prices.csv --column price",
                 "standard error and 95% interval of the mean price"},
                {"bootfold bootstrap prices.csv --column price --statistic median,quantile:0.9 "
                 "--replicates 1e6",
                 "two quantiles over the same million resamples"},
                {"bootfold bootstrap trades.csv.gz --column price,volume --statistic "
                 "correlation --confidence 0.99",
                 "a statistic of two columns"},
                {"zcat big.csv.gz | bootfold bootstrap - --column 3 --nan omit --json | jq "
                 ".interval",
                 "from a pipe into a program"},
                {"bootfold bootstrap prices.csv --column price --replicates exact",
                 "the bootstrap distribution itself, without Monte Carlo error"},
                {"bootfold bootstrap x.npy --statistic mean --replicates 1e5 --seed 7 --output "
                 "means.npy",
                 "keep the replicates"}});
  });
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_bootstrap(*arguments, interrupt); };
  });
}

}  // namespace bootfold::cli
