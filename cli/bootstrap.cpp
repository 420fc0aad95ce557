// cli/bootstrap.cpp: `bootfold bootstrap FILE ...`.
#include "bootfold/bootstrap.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "arguments.h"
#include "bootfold/data.h"
#include "bootfold/error.h"
#include "bootfold/precision.h"
#include "bootfold/sources.h"
#include "bootfold/undefined.h"
#include "bootstrap_group.h"
#include "checkpoint.h"
#include "command.h"
#include "console.h"
#include "exact.h"
#include "failure.h"
#include "grouped.h"
#include "input_note.h"
#include "memory.h"
#include "nested.h"
#include "origin.h"
#include "output.h"
#include "plot.h"
#include "progress.h"
#include "reading.h"
#include "report.h"
#include "streamed.h"
#include "text.h"
#include "text/output_file.h"
#include "timer.h"
#include "unchanged.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

Reached compute(const SchemeRequest::View& view, const Request& request, Interrupt& interrupt) {
  ProgressBar bar(request.quiet);
  Options options = request.options;
  options.scheme = view.scheme();
  options.execution.stop = interrupt.token();
  options.execution.progress = bar.callback();
  options.execution.note = notes(request.quiet || request.json);
  if (!request.precision) return {bootstrap(view.data(), request.statistics, options)};
  return bootstrap_to_precision(view.data(), request.statistics,
                                {.precision = *request.precision,
                                 .method = request.methods.front(),
                                 .interval = request.interval},
                                options);
}

// A bootstrap of every resample takes its time: said before it starts.
void announce(const SchemeRequest::View& view, const Request& request, const Interrupt& interrupt) {
  Options options = request.options;
  options.scheme = view.scheme();
  if (request.quiet || !is_nested(request.statistics, options)) return;
  options.execution.stop = interrupt.token();
  announce_nested(measure_nested(view.data(), request.statistics, options),
                  options.nested_replicates);
}

void save(const std::string& path, const Result& result) {
  try {
    result.save(path);
  } catch (const DataError& error) {
    throw Failure(error.what());
  }
}

/// Why estimates of expressions are undefined, for each value; empty if none is.
std::vector<std::string> reasons(const Result& result, const Request& request,
                                 const DataView& rows) {
  std::vector<std::string> found;
  for (const std::string& text : request.statistic_texts) {
    if (text.find('(') == text.npos) continue;
    const Statistic statistic = statistic::parse(text);
    const std::string name = statistic.bind(statistic.columns().size()).outputs[0];
    for (std::size_t i = 0; i < result.outputs(); ++i) {
      if (!std::isnan(result.estimate(i)) || result.plan().outputs[i] != name) continue;
      found.resize(result.outputs());
      found[i] = why_undefined(rows, text);
    }
  }
  return found;
}

/// Of files that are larger than memory.
void run_streamed(const Arguments& arguments, const Request& request, const data::Source& source,
                  Interrupt& interrupt) {
  const Interrupt::Work work(interrupt);
  const Timer computing;
  Options options = options_for_source(request);
  options.execution.stop = interrupt.token();
  Result result = [&] {
    ProgressBar bar(request.quiet || !source.stored_rows());  // text has the other bar
    options.execution.progress = bar.callback();
    options.execution.note = notes(request.quiet || request.json);
    return bootstrap(source, request.statistics, options);
  }();
  result.set_origin(origin_of(arguments));
  const data::ReadNotes read = data::notes(source);
  print_input_note(read.note, request.quiet || request.json);
  Run run{.result = result,
          .columns = source.names(),
          .intervals = {},
          .resumed = was_resumed(),
          .omitted = read.omitted,
          .filtered = read.filtered,
          .seconds = computing.seconds()};
  add_intervals(run, request.methods, request.interval);
  report(run, request);
  finish_checkpoint(request.options.checkpoint);
}

}  // namespace

