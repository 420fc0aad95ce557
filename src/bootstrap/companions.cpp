#include "bootstrap/companions.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "jackknife/influence.h"
#include "planning/accompany.h"
#include "resample/groups.h"
#include "resample/scheme.h"
#include "study/problem.h"
#include "text/concat.h"

namespace bootfold::paths {

namespace {

/// A seed that the rows of a resample and the seed of the run determine: so the inner draws are a
/// pure function of the replicate, whoever makes it.
std::uint64_t seed_of(const statistic::Resample& resample, std::uint64_t seed) {
  std::uint64_t hash = seed ^ 0x9E3779B97F4A7C15U;
  for (std::size_t c = 0; c < resample.columns.size(); ++c)
    for (const double value : resample.column(c)) {
      std::uint64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      hash = (hash ^ bits) * 0xBF58476D1CE4E5B9U;
      hash ^= hash >> 29;
    }
  const auto words = random::block({.seed = hash, .replicate = seed}, 0);
  return std::uint64_t{words[0]} << 32 | words[1];
}

/// The stratum of each place of a resample: strata are drawn one after the other.
std::vector<std::uint32_t> strata_of_places(const Scheme& scheme) {
  std::vector<std::uint32_t> labels;
  if (const auto* stratified = std::get_if<scheme::Stratified>(&scheme)) {
    const resample::Groups strata(stratified->strata);
    for (std::size_t s = 0; s < strata.count(); ++s)
      labels.insert(labels.end(), strata.rows(s).size(), static_cast<std::uint32_t>(s));
  }
  return labels;
}

/// The standard errors of a statistic by a bootstrap of the resample, within the same strata.
planning::Nested nested_bootstrap(const Options& options) {
  return [seed = options.seed, inner = planning::inner_options(options),
          strata =
              std::make_shared<const std::vector<std::uint32_t>>(strata_of_places(options.scheme))](
             const Statistic& statistic, const statistic::Resample& resample,
             std::span<double> values) {
    Options run = inner;
    run.seed = seed_of(resample, seed);
    if (!strata->empty()) run.scheme = scheme::Stratified{*strata};
    std::vector<ColumnView> views;
    for (std::size_t c = 0; c < resample.columns.size(); ++c)
      views.emplace_back(resample.column(c));
    const Result result = bootstrap(DataView(views), statistic, run);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = result.standard_error(k);
  };
}

/// Splits values [replicate][outputs, errors] in two, and leaves the outputs in place.
std::vector<double> split_errors(std::vector<double>& values, std::size_t outputs) {
  std::vector<double> errors(values.size() / 2);
  const auto at = [](std::vector<double>& list, std::size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(i);
  };
  for (std::size_t first = 0; first < errors.size(); first += outputs) {
    std::copy_n(at(values, 2 * first + outputs), outputs, at(errors, first));
    std::copy_n(at(values, 2 * first), outputs, at(values, first));
  }
  values.resize(errors.size());
  values.shrink_to_fit();
  return errors;
}

Result bootstrap_with_errors(const DataView& data, std::span<const Statistic> statistics,
                             const Options& options) {
  const planning::Accompanied all =
      planning::accompany(data, statistics, options, nested_bootstrap(options));
  Result both = bootstrap(data, all.statistics, options);
  const std::size_t outputs = both.outputs() / 2;
  Plan plan = both.plan();
  all.describe(plan);
  Companions companions;
  companions.error_method = all.method;
  std::vector<double> estimates;
  const bool same_scheme = jackknife::plain(options.scheme, data.rows()) ||
                           std::holds_alternative<scheme::Stratified>(options.scheme);
  for (std::size_t k = 0; k < outputs; ++k) {
    estimates.push_back(both.estimate(k));
    // A bootstrap of the data is at hand, with more replicates than a nested one has. But resamples
    // of another size are bootstrapped at theirs, so the data must be at their own.
    companions.estimate_errors.push_back(all.nested[k] && same_scheme ? both.standard_error(k)
                                                                      : both.estimate(outputs + k));
  }
  std::vector<double> values = std::move(both).take_replicates();
  companions.replicate_errors = split_errors(values, outputs);
  return Result(std::move(plan), options.seed, std::move(estimates), std::move(values),
                std::move(companions));
}

/// Progress that begins at `before` and has `after` to come.
Execution stage(const Execution& execution, double before, double after) {
  Execution staged = execution;
  if (execution.progress)
    staged.progress = [tell = execution.progress, before, after](execution::Progress progress) {
      tell({before + progress.done, before + progress.total + after});
    };
  return staged;
}

/// Throws unless the scheme has what is asked for.
void check_scheme(const DataView& data, std::span<const Statistic> statistics,
                  const Options& options) {
  const Scheme& scheme = options.scheme;
  if (options.standard_errors && std::holds_alternative<scheme::Jackknife>(scheme))
    throw InvalidArgument(
        "scheme is 'jackknife', which draws no resamples that could have standard errors of their "
        "own; a normal interval needs none, and scheme 'iid' has studentized ones");
  // Draws by weight are rows one by one, for which formulas hold; other functions do not take them.
  const bool formulas = std::all_of(
      statistics.begin(), statistics.end(),
      [&](const Statistic& statistic) { return planning::has_formula(statistic, options); });
  if (!options.standard_errors || jackknife::plain(scheme, data.rows()) ||
      std::holds_alternative<scheme::Iid>(scheme) ||
      std::holds_alternative<scheme::Stratified>(scheme) ||
      (std::holds_alternative<scheme::Weighted>(scheme) && formulas))
    return;
  throw InvalidArgument(
      text::concat("scheme is '", resample::describe(options.scheme, data.rows()),
                   "' but standard errors on every resample, for studentized "
                   "intervals, are known where rows are drawn one by one (by weight: "
                   "of statistics with a formula) or within strata; bca, percentile, "
                   "basic and normal intervals take every scheme"));
}

}  // namespace

Result bootstrap_accompanied(const DataView& data, std::span<const Statistic> statistics,
                             const Options& options) {
  resample::check(resample::resolve(options.scheme, data), data.rows());
  check_scheme(data, statistics, options);
  Options plain = options;
  plain.influence = plain.standard_errors = false;
  const auto rows = static_cast<double>(data.rows());
  double later = 0;  // rows that evaluations without a row will visit
  const bool jackknife = std::holds_alternative<scheme::Jackknife>(options.scheme);
  if (options.influence && !jackknife)
    later = rows * static_cast<double>(
                       jackknife::evaluations(study::Problem(data, statistics), options.scheme));
  plain.execution = stage(options.execution, 0, later);
  Result result = options.standard_errors ? bootstrap_with_errors(data, statistics, plain)
                                          : bootstrap(data, statistics, plain);
  if (!options.influence) return result;
  plain.execution = stage(options.execution, rows * static_cast<double>(options.replicates), 0);
  if (jackknife) {  // has its influences
    result.add_influences(result.companions().influences, abc_curves(data, statistics, plain));
    return result;
  }
  result.add_influences(influence(data, statistics, plain),
                        jackknife::draws_together(plain.scheme)
                            ? std::vector<AbcCurve>()
                            : abc_curves(data, statistics, plain));
  return result;
}

}  // namespace bootfold::paths
