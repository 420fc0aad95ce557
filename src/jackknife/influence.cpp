#include "bootfold/influence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "bootfold/error.h"
#include "jackknife/influence.h"
#include "jackknife/order_statistics.h"
#include "numeric/moments.h"
#include "planning/memory.h"
#include "resample/scheme.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The statistic sees a mean of more or fewer draws than there are rows.
void rescale(const Scheme& scheme, std::uint64_t rows, Influence& found) {
  const double scale =
      static_cast<double>(rows) / static_cast<double>(resample::draws_of(scheme, rows));
  found.method += ", " + jackknife::manner(scheme);
  found.deleted = false;
  found.second *= scale;
  found.third *= scale * scale;
}

/// The units that a jackknife deletes, drawn.
Options drawing_what_is_deleted(const Options& options) {
  const auto& clusters = std::get<scheme::Jackknife>(options.scheme).clusters;
  Options like = options;
  like.scheme = clusters.empty() ? Scheme(scheme::Iid{}) : Scheme(scheme::Cluster{clusters});
  return like;
}

}  // namespace

double Influence::acceleration() const {
  return usable() ? third / (6 * second * std::sqrt(second)) : kNaN;
}

double Influence::standard_error() const {
  if (undefined > 0 || (deleted && !(rows > 1))) return kNaN;
  return deleted ? std::sqrt(second / rows / (rows - 1)) : std::sqrt(second) / rows;
}

double Influence::bias() const { return deleted && undefined == 0 ? (rows - 1) * shift : kNaN; }

std::vector<Influence> influence(const DataView& data, std::span<const Statistic> statistics,
                                 const Options& options) {
  if (std::holds_alternative<scheme::Jackknife>(options.scheme))
    return influence(data, statistics, drawing_what_is_deleted(options));
  study::Problem problem(data, statistics);
  const Scheme scheme = resample::resolve(options.scheme, data);
  resample::check(scheme, data.rows());
  if (jackknife::draws_clusters(scheme))
    return jackknife::influences_of_clusters(data, statistics, options);
  problem.look(options.execution);
  std::vector<study::FeatureSummary> features;
  if (!problem.features.empty()) features = problem.features.summarize(data, options.execution);
  const jackknife::Measure measure(scheme, problem, features, options.execution);
  const auto lookup = std::make_shared<jackknife::Lookup>(problem, options.execution.stop);
  const jackknife::Task task{
      problem,
      features,
      measure,
      [lookup](const study::Part& part, std::uint64_t rank) { return (*lookup)(part, rank); },
      jackknife::within_memory(problem, options),
      problem.outputs.size()};
  const bool iid = std::holds_alternative<scheme::Iid>(scheme);
  if (!iid && !jackknife::plain(scheme, data.rows()))
    return jackknife::influences_in_order(task, scheme, planning::memory_limit(options));
  std::vector<Influence> found = jackknife::influences(task);
  if (resample::draws_of(scheme, data.rows()) != data.rows())
    for (Influence& each : found) rescale(scheme, data.rows(), each);
  return found;
}

std::vector<Influence> influence(const DataView& data, const Statistic& statistic,
                                 const Options& options) {
  return influence(data, std::span<const Statistic>(&statistic, 1), options);
}

std::vector<Influence> infinitesimal(const DataView& data, std::span<const Statistic> statistics,
                                     const Options& options) {
  study::Problem problem(data, statistics);
  for (const study::Part& part : problem.parts)
    if (!std::holds_alternative<statistic::Sums>(part.bound.body))
      throw InvalidArgument(
          text::concat("statistic '", part.name,
                       "' is no function of sums, so it has no derivatives by rows; "
                       "influence() deletes rows in place of that"));
  problem.look(options.execution);
  const auto features = problem.features.summarize(data, options.execution);
  std::vector<Influence> found(problem.outputs.size());
  const jackknife::Measure measure(data.rows());
  jackknife::differentiate_sums({problem, features, measure, {}, options.execution, found.size()},
                                static_cast<double>(data.rows()), found, {});
  return found;
}

std::vector<Influence> infinitesimal(const DataView& data, const Statistic& statistic,
                                     const Options& options) {
  return infinitesimal(data, std::span<const Statistic>(&statistic, 1), options);
}

std::vector<AbcCurve> abc_curves(const DataView& data, std::span<const Statistic> statistics,
                                 const Options& options) {
  if (std::holds_alternative<scheme::Jackknife>(options.scheme))
    return abc_curves(data, statistics, drawing_what_is_deleted(options));
  study::Problem problem(data, statistics);
  const Scheme& scheme = options.scheme;
  const bool together = jackknife::draws_together(scheme);
  if (!together) resample::check(scheme, data.rows());
  if (jackknife::draws_clusters(scheme))
    return jackknife::curves_of_clusters(data, statistics, options);
  std::vector<AbcCurve> curves(problem.outputs.size());
  for (AbcCurve& curve : curves)
    curve.problem = together ? text::concat(
                                   "abc has no derivatives by rows that are drawn together, as "
                                   "under scheme '",
                                   name(scheme), "'; bca is known")
                             : "abc is for functions of sums only";
  if (problem.features.empty() || together) return curves;
  problem.look(options.execution);
  auto features = problem.features.summarize(data, options.execution);
  const jackknife::Measure measure(scheme, problem, features, options.execution);
  std::vector<Influence> found(curves.size());
  jackknife::differentiate_sums({problem, features, measure, {}, options.execution, found.size()},
                                static_cast<double>(resample::draws_of(scheme, data.rows())), found,
                                curves);
  return curves;
}

