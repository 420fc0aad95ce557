#include "grouped.h"

#include <fmt/format.h>

#include "bootfold/error.h"
#include "bootfold/groups.h"
#include "console.h"
#include "failure.h"
#include "group_labels.h"
#include "grouped_report.h"
#include "memory.h"
#include "output.h"
#include "plot.h"
#include "progress.h"
#include "reading.h"
#include "timer.h"
#include "unchanged.h"

namespace bootfold::cli {
namespace {

void check_grouped(const Arguments& arguments, const Request& request) {
  const auto refuse = [](const std::string& given, const char* reason) {
    throw InvalidArgument(fmt::format("{} is not for groups (--by): {}", given, reason));
  };
  if (request.exact)
    refuse("--replicates exact", "take a number or auto, or choose a group by --where");
  if (!request.save.empty())
    refuse("--save", "--output table.csv writes a table of the groups; choose one by --where");
  if (!request.options.checkpoint.empty())
    refuse("--checkpoint", "omit it, or choose a large group by --where");
  if (request.methods.size() > 1) refuse("--interval with several methods", "give one");
  check_by(split_list(arguments.by));
}

}  // namespace

void run_grouped(const Arguments& arguments, Request request, Interrupt& interrupt) {
  check_grouped(arguments, request);
  if (!request.output.empty()) check_output_file(request.output);
  if (!request.plot.empty()) check_plot_file(request.plot);
  const std::vector<std::string> by = split_list(arguments.by);
  request.read.labels.insert(request.read.labels.end(), by.begin(),
                             by.end());  // behind the scheme's
  const RowsRead rows = read_and_tell(request);
  const data::Table& table = rows.table;

  const Interrupt::Work work(interrupt);
  const SchemeRequest::View view(request.scheme, table);
  const std::vector<data::Labels> labels =
      labels_of_groups(view, table, request.read.labels.size(), by.size());
  const Timer computing;
  const GroupedResult found = while_unchanged(table, "", [&] {
    ProgressBar bar(request.quiet);
    Options options = request.options;
    options.scheme = view.scheme();
    options.execution.stop = interrupt.token();
    options.execution.progress = bar.callback();
    return bootstrap_groups(view.data(), labels, request.statistics, options,
                            {.interval = request.methods.front(),
                             .limits = request.interval,
                             .precision = request.precision});
  });
  GroupedRun run{.found = found,
                 .method = request.methods.front(),
                 .confidence = request.interval.confidence,
                 .omitted = table.omitted(),
                 .filtered = table.filtered(),
                 .read_seconds = rows.seconds,
                 .seconds = computing.seconds()};
  run.peak_memory = peak_memory();
  run.weights = arguments.scheme.weights;
  if (!request.output.empty()) write_columns(request.output, tidy_columns(found));
  if (!request.plot.empty()) write_plot(request.plot, plot_of(run));
  print(request.json ? as_json(run) : as_text(run, request.quiet));
}

}  // namespace bootfold::cli
