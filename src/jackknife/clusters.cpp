// What a whole cluster does, where whole clusters are drawn.
//
// Functions of sums: a cluster is a row of sums, and rows are drawn alike. All else is evaluated
// without each cluster.
#include "planning/clusters.h"

#include <algorithm>

#include "bootfold/error.h"
#include "jackknife/influence.h"
#include "planning/memory.h"
#include "resample/groups.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::jackknife {

namespace {

using planning::ClusterSums;
using study::Part;

std::span<const std::uint32_t> labels_of(const Options& options) {
  return std::get<scheme::Cluster>(options.scheme).clusters;
}

/// Those that are functions of sums.
std::vector<Statistic> functions_of_sums(const DataView& data,
                                         std::span<const Statistic> statistics) {
  std::vector<Statistic> found;
  for (const Statistic& statistic : statistics) {
    const std::size_t columns = statistic.most_columns() == 1 ? 1 : data.columns();
    if (std::holds_alternative<statistic::Sums>(statistic.bind(columns).body))
      found.push_back(statistic);
  }
  return found;
}

/// Why the sums of all clusters cannot be held; empty: they can.
std::string too_large(const study::Problem& problem, const Options& options) {
  const std::size_t clusters = resample::Groups(labels_of(options)).count();
  const std::size_t bytes = 3 * (problem.features.count() + 1) * clusters * sizeof(double);
  if (bytes <= planning::memory_limit(options)) return "";
  return text::concat("sums of ", text::grouped(clusters), " clusters take ", text::grouped(bytes),
                      " bytes but the memory is ", text::grouped(planning::memory_limit(options)),
                      "; give more");
}

/// Calls act(number, sums) for the outputs that are functions of sums: number among all, and among
/// themselves.
template <class Act>
void for_each_sum(const study::Problem& problem, Act&& act) {
  std::size_t next = 0;
  for (const Part& part : problem.parts)
    if (std::holds_alternative<statistic::Sums>(part.bound.body))
      for (std::size_t k = 0; k < part.outputs(); ++k) act(part.first_output + k, next++);
}

}  // namespace

bool draws_clusters(const Scheme& scheme) {
  const auto* cluster = std::get_if<scheme::Cluster>(&scheme);
  return cluster != nullptr && !cluster->rows_too;
}

std::vector<Influence> influences_of_clusters(const DataView& data,
                                              std::span<const Statistic> statistics,
                                              const Options& options) {
  study::Problem problem(data, statistics);
  std::vector<Influence> found(problem.outputs.size());
  const std::string trouble = too_large(problem, options);
  if (!trouble.empty())
    for_each_sum(problem, [&](std::size_t output, std::size_t) {
      found[output].method = "none";
      found[output].problem = trouble;
    });
  if (!problem.features.empty() && trouble.empty()) {
    const ClusterSums sums(data, functions_of_sums(data, statistics), labels_of(options),
                           options.execution);
    std::vector<Influence> of_sums =
        influence(sums.view(), sums.statistic(), ClusterSums::options(options));
    for_each_sum(problem, [&](std::size_t output, std::size_t sum) {
      found[output] = std::move(of_sums[sum]);
      found[output].method += ", by cluster";
    });
  }
  const Units units(labels_of(options));
  if (std::none_of(problem.parts.begin(), problem.parts.end(),
                   [&](const Part& part) { return evaluated(part, units); }))
    return found;
  problem.look(options.execution);
  const Measure measure(data.rows());
  delete_and_evaluate({problem, {}, measure, {}, within_memory(problem, options), found.size()},
                      units, found);
  return found;
}

std::vector<AbcCurve> curves_of_clusters(const DataView& data,
                                         std::span<const Statistic> statistics,
                                         const Options& options) {
  const study::Problem problem(data, statistics);
  std::vector<AbcCurve> curves(problem.outputs.size());
  for (AbcCurve& curve : curves) curve.problem = "abc is for functions of sums only";
  const std::string trouble = too_large(problem, options);
  for_each_sum(problem, [&](std::size_t output, std::size_t) { curves[output].problem = trouble; });
  if (problem.features.empty() || !trouble.empty()) return curves;
  const ClusterSums sums(data, functions_of_sums(data, statistics), labels_of(options),
                         options.execution);
  const Statistic statistic = sums.statistic();
  std::vector<AbcCurve> of_sums =
      abc_curves(sums.view(), {&statistic, 1}, ClusterSums::options(options));
  for_each_sum(problem, [&](std::size_t output, std::size_t sum) {
    curves[output] = std::move(of_sums[sum]);
  });
  return curves;
}

}  // namespace bootfold::jackknife
