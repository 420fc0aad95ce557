// cli/compare.cpp: `bootfold compare FILE --value V --by G ...`.
#include "bootfold/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "arguments.h"
#include "bootfold/data.h"
#include "bootfold/error.h"
#include "checkpoint.h"
#include "command.h"
#include "compare_report.h"
#include "console.h"
#include "input_note.h"
#include "memory.h"
#include "nested.h"
#include "output.h"
#include "progress.h"
#include "text/output_file.h"
#include "timer.h"
#include "unchanged.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

/// As typed.
struct CompareArguments {
  Arguments common;
  std::string by;
  std::string control;
  std::vector<std::string> groups;
  std::string difference = "absolute";
  std::string interval = "percentile";
  std::string correction = "none";
  std::string pair;
  std::string test = "bootstrap";
};

void add_compare_arguments(CLI::App& command, CompareArguments& arguments) {
  Arguments& common = arguments.common;
  add_file(command, common);
  add_list(command, "--value,--column", common.columns, "NAME",
           "Column of the values, by name or by number from 1 (two for a ratio)")
      ->group(kWhat);
  add_text(command, "--by", arguments.by, "NAME", "Column of the groups: text or numbers")
      ->group(kWhat);
  add_text(command, "--control", arguments.control, "GROUP",
           "Group that the others are compared with [control, else the first]")
      ->group(kWhat);
  add_list(command, "--groups", arguments.groups, "GROUP",
           "Groups to compare with the control; repeat it or separate by commas [all]")
      ->group(kWhat);
  add_list(command, "--statistic", common.statistics, "S", "Listed below [mean]")->group(kWhat);
  add_text(command, "--difference", arguments.difference, "absolute|relative",
           "group - control, or the lift (group - control) / |control| [absolute]")
      ->group(kWhat);
  add_text(command, "--interval", arguments.interval, "M",
           "percentile, basic, normal, bca or studentized [percentile]")
      ->group(kWhat);
  add_text(command, "--confidence", common.confidence, "P",
           "Confidence level of the interval [0.95]")
      ->group(kWhat);
  add_text(command, "--alternative", common.alternative, "A",
           "two-sided, less (than the control) or greater; limits and p-values follow [two-sided]")
      ->group(kWhat);
  add_text(command, "--correction", arguments.correction, "C",
           "Multiple comparisons: none, bonferroni, holm or simultaneous [none]")
      ->group(kWhat);
  add_text(command, "--replicates", common.replicates, "N",
           "Resamples to draw: 1e6; auto: as many as --precision needs [10000]")
      ->group(kWhat);
  add_text(command, "--test", arguments.test, "T",
           "p-values by bootstrap, from the intervals, or by permutation of the rows [bootstrap]")
      ->group(kWhat);
  add_text(command, "--pair", arguments.pair, "COLUMN",
           "Rows with the same value here are a pair: one in each group, drawn together")
      ->group(kWhat);
  add_precision(command, common);
  add_nested_replicates(command, common);
  add_seed(command, common);
  add_run(command, common);
  add_output_arguments(command, common, "[replicates, groups without the control]");
}

struct CompareRequest {
  Request common;
  comparison::Options options;
};

CompareRequest check(const CompareArguments& arguments) {
  Arguments with_pairs = arguments.common;
  if (!arguments.pair.empty()) {
    if (!arguments.common.scheme.cluster.empty())
      throw InvalidArgument(
          fmt::format("--pair is '{}' and --cluster is '{}' but pairs are clusters already; give "
                      "one of the two",
                      arguments.pair, arguments.common.scheme.cluster));
    if (!arguments.common.scheme.frequencies.empty())
      throw InvalidArgument(
          "--pair and --frequencies do not go together: a pair has one row in every group; write "
          "the rows out, and number the pairs");
    with_pairs.scheme.cluster = arguments.pair;
  }
  CompareRequest request{cli::check(with_pairs), {}};
  Request& common = request.common;
  if (arguments.by.empty())
    throw InvalidArgument("no --by given; name the column that holds the groups: --by variant");
  common.read.labels.push_back(arguments.by);  // behind those of the scheme
  if (common.statistics.size() > 1)
    throw InvalidArgument(fmt::format("--statistic names {} statistics but compare takes one",
                                      common.statistics.size()));
  if (common.exact)
    throw InvalidArgument(
        "--replicates is 'exact' but the exact distribution of a difference of groups is not "
        "available; take a number or auto, or bootfold bootstrap --replicates exact for each "
        "group");
  comparison::Options& options = request.options;
  if (!arguments.control.empty()) options.control = arguments.control;
  options.groups = split_list(arguments.groups);
  options.difference = comparison::parse_difference(arguments.difference);
  options.interval = interval::parse_method(arguments.interval);
  options.correction = comparison::parse_correction(arguments.correction);
  options.confidence = common.interval.confidence;
  options.alternative = common.interval.alternative;
  options.precision = common.precision;
  options.nested_replicates = common.options.nested_replicates;
  options.rescale = common.options.rescale;
  options.paired = !arguments.pair.empty();
  options.test = comparison::parse_test(arguments.test);
  options.replicates = common.options.replicates;
  options.seed = common.options.seed;
  options.memory = common.options.memory;
  options.tolerance = common.options.tolerance;
  options.keep_replicates = !common.output.empty();
  options.checkpoint = common.options.checkpoint;
  options.execution = common.options.execution;
  return request;
}

