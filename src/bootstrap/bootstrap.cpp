// Plan, run, sum up.
#include "bootfold/bootstrap.h"

#include <optional>
#include <utility>

#include "bootstrap/companions.h"
#include "bootstrap/order_data.h"
#include "bootstrap/paths.h"
#include "plan/choose.h"

namespace bootfold {

Result bootstrap(const DataView& data, std::span<const Statistic> statistics,
                 const Options& options) {
  if (options.influence || options.standard_errors)
    return paths::bootstrap_accompanied(data, statistics, options);
  const planning::Prepared prepared = planning::prepare(data, statistics, options);
  std::optional<paths::OrderData> order;
  if (prepared.plan.path == Path::order)
    order.emplace(prepared.problem, options.memory - prepared.plan.working_bytes,
                  options.execution.stop);
  std::vector<double> estimates =
      paths::estimates(prepared, options.execution, order ? &*order : nullptr);
  std::vector<double> values(options.replicates * prepared.plan.outputs.size());
  paths::Run run{prepared, options.seed, options.first_replicate, options.execution, values};
  run.execution.threads = prepared.plan.threads;
  run.execution.level = prepared.plan.level;
  switch (prepared.plan.path) {
    case Path::stream:
      prepared.problem.all<statistic::Fold>() ? run_accumulate(run) : run_stream(run);
      break;
    case Path::gather:
      prepared.whole_resample ? run_resampled(run) : run_gather(run);
      break;
    case Path::distinct:
      run_distinct(run);
      break;
    case Path::order:
      run_order(run, *order);
      break;
  }
  return Result(prepared.plan, options.seed, std::move(estimates), std::move(values));
}

Result bootstrap(const DataView& data, const Statistic& statistic, const Options& options) {
  return bootstrap(data, std::span<const Statistic>(&statistic, 1), options);
}

}  // namespace bootfold
