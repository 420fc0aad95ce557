#include "study/formulas.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "statistic/compose.h"
#include "study/problem.h"

namespace bootfold::study {

namespace {

/// The term, and if it is a function of sums, with means that are 0 but for rounding made 0, so
/// that what divides by them is undefined. Weighted means are left as they are.
Statistic without_rounding(const Statistic& term, std::size_t columns) {
  if (term.weighted()) return term;
  if (!std::holds_alternative<statistic::Sums>(term.bind(columns).body)) return term;
  auto same = std::make_shared<statistic::Formula>();
  same->terms.push_back({term, {}});
  for (std::uint32_t c = 0; c < columns; ++c) same->terms[0].columns.push_back(c);
  same->finish = [](std::span<const double> values, std::span<double> out) {
    std::copy(values.begin(), values.end(), out.begin());
  };
  return statistic::compose(term.name(), term.name(), columns, std::move(same))
      .with_parameters(term.parameters());
}

}  // namespace

Formulas::Formulas(const DataView& data, std::span<const Statistic> statistics)
    : statistics_(statistics.begin(), statistics.end()) {
  outputs_ = Problem(data, statistics_).outputs;
  for (const Statistic& statistic : statistics_) add(data, statistic);
}

void Formulas::add(const DataView& data, const Statistic& statistic) {
  const auto& formula = statistic.formula();
  if (formula == nullptr) {
    const std::size_t values = Problem(data, {&statistic, 1}).outputs.size();
    for (std::size_t k = 0; k < values; ++k) sources_.push_back({term_values_++});
    terms_.push_back(statistic);
    return;
  }
  any_ = true;
  Output output{term_values_, 0, formula};
  for (const statistic::Formula::Term& term : formula->terms) {
    std::vector<std::string> names;
    std::span<const std::uint32_t> named = term.columns;
    if (term.statistic.weighted()) named = named.first(named.size() - 1);  // weights have no name
    for (const std::uint32_t c : named)
      names.push_back(statistic.columns().empty() ? data.name(c) : statistic.columns()[c]);
    terms_.push_back(
        without_rounding(term.statistic, term.columns.size()).with_columns(std::move(names)));
    output.count += terms_.back().bind(term.columns.size()).outputs.size();
  }
  term_values_ += output.count;
  sources_.push_back(std::move(output));
}

double Formulas::Output::of(std::span<const double> values) const {
  if (formula == nullptr) return values[first];
  double value = 0;
  formula->finish(values.subspan(first, count), {&value, 1});
  // Undefined values are NaN, also where a division by 0 made an infinity.
  return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> Formulas::apply(std::vector<double> values) const {
  if (!any_ || values.empty()) return values;
  // In place: a replicate has no more outputs than terms have values.
  double* next = values.data();
  std::vector<double> replicate(term_values_);
  for (std::size_t at = 0; at + term_values_ <= values.size(); at += term_values_) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at), term_values_, replicate.begin());
    for (const Output& source : sources_) *next++ = source.of(replicate);
  }
  values.resize(static_cast<std::size_t>(next - values.data()));
  values.shrink_to_fit();
  return values;
}

}  // namespace bootfold::study
