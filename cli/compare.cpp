// cli/compare.cpp: `bootfold compare FILE --value V --by G ...`.
#include "bootfold/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "arguments.h"
#include "bootfold/covariate.h"
#include "bootfold/data.h"
#include "bootfold/error.h"
#include "checkpoint.h"
#include "command.h"
#include "compare_report.h"
#include "console.h"
#include "group_labels.h"
#include "memory.h"
#include "nested.h"
#include "output.h"
#include "plot.h"
#include "progress.h"
#include "reading.h"
#include "timer.h"
#include "unchanged.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

/// As typed.
struct CompareArguments {
  Arguments common;
  std::vector<std::string> by;
  std::string control;
  std::vector<std::string> groups;
  std::string difference = "absolute";
  std::string interval = "percentile";
  std::string correction = "none";
  std::string pair;
  std::string covariate;
  std::string test = "bootstrap";
};

void add_compare_arguments(CLI::App& command, CompareArguments& arguments) {
  Arguments& common = arguments.common;
  add_file(command, common);
  add_list(command, "--value,--column", common.columns, "NAME",
           "Columns of the values, by name or by number from 1: each by itself, or together for a "
           "statistic of several columns (two for a ratio)")
      ->group(kWhat);
  add_list(command, "--by", arguments.by, "NAME",
           "Columns of the groups, text or numbers; with several, their combinations")
      ->group(kWhat);
  add_text(command, "--control", arguments.control, "GROUP",
           "Group that the others are compared with; a combination as \"UA, 1\" [control, else the "
           "first]")
      ->group(kWhat);
  add_list(command, "--groups", arguments.groups, "GROUP",
           "Groups to compare with the control; repeat it or separate by commas [all]")
      ->group(kWhat);
  add_list(command, "--statistic", common.statistics, "S",
           "Statistics, listed below, or expressions: \"quantile(cost, 0.9)\", \"sum(cost) / "
           "sum(clicks)\"; one comparison for each [mean]")
      ->group(kWhat);
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
  add_text(command, "--covariate", arguments.covariate, "COLUMN",
           "Adjust means for this column, known before the experiment, to reduce their variance "
           "(CUPED)")
      ->group(kWhat);
  add_precision(command, common);
  add_nested_replicates(command, common);
  add_seed(command, common);
  add_run(command, common);
  add_output_arguments(command, common,
                       "[replicates, groups without the control], "
                       "with several comparisons as the second axis; .csv and .parquet: a table of "
                       "the differences");
}

/// A name that split_list() leaves whole.
std::string quoted_name(const std::string& name) {
  std::string quoted = "\"";
  for (const char each : name) quoted += each == '"' ? std::string("\"\"") : std::string(1, each);
  return quoted + "\"";
}

/// The values without the last column, adjusted for it.
class AdjustedValues {
 public:
  AdjustedValues(const DataView& data, const data::Labels& groups) {
    const std::size_t last = data.columns() - 1;
    std::vector<ColumnView> columns;
    std::vector<std::string> names;
    for (std::size_t c = 0; c < last; ++c) {
      adjusted_.push_back(adjust(data.column(c), data.column(last), groups));
      names.push_back(data.name(c));
    }
    for (const Adjusted& each : adjusted_) columns.emplace_back(each.values);
    data_ = DataView(std::move(columns), std::move(names));
  }

  [[nodiscard]] const DataView& data() const { return data_; }
  [[nodiscard]] const Adjusted& column(std::size_t c) const { return adjusted_[c]; }

 private:
  std::vector<Adjusted> adjusted_;
  DataView data_;
};

