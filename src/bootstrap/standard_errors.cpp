#include "bootstrap/standard_errors.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "bootfold/random.h"
#include "resample/groups.h"
#include "study/problem.h"
#include "text/concat.h"

namespace bootfold {

namespace {

/// Seconds that planning a bootstrap of a resample takes, however short it is.
constexpr double kInnerStart = 3e-5;

/// Computes the standard errors of a statistic on a resample.
using Nested = std::function<void(const Statistic&, const statistic::Resample&, std::span<double>)>;

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
std::vector<std::uint32_t> strata_of_places(const resample::Design& design) {
  std::vector<std::uint32_t> labels;
  if (design.stratum_labels().empty()) return labels;
  const auto strata = design.groups();
  for (std::size_t s = 0; s < strata->count(); ++s)
    labels.insert(labels.end(), strata->rows(s).size(), static_cast<std::uint32_t>(s));
  return labels;
}

Options inner_options(const Options& options) {
  Options inner;
  inner.replicates = options.nested_replicates;
  inner.memory = options.memory;
  inner.tolerance = options.tolerance;
  inner.execution = {1, options.execution.level, options.execution.stop, {}};
  return inner;
}

/// Whether all drawn rows have weight 0, so that no weighted statistic is defined on them.
bool weightless(const statistic::Resample& resample) {
  return std::ranges::all_of(resample.column(resample.columns.size() - 1),
                             [](double weight) { return weight == 0; });
}

/// By a bootstrap of the resample, within the same strata.
Nested nested_bootstrap(const resample::Design& design, const Options& options) {
  return [seed = options.seed, inner = inner_options(options),
          strata = std::make_shared<const std::vector<std::uint32_t>>(strata_of_places(design))](
             const Statistic& statistic, const statistic::Resample& resample,
             std::span<double> values) {
    if (statistic.weighted() && weightless(resample)) {
      std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
      return;
    }
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

Statistic by_nested_bootstrap(const Statistic& statistic, const Nested& nested) {
  const Statistic made(
      "standard_error_of_" + statistic.name(), statistic.fewest_columns(), statistic.most_columns(),
      [statistic, nested](std::size_t columns) {
        statistic::Bound bound;
        for (const std::string& name : statistic.bind(columns).outputs)
          bound.outputs.push_back("standard_error_of_" + name);
        bound.body =
            statistic::Call{[inner = statistic.with_columns({}), nested](
                                const statistic::Resample& resample, std::span<double> values) {
              nested(inner, resample, values);  // a resample has the columns of the statistic
            }};
        return bound;
      });
  const Statistic named = made.with_columns(statistic.columns());
  return statistic.weighted() ? named.with_weights() : named;
}

/// Throws unless the design has standard errors on resamples.
void check(std::span<const Statistic> statistics, const resample::Design& design,
           const resample::Traits& traits, std::uint64_t rows) {
  if (traits.deletes)
    throw InvalidArgument(
        "scheme is 'jackknife', which draws no resamples, so there are no standard errors on "
        "resamples; use a normal interval, or scheme 'iid' for studentized intervals");
  const bool formulas =
      traits.formula && std::all_of(statistics.begin(), statistics.end(), [](const Statistic& s) {
        return s.standard_error() != nullptr;
      });
  if (traits.studentized == resample::Studentized::yes ||
      (traits.studentized == resample::Studentized::by_formula && formulas))
    return;
  throw InvalidArgument(
      text::concat("scheme is '", design.describe(rows),
                   "' but standard errors on every resample, for studentized intervals, are "
                   "available only where rows are drawn one by one (with unequal probabilities: "
                   "for statistics with "
                   "a formula) or within strata; use bca, percentile, basic or normal intervals, "
                   "which support every scheme"));
}

}  // namespace

WithStandardErrors::WithStandardErrors(const DataView& data, std::span<const Statistic> asked,
                                       const resample::Design& design, const Options& options)
    : statistics(asked.begin(), asked.end()) {
  const resample::Traits traits = design.traits(data.rows());
  check(asked, design, traits, data.rows());
  if (options.nested_replicates < 2)
    throw InvalidArgument(text::concat("nested_replicates is ", options.nested_replicates,
                                       " but a standard error needs at least 2; 50 is usual"));
  static_cast<void>(study::Problem(data, asked));  // throws if they do not fit the columns
  const Nested inner = nested_bootstrap(design, options);
  bool by_formula = false;
  bool by_bootstrap = false;
  for (const Statistic& statistic : asked) {
    const Statistic* formula = traits.formula ? statistic.standard_error() : nullptr;
    nested.insert(nested.end(), study::Problem(data, {&statistic, 1}).outputs.size(),
                  formula == nullptr);
    (formula != nullptr ? by_formula : by_bootstrap) = true;
    statistics.push_back(formula != nullptr ? *formula : by_nested_bootstrap(statistic, inner));
    if (formula == nullptr)
      seconds += static_cast<double>(options.replicates) *
                 (kInnerStart + plan(data, statistic, inner_options(options)).seconds);
  }
  const std::string bootstraps =
      text::concat("nested bootstrap, ", options.nested_replicates, " replicates");
  method = by_formula && by_bootstrap ? "formula or " + bootstraps
           : by_formula               ? "formula"
                                      : bootstraps;
}

}  // namespace bootfold
