// The public face of planning.
#include "bootfold/plan.h"

#include <sstream>

#include "bootfold/error.h"
#include "planning/accompany.h"
#include "planning/choose.h"
#include "planning/clusters.h"
#include "study/problem.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold {

std::string_view name(Path path) noexcept {
  switch (path) {
    case Path::stream:
      return "stream";
    case Path::gather:
      return "gather";
    case Path::distinct:
      return "distinct";
    case Path::order:
      return "order";
    case Path::blocks:
      return "blocks";
    case Path::weights:
      return "weights";
    case Path::deletion:
      return "deletion";
  }
  return "unknown";
}

Path parse_path(std::string_view text) {
  for (const Path path : {Path::stream, Path::gather, Path::distinct, Path::order, Path::blocks,
                          Path::weights, Path::deletion})
    if (name(path) == text) return path;
  throw InvalidArgument(text::concat(
      "unknown path '", text,
      "'; there are stream, gather, distinct, order, blocks, weights and deletion, and without "
      "one "
      "the plan chooses"));
}

namespace {

/// Functions of the resample are evaluated without rows to find what these do: that takes its time.
void add_deletions(Plan& plan, const DataView& data, std::span<const Statistic> statistics) {
  constexpr double kSecondsPerRow = 15e-9;  // as for a resample: copied, then looked at
  const std::uint64_t evaluations = study::Problem(data, statistics).deletions();
  if (evaluations == 0) return;
  const double seconds = kSecondsPerRow * static_cast<double>(evaluations) *
                         static_cast<double>(data.rows()) / plan.threads;
  plan.seconds += seconds;
  plan.reason += text::concat("; what rows do by ", text::grouped(evaluations),
                              evaluations == data.rows() ? " evaluations without one row"
                                                         : " evaluations without one group of rows",
                              " each, which take about ", text::seconds(seconds));
}

}  // namespace

Plan plan(const DataView& data, std::span<const Statistic> statistics, const Options& options) {
  if (options.influence && !std::holds_alternative<scheme::Jackknife>(options.scheme)) {
    Options plain = options;
    plain.influence = false;
    Plan found = plan(data, statistics, plain);
    add_deletions(found, data, statistics);
    return found;
  }
  if (options.standard_errors) {
    const planning::Accompanied all = planning::accompany(data, statistics, options, {});
    Plan plan = planning::prepare(data, all.statistics, options).plan;
    all.describe(plan);
    return plan;
  }
  const auto sums = planning::cluster_sums(data, statistics, options);
  if (!sums) return planning::prepare(data, statistics, options).plan;
  const Statistic of_sums = sums->statistic();
  Plan plan = planning::prepare(sums->view(), {&of_sums, 1}, sums->options(options)).plan;
  sums->describe(plan, options.scheme);
  return plan;
}

Plan plan(const DataView& data, const Statistic& statistic, const Options& options) {
  return plan(data, std::span<const Statistic>(&statistic, 1), options);
}

std::string Plan::explain() const {
  std::ostringstream text;
  text << "path        " << name(path) << "\n"
       << "reason      " << reason << "\n"
       << "scheme      " << scheme << "\n"
       << "work        " << text::grouped(rows) << " rows x " << text::grouped(replicates)
       << " replicates, " << outputs.size() << (outputs.size() == 1 ? " number" : " numbers")
       << " each\n"
       << "arithmetic  " << arithmetic;
  if (digits > 0 && sum_error == 0) text << "; exact";
  if (digits > 0 && sum_error > 0) text << "; error at most " << sum_error << " standard errors";
  text << "\n"
       << "threads     " << threads << ", " << execution::name(level) << "\n"
       << "memory      " << text::bytes(static_cast<double>(working_bytes)) << " to work";
  if (memory_limit > 0)
    text << " of " << text::bytes(static_cast<double>(memory_limit)) << " allowed";
  text << ", " << text::bytes(static_cast<double>(result_bytes)) << " for the result\n"
       << "time        about " << text::seconds(seconds) << "\n";
  return text.str();
}

}  // namespace bootfold
