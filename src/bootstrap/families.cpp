#include "bootstrap/families.h"

#include <algorithm>
#include <numeric>

#include "paths/entry.h"
#include "paths/table.h"
#include "resample/design.h"
#include "resample/overloaded.h"
#include "study/formulas.h"
#include "study/study.h"

namespace bootfold {

namespace {

using Kind = Family::Kind;

Kind kind_of(const statistic::Bound& bound) {
  return std::visit(overloaded{
                        [](const statistic::Sums&) { return Kind::sums; },
                        [](const statistic::Order&) { return Kind::quantiles; },
                        [](const statistic::Fold&) { return Kind::folded; },
                        [](const statistic::Call& call) {
                          return call.trimmed          ? Kind::walked
                                 : call.ranking        ? Kind::ranked
                                 : call.ordered        ? Kind::ordered
                                 : call.weighted_order ? Kind::weighted
                                                       : Kind::called;
                        },
                    },
                    bound.body);
}

/// A formula needs all of its terms on the same resample.
Kind kind_of(const DataView& data, const Statistic& statistic, const study::Part& part) {
  if (statistic.formula() == nullptr) return kind_of(part.bound);
  const study::Formulas formulas(data, {&statistic, 1});
  const study::Problem terms(data, formulas.terms());
  if (paths::of_counts(terms)) return Kind::walked;
  const bool ordered = std::ranges::all_of(terms.parts, [](const study::Part& each) {
    const Kind kind = kind_of(each.bound);
    return kind == Kind::sums || kind == Kind::quantiles || kind == Kind::walked ||
           kind == Kind::ordered;
  });
  return ordered ? Kind::ordered : Kind::called;
}

/// Whether quantiles of one column take a few draws.
bool has_shortcut(const DataView& data, const Statistic& statistic,
                  const resample::Design& design) {
  const study::Study study(data, {&statistic, 1});
  const std::uint64_t rows = data.rows();
  const planning::Question question{.study = study,
                                    .design = design,
                                    .traits = design.traits(rows),
                                    .rows = rows,
                                    .draws = design.draws(rows)};
  return paths::order::entry().serves(question).empty();
}

/// The statistic for columns by their names, with its standard error.
Statistic named(const Statistic& statistic, const std::vector<std::string>& names) {
  if (!statistic.columns().empty()) return statistic;
  const Statistic made = statistic.with_columns(names);
  if (statistic.standard_error() == nullptr) return made;
  return made.with_standard_error(statistic.standard_error()->with_columns(names));
}

/// Whether two columns have the same name, so that a name does not tell them apart.
bool repeats_names(const DataView& data) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < data.columns(); ++c) names.push_back(data.name(c));
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) != names.end();
}

/// Whether statistics of a kind run together whatever their columns are.
bool together(const Family& family, Kind kind, std::span<const std::uint32_t> columns) {
  return family.kind == kind &&
         (kind != Kind::quantiles || std::ranges::equal(family.columns, columns));
}

}  // namespace

DataView Family::view(const DataView& data) const {
  std::vector<ColumnView> chosen;
  std::vector<std::string> names;
  for (const std::uint32_t c : columns) {
    chosen.push_back(data.column(c));
    names.push_back(data.name(c));
  }
  return {std::move(chosen), std::move(names)};
}

void Family::join(const Family& other) {
  statistics.insert(statistics.end(), other.statistics.begin(), other.statistics.end());
  outputs.insert(outputs.end(), other.outputs.begin(), other.outputs.end());
  std::vector<std::uint32_t> all;
  std::ranges::set_union(columns, other.columns, std::back_inserter(all));
  columns = std::move(all);
}

std::vector<Family> families(const DataView& data, std::span<const Statistic> statistics,
                             const Options& options) {
  std::vector<Family> found;
  if (options.joint || options.path || repeats_names(data)) {
    Family all{.statistics = {statistics.begin(), statistics.end()}};
    all.columns.resize(data.columns());
    std::iota(all.columns.begin(), all.columns.end(), 0U);
    all.outputs.resize(study::Problem(data, statistics).outputs.size());
    std::iota(all.outputs.begin(), all.outputs.end(), std::size_t{0});
    return {std::move(all)};
  }
  const auto design = resample::design(options.scheme, data);
  std::size_t output = 0;
  for (const Statistic& statistic : statistics) {
    const study::Problem problem(data, {&statistic, 1});
    for (const study::Part& part : problem.parts) {
      Family one;
      one.kind = kind_of(data, statistic, part);
      one.columns = part.columns;
      std::vector<std::string> names;  // weights are the last column of the data, and not named
      for (const std::uint32_t c : part.columns) names.push_back(data.name(c));
      if (part.weighted) names.pop_back();
      one.statistics = {named(statistic, names)};
      if (one.kind == Kind::quantiles && !has_shortcut(data, one.statistics[0], *design))
        one.kind = Kind::walked;
      std::ranges::sort(one.columns);
      one.columns.erase(std::unique(one.columns.begin(), one.columns.end()), one.columns.end());
      for (std::size_t k = 0; k < part.outputs(); ++k) one.outputs.push_back(output++);
      const auto known = std::ranges::find_if(
          found, [&](const Family& each) { return together(each, one.kind, one.columns); });
      if (known == found.end())
        found.push_back(std::move(one));
      else
        known->join(one);
    }
  }
  return found;
}

}  // namespace bootfold
