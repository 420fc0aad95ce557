#include "planning/accompany.h"

#include "bootfold/error.h"
#include "study/problem.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::planning {

namespace {

/// Seconds that planning a bootstrap of a resample takes, however short it is.
constexpr double kInnerStart = 3e-5;

Statistic by_nested_bootstrap(const Statistic& statistic, const Nested& nested) {
  return Statistic("standard_error_of_" + statistic.name(), statistic.fewest_columns(),
                   statistic.most_columns(), [statistic, nested](std::size_t columns) {
                     statistic::Bound bound;
                     for (const std::string& name : statistic.bind(columns).outputs)
                       bound.outputs.push_back("standard_error_of_" + name);
                     bound.body =
                         statistic::Call{[statistic, nested](const statistic::Resample& resample,
                                                             std::span<double> values) {
                           nested(statistic, resample, values);
                         }};
                     return bound;
                   });
}

}  // namespace

bool has_formula(const Statistic& statistic, const Options& options) {
  return statistic.standard_error() != nullptr &&
         !std::holds_alternative<scheme::Stratified>(options.scheme);
}

Options inner_options(const Options& options) {
  Options inner;
  inner.replicates = options.nested_replicates;
  inner.memory = options.memory;
  inner.tolerance = options.tolerance;
  inner.execution = {1, options.execution.level, options.execution.stop, {}};
  return inner;
}

Accompanied accompany(const DataView& data, std::span<const Statistic> statistics,
                      const Options& options, const Nested& nested) {
  if (options.nested_replicates < 2)
    throw InvalidArgument(text::concat("nested_replicates is ", options.nested_replicates,
                                       " but a standard error needs at least 2; 50 is usual"));
  static_cast<void>(study::Problem(data, statistics));  // throws if they do not fit the columns
  Accompanied all{{statistics.begin(), statistics.end()}};
  bool formula = false;
  bool inner = false;
  for (const Statistic& statistic : statistics) {
    const Statistic* known = has_formula(statistic, options) ? statistic.standard_error() : nullptr;
    const bool each = statistic.most_columns() == 1;  // column by column
    all.nested.insert(
        all.nested.end(),
        statistic.bind(each ? 1 : data.columns()).outputs.size() * (each ? data.columns() : 1),
        known == nullptr);
    (known != nullptr ? formula : inner) = true;
    all.statistics.push_back(known != nullptr ? *known : by_nested_bootstrap(statistic, nested));
    if (known == nullptr)
      all.seconds += static_cast<double>(options.replicates) *
                     (kInnerStart + plan(data, statistic, inner_options(options)).seconds);
  }
  const std::string by_inner =
      text::concat("nested bootstrap, ", options.nested_replicates, " replicates");
  all.method = formula && inner ? "formula or " + by_inner : formula ? "formula" : by_inner;
  return all;
}

void Accompanied::describe(Plan& plan) const {
  plan.outputs.resize(plan.outputs.size() / 2);
  plan.seconds += seconds / plan.threads;
  plan.reason += "; standard errors on every resample by " + method;
  if (seconds > 0)
    plan.reason +=
        text::concat(", by a rough guess ", text::seconds(seconds / plan.threads), " of it");
}

}  // namespace bootfold::planning
