// What rows do, by the resampling design and the family of each statistic.
#include <algorithm>
#include <cmath>
#include <memory>

#include "jackknife/influence.h"
#include "jackknife/order_statistics.h"
#include "planning/cluster_sums.h"
#include "resample/groups.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::jackknife {

namespace {

using study::Part;

std::string_view name(Influence::Unit unit) {
  switch (unit) {
    case Influence::Unit::group:
      return "group";
    case Influence::Unit::cluster:
      return "cluster";
    case Influence::Unit::row:
      break;
  }
  return "row";
}

/// What is deleted where a function has to be evaluated without it.
Units units_of(const study::Problem& problem, const resample::Design& design) {
  return design.clusters().empty() ? Units(problem.data.rows()) : Units(design.clusters());
}

/// As many threads as have room for a copy of the columns each, if there are evaluations.
Execution within_memory(const study::Problem& problem, const resample::Design& design,
                        const Request& request) {
  Execution execution = request.execution;
  if (evaluations(problem, design, request.outputs) == 0) return execution;
  // Rows with weights are kept in the order of their values as well.
  const bool weighted = std::ranges::any_of(problem.parts, &Part::weighted);
  const std::size_t columns = problem.data.columns() + (weighted ? 6 : 1);
  const std::size_t copy = columns * problem.data.rows() * sizeof(double);
  execution.threads = static_cast<unsigned>(std::clamp<std::size_t>(
      request.memory / std::max<std::size_t>(copy, 1), 1, execution::thread_count(execution)));
  return execution;
}

/// Curves that say why there is none, until one is found.
std::vector<AbcCurve> no_curves(const resample::Design& design, const resample::Traits& traits,
                                std::size_t outputs) {
  std::vector<AbcCurve> curves(outputs);
  for (AbcCurve& curve : curves)
    curve.problem =
        traits.together
            ? text::concat(
                  "abc has no derivatives by rows that are drawn together, as under scheme '",
                  design.name(), "'; bca is known")
            : "abc is for functions of sums only";
  return curves;
}

/// The changes that have closed forms, [output][row]; 0 for the others.
std::vector<double> find_changes(const Task& task) {
  const auto rows = static_cast<std::size_t>(task.study.rows());
  std::vector<double> changes = task.problem().features.empty()
                                    ? std::vector<double>(task.outputs * rows)
                                    : changes_of_sums(task, 0, task.outputs);
  const Units units(rows);
  const auto keep = [&](std::size_t output, const std::vector<double>& found) {
    std::copy(found.begin(), found.end(),
              changes.begin() + static_cast<std::ptrdiff_t>(output * rows));
  };
  for (const Part& part : task.problem().parts) {
    if (part.first_output >= task.outputs) continue;
    if (std::holds_alternative<statistic::Order>(part.bound.body)) {
      std::vector<double> whole(part.outputs());
      const auto found = changes_of_order(task, part, whole);
      for (std::size_t k = 0; k < found.size(); ++k) keep(part.first_output + k, found[k]);
    } else if (ordered_of(part) != nullptr && !evaluated(part, units)) {
      keep(part.first_output, ordered_deletions(task, part).changes);
    }
  }
  return changes;
}

bool is_sum(const Part& part) { return std::holds_alternative<statistic::Sums>(part.bound.body); }

/// Statistics that are functions of sums, as a study of the sums of clusters sees them; the others
/// are evaluated without each cluster.
Findings find_for_clusters(const study::Study& study, const resample::Design& design,
                           const Request& request) {
  const study::Problem& problem = study.problem();
  Findings found;
  found.influences.resize(request.outputs);
  found.curves.resize(request.curves ? request.outputs : 0);
  for (AbcCurve& curve : found.curves) curve.problem = "abc is for functions of sums only";
  if (!problem.features.empty()) {
    planning::ClusterSums::check_memory(problem, design.groups()->count(), request.memory);
    const planning::ClusterSums sums(study, design.clusters(), *design.groups(), request.execution);
    const Statistic statistic = sums.statistic();
    study::Study of_sums(sums.view(), {&statistic, 1});
    of_sums.look({}, request.execution);
    Request inner = request;
    inner.outputs = of_sums.problem().outputs.size();
    Findings by_cluster = find_by_cluster(of_sums, *resample::design(design.of_clusters()), inner);
    std::size_t next = 0;
    for (const Part& part : problem.parts)
      for (std::size_t k = 0; k < part.outputs() && is_sum(part); ++k, ++next) {
        const std::size_t output = part.first_output + k;
        if (output >= request.outputs) continue;
        if (request.influences) found.influences[output] = std::move(by_cluster.influences[next]);
        if (request.curves) found.curves[output] = std::move(by_cluster.curves[next]);
      }
  }
  if (request.influences && evaluations(problem, design, request.outputs) > 0) {
    const Measure measure(study.rows());
    delete_and_evaluate(
        {study, {}, measure, {}, within_memory(problem, design, request), request.outputs},
        units_of(problem, design), found.influences);
  }
  return found;
}

}  // namespace

void centre(std::span<double> changes) {
  double mean = 0;
  for (const double value : changes) mean += value / static_cast<double>(changes.size());
  for (double& value : changes) value = std::isfinite(mean) ? value - mean : 0;
}

