#include "bootfold/influence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "jackknife/influence.h"
#include "planning/cluster_sums.h"
#include "planning/memory.h"
#include "text/concat.h"

namespace bootfold {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The resampling design that says what rows do; a jackknife is that of drawing what it leaves out.
std::shared_ptr<const resample::Design> drawing(const DataView& data, const Options& options) {
  auto design = resample::design(options.scheme, data);
  design->check(data.rows());
  if (design->traits(data.rows()).deletes)
    return resample::design(design->drawing_what_is_deleted());
  return design;
}

jackknife::Findings find(const DataView& data, std::span<const Statistic> statistics,
                         const Options& options, bool curves) {
  const study::Formulas formulas(data, statistics);
  study::Study study(data, formulas.terms());
  const auto design = drawing(data, options);
  study.look({}, options.execution);
  return jackknife::find(formulas, study, *design,
                         {.outputs = formulas.outputs().size(),
                          .influences = !curves,
                          .curves = curves,
                          .memory = planning::memory_limit(options),
                          .execution = options.execution});
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
  return find(data, statistics, options, false).influences;
}

std::vector<Influence> influence(const DataView& data, const Statistic& statistic,
                                 const Options& options) {
  return influence(data, std::span<const Statistic>(&statistic, 1), options);
}

std::vector<AbcCurve> abc_curves(const DataView& data, std::span<const Statistic> statistics,
                                 const Options& options) {
  return find(data, statistics, options, true).curves;
}

std::vector<Influence> infinitesimal(const DataView& data, std::span<const Statistic> statistics,
                                     const Options& options) {
  study::Study study(data, statistics);
  for (const study::Part& part : study.problem().parts)
    if (!std::holds_alternative<statistic::Sums>(part.bound.body))
      throw InvalidArgument(text::concat("statistic '", part.name,
                                         "' is not a function of sums, so it has no derivatives "
                                         "with respect to row weights; influence() deletes rows "
                                         "instead"));
  study.look({}, options.execution);
  std::vector<Influence> found(study.problem().outputs.size());
  const jackknife::Measure measure(data.rows());
  jackknife::study_sums({study, study.summaries(), measure, {}, options.execution, found.size()},
                        {.derivatives = found, .draws = static_cast<double>(data.rows())});
  return found;
}

std::vector<Influence> infinitesimal(const DataView& data, const Statistic& statistic,
                                     const Options& options) {
  return infinitesimal(data, std::span<const Statistic>(&statistic, 1), options);
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

}  // namespace bootfold