void run_bootstrap(const Arguments& arguments, Interrupt& interrupt) {
  const Request request = check(arguments);
  if (!arguments.by.empty()) return run_grouped(arguments, request, interrupt);
  check_files(request);
  // Text files tell how far they are read, other files how much is added up.
  const auto bar = reading_bar(request.quiet);
  Request watched = request;
  watched.read.progress = bar->callback();
  if (const auto source = streamed(watched))
    return with_marks(request, [&] { run_streamed(arguments, request, *source, interrupt); });

  const RowsRead rows = read_and_tell(request);
  const data::Table& table = rows.table;

  const Interrupt::Work work(interrupt);
  const SchemeRequest::View view(request.scheme, table);
  if (request.exact) return print(exact_report(table, request, rows.seconds, interrupt));
  announce(view, request, interrupt);
  const Timer computing;
  Reached reached = while_unchanged(table, request.options.checkpoint,
                                    [&] { return compute(view, request, interrupt); });
  reached.result.set_origin(origin_of(arguments));
  const Result& result = reached.result;
  const double seconds = computing.seconds();

  Run run{.result = result,
          .columns = view.columns(),
          .intervals = {},
          .resumed = was_resumed(),
          .omitted = table.omitted(),
          .filtered = table.filtered(),
          .read_seconds = rows.seconds,
          .seconds = seconds};
  add_intervals(run, request.methods, request.interval);
  run.reasons = reasons(result, request, view.data());
  if (request.precision)
    run.effort = {*request.precision, reached.precision, reached.met, reached.rounds};
  report(run, request);
  finish_checkpoint(request.options.checkpoint);
}

void report(const Run& run, const Request& request) {
  if (!request.output.empty())
    write_output(request.output, run.result.replicates(), run.result.plan().outputs);
  if (!request.plot.empty()) write_plot(request.plot, plot_of(run));
  if (!request.save.empty()) save(request.save, run.result);
  Run whole = run;
  whole.peak_memory = peak_memory();
  print(request.json ? as_json(whole) : as_text(whole, request.quiet));
}

void check_files(const Request& request) {
  if (!request.output.empty()) check_output_file(request.output);
  if (!request.plot.empty()) check_plot_file(request.plot);
  if (!request.save.empty()) text::check_writable(request.save);
}

void add_bootstrap(CLI::App& root, Task& task) {
  CLI::App* command =
      root.add_subcommand("bootstrap", "Standard errors and confidence intervals of statistics");
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
                {"bootfold bootstrap scores.csv --column score --cluster school",
                 "whole schools are drawn, because pupils of a school are correlated"},
                {"bootfold bootstrap scores.csv --column score --cluster school,class --strata "
                 "region",
                 "whole classes, drawn within each region"},
                {"bootfold bootstrap flights.csv --column dep_delay --statistic mean,median --by "
                 "carrier,month --output delays.csv",
                 "an interval for every carrier and month, also as a table"},
                {"bootfold bootstrap survey.csv --column income --statistic median --weights w",
                 "survey weights: a weighted median, with rows drawn alike"},
                {"bootfold bootstrap counts.csv --column value --frequencies count",
                 "a table of counts: a row stands for so many equal rows"},
                {"bootfold bootstrap law.csv --column lsat,gpa --statistic correlation --scheme "
                 "jackknife",
                 "the jackknife: deletes one row at a time, no resamples"},
                {"bootfold bootstrap patients.csv --column after,before --statistic difference",
                 "paired samples: both columns of a row are drawn together"},
                {"bootfold bootstrap returns.csv --column r --statistic sharpe_ratio:252 --scheme "
                 "stationary",
                 "a time series: blocks of consecutive rows, with an automatic block length"},
                {"bootfold bootstrap prices.csv --column price --interval all --save "
                 "run.safetensors",
                 "every interval, and a file from which bootfold interval computes more"},
                {"bootfold bootstrap prices.csv --column price --interval bca --replicates auto",
                 "enough replicates for limits to within 1 % of a standard error"},
                {"bootfold bootstrap big.npy --statistic trimmed_mean:0.1 --replicates 1e6 "
                 "--checkpoint run.checkpoint",
                 "a long run: after an interruption, the same command goes on"},
                {"zcat big.csv.gz | bootfold bootstrap - --column 3 --nan omit --json | jq "
                 ".interval",
                 "reads a pipe and writes JSON"},
                {"bootfold bootstrap preise.csv --column preis --decimal , --thousands . --missing "
                 "-,k.A. --nan omit",
                 "1.234,56 is a number; rows with - or k.A. are left out"},
                {"bootfold bootstrap 'sales/*.parquet' --column price --where \"year >= 2020 and "
                 "region == 'north'\"",
                 "several files as one, and only the rows for which a condition is true"},
                {"mpirun -n 4 bootfold bootstrap big.npy",
                 "four processes, each with its own rows; on one machine or several"},
                {"bootfold bootstrap prices.csv --column price --replicates exact",
                 "the bootstrap distribution itself, without Monte Carlo error"},
                {"bootfold bootstrap x.npy --statistic mean --replicates 1e5 --seed 7 --output "
                 "means.npy",
                 "keep the replicates"}});
  });
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_bootstrap(*arguments, interrupt); };
    task.together = [arguments](Interrupt& interrupt, const distributed::Group& group) {
      bootstrap_in_group(*arguments, interrupt, group);
    };
  });
}

}  // namespace bootfold::cli
