// The plan of a road: what it will do and what that costs, for a person.
#include <cmath>

#include "bootstrap/fingerprint.h"
#include "bootstrap/road.h"
#include "jackknife/influence.h"
#include "jackknife/linear_parts.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold {

namespace {

using text::grouped;

/// How much longer a slower instruction set takes, roughly; for the estimate of time only. For ARM
/// it is a guess by the width of the registers.
double level_factor(execution::Level level) {
  using enum execution::Level;
  switch (level) {
    case avx512:
      return 1;
    case avx2:
    case dotprod:
      return 2;
    case neon:
      return 4;
    case portable:
      break;
  }
  return 6;
}

/// The rows that have a weight, if all statistics are weighted: others add nothing.
std::optional<std::uint64_t> rows_with_weight(const study::Study& study) {
  for (const study::Part& part : study.problem().parts)
    if (!part.weighted) return std::nullopt;
  return study.columns().columns().back().positive;
}

}  // namespace

void Road::describe() {
  const planning::Question asked = question();
  const planning::Estimate& estimate = choice_.estimate;
  const study::Problem& problem = asked.problem();
  plan_.path = choice_.entry->id;
  plan_.reason = estimate.reason;
  plan_.scheme = design_->describe(data_.rows());
  plan_.rows = data_.rows();
  plan_.draws = only_cluster_sums() ? data_.rows() : asked.draws;
  plan_.units = design_->units(data_.rows());
  plan_.fixed_units = design_->fixed_units(data_.rows());
  if (const auto weighing = rows_with_weight(*study_);
      weighing && plan_.units == data_.rows() && plan_.fixed_units == 0) {
    plan_.units = *weighing;
    plan_.fixed_units = *weighing == 1 ? 1 : 0;
  }
  if (design_->draws(data_.rows()) != data_.rows() && !deletes())
    plan_.rescale = std::pow(
        static_cast<double>(design_->draws(data_.rows())) / static_cast<double>(data_.rows()),
        options_.rescale);
  plan_.first_replicate = options_.first_replicate;
  plan_.replicates = options_.replicates;
  plan_.fingerprint = bootfold::fingerprint(
      question(*study_, *design_), *formulas_, data_fingerprint_,
      errors_ && errors_->any_nested() ? options_.nested_replicates : 0, plan_.path);
  for (std::size_t c = 0; c < data_.columns(); ++c) plan_.columns.push_back(data_.name(c));
  if (std::ranges::any_of(study_->problem().parts, &study::Part::weighted))
    plan_.weights = plan_.columns.back();
  plan_.outputs = formulas_->outputs();
  plan_.threads = choice_.threads;
  plan_.level = options_.execution.level.value_or(execution::default_level());
  plan_.memory_limit = options_.memory;
  plan_.working_bytes = choice_.working_bytes + (cluster_sums_ ? cluster_sums_->bytes() : 0);
  plan_.result_bytes = options_.replicates * sizeof(double) *
                       (plan_.outputs.size() + (finds_linear_parts() ? asked_ : 0));
  plan_.digits = estimate.digits;
  plan_.sum_error = estimate.sum_error;
  plan_.arithmetic = estimate.arithmetic;
  plan_.distinct_rows = estimate.distinct_rows;
  const auto rows = static_cast<double>(asked.rows);
  const auto read = static_cast<double>(problem.data.columns() + 2 * problem.features.count());
  // Linear parts draw the rows of the run again, which is most of the work of a replicate.
  const double draws = 1 + (finds_linear_parts() ? jackknife::linear_passes(data_.rows(), asked_,
                                                                            options_.replicates)
                                                 : 0);
  plan_.seconds = 2e-9 * rows * read + 1e-9 * level_factor(plan_.level) / plan_.threads *
                                           (estimate.replicate_nanoseconds * draws *
                                                static_cast<double>(options_.replicates) +
                                            estimate.start_nanoseconds);
  if (only_cluster_sums())
    plan_.reason =
        text::concat("sums of ", grouped(cluster_sums_->clusters()), " clusters: ", plan_.reason);
  if (errors_) {
    plan_.outputs.resize(asked_);
    const double seconds = errors_->seconds / plan_.threads;
    plan_.seconds += seconds;
    plan_.reason += "; standard errors on every resample by " + errors_->method;
    if (seconds > 0)
      plan_.reason += text::concat(", roughly ", text::seconds(seconds), " of the time");
  }
  if (!options_.influence || deletes()) return;
  const std::uint64_t evaluations = jackknife::evaluations(*formulas_, *study_, *design_, asked_);
  if (evaluations == 0) return;
  constexpr double kSecondsPerRow = 15e-9;  // as for a resample: copied, then looked at
  const double seconds = kSecondsPerRow * static_cast<double>(evaluations) *
                         static_cast<double>(data_.rows()) / plan_.threads;
  plan_.seconds += seconds;
  plan_.reason += text::concat("; influences by ", grouped(evaluations),
                               evaluations == data_.rows() ? " evaluations without one row"
                                                           : " evaluations without one group",
                               " each, which take about ", text::seconds(seconds));
}

}  // namespace bootfold
