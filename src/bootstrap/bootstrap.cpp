// Plan, run, sum up.
#include "bootfold/bootstrap.h"

#include <optional>
#include <utility>

#include "bootstrap/companions.h"
#include "paths/deletion.h"
#include "paths/order_data.h"
#include "paths/paths.h"
#include "planning/choose.h"
#include "planning/clusters.h"
#include "planning/memory.h"

namespace bootfold {

namespace {

/// Runs a plan; `describe` tells it in the words of the person who asked.
template <class Describe>
Result run(const planning::Prepared& prepared, const Options& options, Describe&& describe) {
  std::optional<paths::OrderData> order;
  if (prepared.plan.path == Path::order)
    order.emplace(prepared.problem, prepared.plan.draws,
                  planning::memory_limit(options) - prepared.plan.working_bytes,
                  options.execution.stop);
  std::vector<double> estimates =
      paths::estimates(prepared, options.execution, order ? &*order : nullptr);
  std::vector<double> values(prepared.plan.replicates * prepared.plan.outputs.size());
  paths::Run work{prepared, options.seed, options.first_replicate, options.execution, values};
  work.execution.threads = prepared.plan.threads;
  work.execution.level = prepared.plan.level;
  switch (prepared.plan.path) {
    case Path::stream:
      prepared.problem.all<statistic::Fold>() ? run_accumulate(work) : run_stream(work);
      break;
    case Path::gather:
      prepared.whole_resample ? run_resampled(work) : run_gather(work);
      break;
    case Path::distinct:
      run_distinct(work);
      break;
    case Path::order:
      run_order(work, *order);
      break;
    case Path::blocks:
      run_blocks(work);
      break;
    case Path::weights:
      run_weights(work);
      break;
    case Path::deletion:
      run_deletion(work);
      break;
  }
  Companions companions;
  if (std::holds_alternative<scheme::Jackknife>(prepared.scheme))
    companions = jackknife_companions(work, estimates);
  Plan plan = prepared.plan;
  describe(plan);
  return Result(std::move(plan), options.seed, std::move(estimates), std::move(values),
                std::move(companions));
}

}  // namespace

Result bootstrap(const DataView& data, std::span<const Statistic> statistics,
                 const Options& options) {
  if (options.influence || options.standard_errors)
    return paths::bootstrap_accompanied(data, statistics, options);
  if (const auto sums = planning::cluster_sums(data, statistics, options)) {
    const Statistic of_sums = sums->statistic();
    return run(planning::prepare(sums->view(), {&of_sums, 1}, sums->options(options)), options,
               [&](Plan& plan) { sums->describe(plan, options.scheme); });
  }
  return run(planning::prepare(data, statistics, options), options, [](Plan&) {});
}

Result bootstrap(const DataView& data, const Statistic& statistic, const Options& options) {
  return bootstrap(data, std::span<const Statistic>(&statistic, 1), options);
}

}  // namespace bootfold