/// Values of which means are adjusted: mean(revenue) is the mean of value revenue.
void take_means(Arguments& arguments) {
  std::vector<std::string> columns;
  const std::vector<std::string> texts = split_list(arguments.statistics);
  for (const std::string& text : texts) {
    const Statistic statistic = statistic::parse(text);
    if (statistic.name() != "mean" && (statistic.columns().size() != 1 ||
                                       text != fmt::format("mean({})", statistic.columns()[0])))
      throw InvalidArgument(
          fmt::format("--covariate adjusts means but --statistic is '{}'; use mean with --value "
                      "COLUMN, or omit "
                      "--covariate",
                      text));
    if (statistic.name() != "mean") columns.push_back(quoted_name(statistic.columns()[0]));
  }
  if (columns.empty()) return;
  if (columns.size() < texts.size() || !arguments.columns.empty())
    throw InvalidArgument(
        "--covariate is for mean with --value COLUMN, or for mean(COLUMN), but both are given; "
        "name "
        "all columns in one way");
  arguments.columns = columns;
  arguments.statistics = {"mean"};
}

struct CompareRequest {
  Request common;
  comparison::Options options;
  std::size_t by = 1;  ///< columns of the groups: the last labels
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
  if (!arguments.covariate.empty()) {
    take_means(with_pairs);
    if (with_pairs.columns.empty())
      throw InvalidArgument(
          "--covariate needs --value as well: name the column whose mean is compared");
    if (!with_pairs.scheme.weights.empty())
      throw InvalidArgument("--covariate and --weights do not go together; omit one of them");
    with_pairs.columns.push_back(quoted_name(arguments.covariate));  // behind the values
  }
  CompareRequest request{cli::check(with_pairs), {}, 1};
  Request& common = request.common;
  const std::vector<std::string> by = split_list(arguments.by);
  if (by.empty())
    throw InvalidArgument("no --by given; name the column that holds the groups: --by variant");
  check_by(by);
  common.read.labels.insert(common.read.labels.end(), by.begin(), by.end());  // behind the scheme's
  request.by = by.size();
  if (common.exact)
    throw InvalidArgument(
        "--replicates is 'exact' but the exact distribution of a difference of groups is not "
        "available; take a number or auto, or bootfold bootstrap --replicates exact for each "
        "group");
  comparison::Options& options = request.options;
  if (!arguments.control.empty())
    options.control = names_of_groups({arguments.control}, by.size(), "--control").front();
  options.groups = names_of_groups(split_list(arguments.groups), by.size(), "--groups");
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
  options.keep_replicates = common.output.ends_with(".npy");
  options.checkpoint = common.options.checkpoint;
  options.execution = common.options.execution;
  return request;
}

