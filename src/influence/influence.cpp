#include "bootfold/influence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "bootfold/error.h"
#include "influence/deletion.h"
#include "influence/lookup.h"
#include "influence/moments.h"
#include "text/quantity.h"

namespace bootfold {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// As many threads as have room for a copy of the columns each, if that is needed.
Execution within_memory(const planning::Problem& problem, const Options& options) {
  Execution execution = options.execution;
  if (problem.deletions() == 0) return execution;
  const std::size_t copy = (problem.data.columns() + 1) * problem.data.rows() * sizeof(double);
  execution.threads = static_cast<unsigned>(std::clamp<std::size_t>(
      options.memory / std::max<std::size_t>(copy, 1), 1, execution::thread_count(execution)));
  return execution;
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
  planning::Problem problem(data, statistics);
  const std::string why = deletion::not_exchangeable(options.scheme, data.rows());
  if (!why.empty()) {
    Influence none;
    none.method = "none";
    none.problem = why;
    return std::vector<Influence>(problem.outputs.size(), none);
  }
  problem.look(options.execution);
  std::vector<planning::FeatureSummary> features;
  if (!problem.features.empty()) features = problem.features.summarize(data, options.execution);
  const auto lookup = std::make_shared<deletion::Lookup>(problem, options.execution.stop);
  return deletion::influences(
      {problem, features,
       [lookup](const planning::Part& part, std::uint64_t rank) { return (*lookup)(part, rank); },
       within_memory(problem, options), problem.outputs.size()});
}

std::vector<Influence> influence(const DataView& data, const Statistic& statistic,
                                 const Options& options) {
  return influence(data, std::span<const Statistic>(&statistic, 1), options);
}

std::vector<Influence> infinitesimal(const DataView& data, std::span<const Statistic> statistics,
                                     const Options& options) {
  planning::Problem problem(data, statistics);
  for (const planning::Part& part : problem.parts)
    if (!std::holds_alternative<statistic::Sums>(part.bound.body))
      throw InvalidArgument(concat("statistic '", part.name,
                                   "' is no function of sums, so it has no derivatives by rows; "
                                   "influence() deletes rows in place of that"));
  problem.look(options.execution);
  const auto features = problem.features.summarize(data, options.execution);
  std::vector<Influence> found(problem.outputs.size());
  deletion::differentiate_sums({problem, features, {}, options.execution, found.size()}, found, {});
  return found;
}

std::vector<Influence> infinitesimal(const DataView& data, const Statistic& statistic,
                                     const Options& options) {
  return infinitesimal(data, std::span<const Statistic>(&statistic, 1), options);
}

std::vector<AbcCurve> abc_curves(const DataView& data, std::span<const Statistic> statistics,
                                 const Options& options) {
  planning::Problem problem(data, statistics);
  std::vector<AbcCurve> curves(problem.outputs.size());
  const std::string why = deletion::not_exchangeable(options.scheme, data.rows());
  for (AbcCurve& curve : curves)
    curve.problem = why.empty() ? "abc is for functions of sums only" : why;
  if (problem.features.empty() || !why.empty()) return curves;
  problem.look(options.execution);
  const auto features = problem.features.summarize(data, options.execution);
  std::vector<Influence> found(curves.size());
  deletion::differentiate_sums({problem, features, {}, options.execution, found.size()}, found,
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

namespace deletion {

std::string not_exchangeable(const Scheme& scheme, std::uint64_t rows) {
  const auto* iid = std::get_if<scheme::Iid>(&scheme);
  if (iid != nullptr && iid->size != 0 && iid->size != rows)
    return concat("resamples of ", text::grouped(iid->size), " from ", text::grouped(rows),
                  " rows are not as large as the data");
  if (iid != nullptr || std::holds_alternative<scheme::Poisson>(scheme) ||
      std::holds_alternative<scheme::Bayesian>(scheme) ||
      std::holds_alternative<scheme::Balanced>(scheme))
    return "";
  const auto* jackknife = std::get_if<scheme::Jackknife>(&scheme);
  if (jackknife != nullptr && jackknife->clusters.empty()) return "";
  return concat("under scheme '", name(scheme),
                "' rows are not drawn one by one alike, so deleting them one by one says nothing");
}

std::vector<Influence> influences(const Task& task) {
  std::vector<Influence> found(task.outputs);
  if (!task.problem.features.empty()) delete_from_sums(task, found);
  for (const planning::Part& part : task.problem.parts)
    if (std::holds_alternative<statistic::Order>(part.bound.body) &&
        part.first_output < task.outputs)
      delete_from_order(task, part, found);
  if (task.problem.deletions() > 0) delete_and_evaluate(task, found);
  return found;
}

void conclude(const Moments& moments, Influence& influence) {
  influence.shift += 0.0;  // no -0
  influence.undefined = static_cast<std::uint64_t>(moments.undefined());
  influence.second = std::ldexp(moments.second(), 2 * moments.exponent());
  influence.third = std::ldexp(moments.third(), 3 * moments.exponent());
  const std::string units = influence.method.starts_with("delete-a-group") ? "groups" : "rows";
  if (!(influence.rows > 1)) {
    influence.problem = "there is only one row, and without it none";
  } else if (!std::isfinite(influence.estimate)) {
    influence.problem = "the statistic is undefined on the data themselves";
  } else if (influence.undefined > 0) {
    influence.problem =
        concat("left out one at a time, ", text::grouped(influence.undefined), " of the ",
               text::grouped(static_cast<std::uint64_t>(influence.rows)), " ", units,
               " leave the statistic undefined");
  } else if (moments.second() <= moments.noise()) {
    influence.second = influence.third = 0;
    influence.problem = "no row changes the value, so the acceleration is 0/0";
  } else if (!std::isnormal(influence.second) || !std::isfinite(influence.third) ||
             std::abs(moments.exponent()) > 330) {
    influence.problem = "cubes of what rows change leave the range of doubles; scale the column";
  }
}

}  // namespace deletion

}  // namespace bootfold
