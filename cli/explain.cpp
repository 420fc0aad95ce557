// cli/explain.cpp: `bootfold explain FILE ...`: what bootstrap would do, and what it would cost.
#include <memory>

#include "arguments.h"
#include "bootfold/data.h"
#include "bootfold/error.h"
#include "bootfold/plan.h"
#include "bootfold/sources.h"
#include "command.h"
#include "console.h"
#include "exact.h"
#include "input_note.h"
#include "nested.h"
#include "reading.h"
#include "report.h"
#include "streamed.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

void run_explain(const Arguments& arguments, Interrupt& interrupt) {
  const Request request = check(arguments);
  if (!arguments.by.empty())
    throw InvalidArgument(
        "--by is given but explain tells of one bootstrap; omit --by, or choose a group by "
        "--where");
  if (const auto source = streamed(request)) {
    Options options = options_for_source(request);
    options.execution.stop = interrupt.token();
    const Interrupt::Work work(interrupt);
    const Plan chosen = plan(*source, request.statistics, options);
    const data::ReadNotes notes = data::notes(*source);
    const Forecast forecast{.plan = chosen,
                            .columns = source->names(),
                            .omitted = notes.omitted,
                            .seed = request.options.seed};
    return print(request.json ? as_json(forecast) : as_text(forecast));
  }
  const data::Table table = read_files(request.files, request.read, request.quiet);
  print_input_note(table.note(), request.quiet || request.json);
  print_where_note(table, request.quiet);
  if (request.exact) return print(exact_forecast(table, request));
  const Interrupt::Work work(interrupt);
  const SchemeRequest::View view(request.scheme, table);
  Options options = request.options;
  options.scheme = view.scheme();
  Plan chosen = plan(view.data(), request.statistics, options);
  if (is_nested(request.statistics, options)) {
    options.execution.stop = interrupt.token();
    chosen.seconds = measure_nested(view.data(), request.statistics, options);
    chosen.reason += "; the time below is measured on a few replicates";
  }
  const Forecast forecast{.plan = chosen,
                          .columns = view.columns(),
                          .omitted = table.omitted(),
                          .filtered = table.filtered(),
                          .data_bytes = table.bytes(),
                          .seed = request.options.seed};
  print(request.json ? as_json(forecast) : as_text(forecast));
}

}  // namespace

void add_explain(CLI::App& root, Task& task) {
  CLI::App* command = root.add_subcommand(
      "explain", "How bootstrap would run with the same arguments: path, reason, memory, time");
  auto arguments = std::make_shared<Arguments>();
  add_arguments(*command, *arguments);
  command->footer([] {
    return list_of_statistics() + "\n" +
           examples({{"bootfold explain prices.csv --column price --replicates 1e6",
                      "how long would a million replicates take?"},
                     {"bootfold explain prices.csv --column price --statistic median",
                      "order statistics need no pass over the rows"},
                     {"bootfold explain prices.csv --column price --path gather --threads 1",
                      "what another path would cost"},
                     {"bootfold explain x.npy --statistic variance --json | jq .plan.path",
                      "JSON output"}});
  });
  command->callback([arguments, &task] {
    task = [arguments](Interrupt& interrupt) { run_explain(*arguments, interrupt); };
  });
}

}  // namespace bootfold::cli