/// The replicates as .npy.
void write_replicates(const std::string& path, const std::vector<Comparison>& all) {
  // Without the axis of the comparisons if there is one. --replicates auto may take more replicates
  // for one comparison than for another: what it does not have is NaN.
  std::size_t replicates = 0;
  for (const Comparison& found : all)
    replicates = std::max<std::size_t>(replicates, found.replicates);
  std::vector<std::size_t> shape{replicates, all.size(), all[0].contrasts.size()};
  const std::size_t columns = shape[1] * shape[2];
  std::vector<double> values(replicates * columns, std::numeric_limits<double>::quiet_NaN());
  std::vector<std::string> names;
  for (std::size_t k = 0; k < shape[1]; ++k)
    for (std::size_t c = 0; c < shape[2]; ++c) {
      const Comparison& found = all[k];
      names.push_back(found.contrasts[c].group);
      if (all.size() > 1)
        names.back() = fmt::format(
            "{}{}: {}", found.statistic,
            found.columns.empty() ? "" : fmt::format(" of {}", fmt::join(found.columns, ", ")),
            names.back());
      for (std::size_t i = 0; i < found.replicates; ++i)
        values[i * columns + k * shape[2] + c] = found.contrasts[c].replicates[i];
    }
  if (all.size() == 1) shape.erase(shape.begin() + 1);
  write_output(path, values, names, shape);
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

/// Leaves groups of one row out, which have no standard error, and returns their names. Groups that
/// were asked for stay, with their error.
std::vector<std::string> leave_small_out(const data::Labels& groups, comparison::Options& options) {
  if (!options.groups.empty()) return {};
  const std::vector<std::uint64_t> rows = groups.counts();
  std::vector<std::string> left_out;
  std::vector<std::string> others;
  for (std::size_t code = 0; code < rows.size(); ++code)
    if (rows[code] > 0 && groups.names[code] != options.control)
      (rows[code] == 1 ? left_out : others).push_back(groups.names[code]);
  if (left_out.empty() || others.size() < (options.control ? 1 : 2)) return {};
  options.groups = std::move(others);
  return left_out;
}

void run_compare(const CompareArguments& arguments, Interrupt& interrupt) {
  const CompareRequest request = check(arguments);
  const Request& common = request.common;
  if (!common.output.empty()) check_output_file(common.output);
  if (!common.plot.empty()) check_plot_file(common.plot);

  const RowsRead rows = read_and_tell(common);
  const data::Table& values = rows.table;
  const Interrupt::Work work(interrupt);
  const SchemeRequest::View view(common.scheme, values);
  const data::Labels groups =
      data::combined(labels_of_groups(view, values, common.read.labels.size(), request.by));
  std::optional<AdjustedValues> adjusted;
  if (!arguments.covariate.empty()) adjusted.emplace(view.data(), groups);
  const DataView& data = adjusted ? adjusted->data() : view.data();
  comparison::Options options = request.options;
  const std::vector<std::string> left_out = leave_small_out(groups, options);
  announce(data, groups, request, interrupt);
  const Timer computing;
  const std::vector<Comparison> all = while_unchanged(values, request.options.checkpoint, [&] {
    ProgressBar bar(common.quiet);
    options.execution.stop = interrupt.token();
    options.execution.progress = bar.callback();
    options.execution.note = notes(common.quiet || common.json);
    options.scheme = view.scheme();
    return compare_all(data, groups, common.statistics, options);
  });
  const double seconds = computing.seconds();
  std::vector<CompareRun> runs;
  for (const Comparison& found : all) {
    runs.push_back({.found = found,
                    .columns = found.columns,
                    .by = groups.column,
                    .left_out = left_out,
                    .omitted = values.omitted(),
                    .filtered = values.filtered(),
                    .read_seconds = rows.seconds,
                    .seconds = seconds,
                    .peak_memory = peak_memory(),
                    .resumed = was_resumed()});
    if (!adjusted) continue;
    // Means, one for each value.
    const Adjusted& column = adjusted->column(runs.size() - 1);
    runs.back().covariate = {arguments.covariate, column.theta, column.explained};
  }
  if (!common.output.empty()) {
    if (common.output.ends_with(".npy"))
      write_replicates(common.output, all);
    else
      write_columns(common.output, tidy_columns(runs));
  }
  if (!common.plot.empty()) write_plot(common.plot, plot_of(runs));
  print(common.json ? as_json(runs) : as_text(runs, common.quiet));
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
           examples(
               {{"bootfold compare visits.csv --value revenue --by variant --control A",
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
                {"bootfold compare visits.csv --value revenue,orders --by variant --statistic "
                 "mean,median",
                 "mean and median of both columns: four comparisons"},
                {"bootfold compare visits.csv --value clicks,views --by variant --statistic "
                 "ratio --cluster user",
                 "clicks per view; visits of a user are drawn together"},
                {"bootfold compare times.csv --value ms --by release --groups 2.0,2.1 "
                 "--control 1.9 --statistic quantile:0.99",
                 "the 99th percentile of two releases against 1.9"},
                {"bootfold compare flights.csv --by carrier --control UA --statistic "
                 "\"quantile(dep_delay, 0.9)\" --difference relative",
                 "an expression of columns: the delay that one flight in ten exceeds"},
                {"bootfold compare funnel.csv --value bought --by variant --frequencies users",
                 "a table of counts: variant, bought (0 or 1), number of users"},
                {"bootfold compare flights.csv --value dep_delay --by carrier,origin --control "
                 "'UA, JFK'",
                 "combinations of carrier and origin"},
                {"bootfold compare trial.csv --value score --by time --control before --pair "
                 "person",
                 "before and after of the same people"},
                {"bootfold compare visits.csv --value revenue --by variant --covariate "
                 "revenue_before",
                 "less variance: means adjusted for what was known before the experiment"},
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