Influence combined_influence(std::span<const InfluenceTerm> terms) {
  Influence all;
  all.method = "several samples";
  all.deleted = false;
  all.rows = 1;  // second and third are those of the number already
  for (const InfluenceTerm& term : terms) {
    const Influence& part = term.influence;
    all.undefined += part.undefined;
    all.estimate += term.coefficient * part.estimate;
    const double share = term.coefficient / part.rows;
    all.second += share * share * part.second;
    all.third += share * share * share * part.third;
    // A sample that does not vary adds nothing.
    const bool constant = part.undefined == 0 && part.second == 0 && part.rows > 1;
    if (!part.usable() && !constant && all.problem.empty()) all.problem = part.problem;
  }
  all.mean = all.estimate;
  if (all.problem.empty() && !(all.second > 0))
    all.problem = "no row changes the value, so the acceleration is 0/0";
  return all;
}

namespace jackknife {

bool plain(const Scheme& scheme, std::uint64_t rows) {
  return (std::holds_alternative<scheme::Iid>(scheme) ||
          std::holds_alternative<scheme::Poisson>(scheme) ||
          std::holds_alternative<scheme::Bayesian>(scheme) ||
          std::holds_alternative<scheme::Balanced>(scheme)) &&
         resample::draws_of(scheme, rows) == rows;
}

bool draws_together(const Scheme& scheme) {
  return resample::block_length_of(scheme).has_value() ||
         (std::holds_alternative<scheme::Cluster>(scheme) && !draws_clusters(scheme));
}

std::uint64_t evaluations(const study::Problem& problem, const Scheme& scheme) {
  const Units units = draws_clusters(scheme) ? Units(std::get<scheme::Cluster>(scheme).clusters)
                                             : Units(problem.data.rows());
  if (units.grouped() && !units.clusters() && !std::holds_alternative<scheme::Iid>(scheme) &&
      !plain(scheme, problem.data.rows()))
    return 0;  // influences_in_order() declines
  for (const study::Part& part : problem.parts)
    if (evaluated(part, units)) return units.count();
  return 0;
}

Execution within_memory(const study::Problem& problem, const Options& options) {
  Execution execution = options.execution;
  if (evaluations(problem, options.scheme) == 0) return execution;
  const std::size_t copy = (problem.data.columns() + 1) * problem.data.rows() * sizeof(double);
  execution.threads = static_cast<unsigned>(
      std::clamp<std::size_t>(planning::memory_limit(options) / std::max<std::size_t>(copy, 1), 1,
                              execution::thread_count(execution)));
  return execution;
}

std::vector<Influence> influences(const Task& task) {
  std::vector<Influence> found(task.outputs);
  if (!task.problem.features.empty()) delete_from_sums(task, found);
  for (const study::Part& part : task.problem.parts)
    if (std::holds_alternative<statistic::Order>(part.bound.body) &&
        part.first_output < task.outputs)
      delete_from_order(task, part, found);
  const Units units(task.problem.data.rows());
  if (std::any_of(task.problem.parts.begin(), task.problem.parts.end(),
                  [&](const study::Part& part) { return evaluated(part, units); }))
    delete_and_evaluate(task, units, found);
  return found;
}

void conclude(const Spread& spread, Influence& influence) {
  influence.shift += 0.0;  // no -0
  influence.undefined = static_cast<std::uint64_t>(spread.undefined);
  influence.second = std::ldexp(spread.second, 2 * spread.exponent);
  influence.third = std::ldexp(spread.third, 3 * spread.exponent);
  const std::string unit = influence.method.starts_with("delete-a-group") ? "group"
                           : influence.method.ends_with("by cluster")     ? "cluster"
                                                                          : "row";
  if (!(influence.rows > 1)) {
    influence.problem = text::concat("there is only one ", unit, ", and without it none");
  } else if (!std::isfinite(influence.estimate)) {
    influence.problem = "the statistic is undefined on the data themselves";
  } else if (influence.undefined > 0) {
    influence.problem =
        text::concat("left out one at a time, ", text::grouped(influence.undefined), " of the ",
                     text::grouped(static_cast<std::uint64_t>(influence.rows)), " ", unit,
                     "s leave the statistic undefined");
  } else if (spread.second <= spread.noise) {
    influence.second = influence.third = 0;
    influence.problem = text::concat("no ", unit, " changes the value, so the acceleration is 0/0");
  } else if (!std::isnormal(influence.second) || !std::isfinite(influence.third) ||
             std::abs(spread.exponent) > 330) {
    influence.problem = "cubes of what rows change leave the range of doubles; scale the column";
  }
}

}  // namespace jackknife

}  // namespace bootfold