// The statistic sees a mean of more or fewer draws than there are rows.
void rescale(const resample::Design& design, std::uint64_t rows, Influence& found) {
  const double scale = static_cast<double>(rows) / static_cast<double>(design.draws(rows));
  found.method += ", " + design.manner();
  found.deleted = false;
  found.second *= scale;
  found.third *= scale * scale;
}

Findings find(const study::Study& study, const resample::Design& design, const Request& request) {
  if (!design.clusters().empty()) return find_for_clusters(study, design, request);
  const study::Problem& problem = study.problem();
  const std::uint64_t rows = study.rows();
  const resample::Traits traits = design.traits(rows);
  std::vector<study::FeatureSummary> features(study.summaries().begin(), study.summaries().end());
  const Measure measure(design, problem, features, request.execution);
  const auto lookup = std::make_shared<OrderStatistics>(problem, request.execution.stop);
  const Task task{study,
                  features,
                  measure,
                  [lookup](const Part& part, std::uint64_t rank) { return (*lookup)(part, rank); },
                  within_memory(problem, design, request),
                  request.outputs};
  const auto draws = static_cast<double>(design.draws(rows));
  Findings found;
  if (request.curves) found.curves = no_curves(design, traits, request.outputs);
  const bool curves = request.curves && !traits.together && !problem.features.empty();
  const bool alike = traits.iid || traits.exchangeable;
  if (request.changes && alike) found.changes = find_changes(task);
  if (request.influences && alike)
    found.influences = influences(
        task, draws, curves ? std::span(found.curves) : std::span<AbcCurve>(), found.changes);
  for (std::size_t first = 0; first < found.changes.size(); first += rows)
    centre(std::span(found.changes).subspan(first, rows));
  if (request.influences && alike) {
    if (design.draws(rows) != rows)
      for (Influence& each : found.influences) rescale(design, rows, each);
    return found;
  }
  if (request.influences) found.influences = influences_in_order(task, design, request.memory);
  if (curves) {
    std::vector<Influence> derivatives(request.outputs);
    study_sums(task, {.derivatives = derivatives, .curves = found.curves, .draws = draws});
  }
  return found;
}

Findings find_by_cluster(const study::Study& of_sums, const resample::Design& design,
                         const Request& request) {
  Findings found = find(of_sums, design, request);
  for (Influence& each : found.influences) {
    each.method += ", by cluster";
    each.unit = Influence::Unit::cluster;
  }
  return found;
}

std::uint64_t evaluations(const study::Problem& problem, const resample::Design& design,
                          std::size_t outputs) {
  const Units units = units_of(problem, design);
  const resample::Traits traits = design.traits(problem.data.rows());
  if (units.grouped() && !units.clusters() && !traits.iid && !traits.exchangeable)
    return 0;  // influences_in_order() declines
  for (const Part& part : problem.parts)
    if (part.first_output < outputs && evaluated(part, units)) return units.count();
  return 0;
}

std::vector<Influence> influences(const Task& task, double draws, std::span<AbcCurve> curves,
                                  std::span<double> changes) {
  std::vector<Influence> found(task.outputs);
  std::vector<Influence> derivatives(curves.size());
  if (!task.problem().features.empty()) study_sums(task, {found, derivatives, curves, draws});
  const Units units(task.study.rows());
  for (const Part& part : task.problem().parts) {
    if (part.first_output >= task.outputs) continue;
    if (std::holds_alternative<statistic::Order>(part.bound.body))
      delete_from_order(task, part, found);
    else if (ordered_of(part) != nullptr && !evaluated(part, units))
      delete_from_ordered(task, part, found);
  }
  if (std::any_of(task.problem().parts.begin(), task.problem().parts.end(), [&](const Part& part) {
        return part.first_output < task.outputs && evaluated(part, units);
      }))
    delete_and_evaluate(task, units, found, changes);
  return found;
}

void conclude(const Spread& spread, Influence& influence) {
  influence.shift += 0.0;  // no -0
  influence.undefined = static_cast<std::uint64_t>(spread.undefined);
  influence.second = std::ldexp(spread.second, 2 * spread.exponent);
  influence.third = std::ldexp(spread.third, 3 * spread.exponent);
  const std::string_view unit = name(influence.unit);
  if (!(influence.rows > 1)) {
    influence.problem =
        text::concat("there is only one ", unit, "; the jackknife needs at least 2");
  } else if (!std::isfinite(influence.estimate)) {
    influence.problem = "the statistic is undefined on the original data";
  } else if (influence.undefined > 0) {
    influence.problem = text::concat(
        "the statistic is undefined without ", text::grouped(influence.undefined), " of the ",
        text::grouped(static_cast<std::uint64_t>(influence.rows)), " ", unit, "s");
  } else if (spread.second <= spread.noise) {
    influence.second = influence.third = 0;
    influence.problem = text::concat("no ", unit, " changes the value, so the acceleration is 0/0");
  } else if (!std::isnormal(influence.second) || !std::isfinite(influence.third) ||
             std::abs(spread.exponent) > 330) {
    influence.problem = "the influences overflow or underflow; scale the column";
  }
}

}  // namespace bootfold::jackknife