void write_replicates(const std::string& path, const Comparison& found) {
  const std::array<std::size_t, 2> shape{found.replicates, found.contrasts.size()};
  std::vector<double> values(shape[0] * shape[1]);
  for (std::size_t c = 0; c < shape[1]; ++c)
    for (std::size_t i = 0; i < shape[0]; ++i)
      values[i * shape[1] + c] = found.contrasts[c].replicates[i];
  write_output(path, values, shape);
}

// A bootstrap of every resample takes its time: measured on a group of average size, and said.
void announce(const DataView& data, const data::Labels& groups, const CompareRequest& request,
              const Interrupt& interrupt) {
  const comparison::Options& asked = request.options;
  Options options = request.common.options;
  options.standard_errors = asked.interval == interval::Method::studentized;
  const std::vector<Statistic>& statistics = request.common.statistics;
  if (request.common.quiet || !is_nested(statistics, options) || data.rows() < 2) return;
  const std::size_t count = asked.groups.empty() ? groups.size() : asked.groups.size() + 1;
  const std::size_t rows = std::max<std::size_t>(2, data.rows() / std::max<std::size_t>(count, 1));
  std::vector<ColumnView> columns;
  for (std::size_t c = 0; c < data.columns(); ++c) columns.push_back(data.column(c).slice(0, rows));
  options.execution.stop = interrupt.token();
  const double one = measure_nested(DataView(std::move(columns)), statistics, options);
  announce_nested(static_cast<double>(count) * one, options.nested_replicates);
}

void run_compare(const CompareArguments& arguments, Interrupt& interrupt) {
  const CompareRequest request = check(arguments);
  const Request& common = request.common;
  if (!common.output.empty()) text::check_writable(common.output);

  const Timer reading;
  const data::Table values = data::read(common.files, common.read);
  const double read_seconds = reading.seconds();
  print_input_note(values.note(), common.quiet || common.json);
  print_where_note(values, common.quiet);

  const Interrupt::Work work(interrupt);
  const SchemeRequest::View view(common.scheme, values);
  const data::Labels groups = view.labels(values.labels(common.read.labels.size() - 1));
  announce(view.data(), groups, request, interrupt);
  const Timer computing;
  const Comparison found = while_unchanged(values, request.options.checkpoint, [&] {
    ProgressBar bar(common.quiet);
    comparison::Options options = request.options;
    options.execution.stop = interrupt.token();
    options.execution.progress = bar.callback();
    options.execution.note = notes(common.quiet || common.json);
    options.scheme = view.scheme();
    return compare(view.data(), groups, common.statistics[0], options);
  });
  const double seconds = computing.seconds();
  if (!common.output.empty()) write_replicates(common.output, found);

  CompareRun run{.found = found,
                 .columns = view.columns(),
                 .by = groups.column,
                 .omitted = values.omitted(),
                 .filtered = values.filtered(),
                 .read_seconds = read_seconds,
                 .seconds = seconds};
  run.peak_memory = peak_memory();
  run.resumed = was_resumed();
  print(common.json ? as_json(run) : as_text(run, common.quiet));
  finish_checkpoint(common.options.checkpoint);
}

}  // namespace

void add_compare(CLI::App& root, Task& task) {
  CLI::App* command = root.add_subcommand(
      "compare", "Differences of groups from a control, with intervals and p-values");
  auto arguments = std::make_shared<CompareArguments>();
  add_compare_arguments(*command, *arguments);
  command->footer([] {
    return list_of_statistics() + "\n" +
           examples({{"bootfold compare visits.csv --value revenue --by variant --control A",
                      "mean revenue of every variant against A"},
                     {"bootfold compare visits.csv --value revenue --by variant --difference "
                      "relative --correction simultaneous",
                      "lifts, with intervals that hold for all variants at once"},
                     {"bootfold compare visits.csv --value revenue --by variant --alternative "
                      "greater --replicates auto",
                      "is any variant better? lower limits to 1 % of a standard error"},
                     {"bootfold compare visits.csv --value clicks,views --by variant --statistic "
                      "ratio --replicates 1e5",
                      "a ratio of two columns: clicks per view"},
                     {"bootfold compare times.csv --value ms --by release --groups 2.0,2.1 "
                      "--control 1.9 --statistic quantile:0.99",
                      "the 99th percentile of two releases against 1.9"},
                     {"bootfold compare funnel.csv --value bought --by variant --frequencies users",
                      "a table of counts: variant, bought (0 or 1), number of users"},
                     {"bootfold compare trial.csv --value score --by time --control before --pair "
                      "person",
                      "before and after of the same people"},
                     {"bootfold compare visits/ --value revenue --by variant --where \"country in "
                      "('DE', 'AT')\"",
                      "a folder of .parquet files; rows of two countries"},
                     {"bootfold compare visits.csv --value revenue --by variant --json | jq "
                      "'.contrasts[] | {group, estimate, p_value}'",
                      "JSON output"}});
  });
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_compare(*arguments, interrupt); };
  });
}

}  // namespace bootfold::cli
