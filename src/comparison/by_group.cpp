#include "comparison/by_group.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "comparison/group_sums.h"
#include "numeric/quantile.h"

namespace bootfold::comparison {

namespace {

using statistic::Folded;
using statistic::Tile;

/// Features of all groups, which are 0 for the rows of others.
void fill(const GroupSums& sums, const Tile& tile, std::span<double* const> features) {
  const std::size_t columns = tile.columns.size() - 1;
  const std::span<const double> group = tile.column(columns);
  for (double* const feature : features) std::fill_n(feature, tile.rows, 0.0);
  sums.make(
      {tile.columns.first(columns), tile.rows},
      [&](std::size_t row) { return static_cast<std::size_t>(group[row]); },
      [&](std::size_t g, std::size_t f) { return features[g * sums.width() + f]; });
}

statistic::Sums sums_by_group(GroupSums made) {
  const auto shared = std::make_shared<const GroupSums>(std::move(made));
  statistic::Sums sums;
  sums.filled = shared->groups() * shared->width();
  sums.fill = [shared](const Tile& tile, std::span<double* const> features) {
    fill(*shared, tile, features);
  };
  sums.finish = [shared](const Folded& folded, std::span<double> values) {
    const std::vector<double> errors(shared->groups(), folded.resolution);
    shared->finish(folded.means, folded.rows, errors, folded.relative, values);
  };
  return sums;
}

/// The value of any other statistic on rows.
struct Evaluate {
  const Tile& rows;
  std::span<double> first_column;  // the same as that of the rows, to be sorted
  std::span<double> values;

  void operator()(const statistic::Order& order) const {
    std::vector<double> quantiles;
    for (const double q : order.probabilities)
      quantiles.push_back(numeric::select_quantile(first_column, q));
    order.finish(quantiles, values);
  }
  void operator()(const statistic::Fold& fold) const {
    const auto state = fold.fresh();
    state->accumulate(rows, std::vector<std::uint32_t>(rows.rows, 1));
    state->finish(values);
  }
  void operator()(const statistic::Call& call) const { call.call(rows, values); }
  void operator()(const statistic::Sums&) const {}  // GroupSums
};

/// Evaluates the statistic on the rows of every group of a resample, which are brought together in
/// one pass.
void evaluate(const statistic::Bound& inner, const statistic::Resample& resample,
              std::size_t groups, Difference kind, std::span<double> values) {
  const std::size_t columns = resample.columns.size() - 1;
  const std::span<const double> group = resample.column(columns);
  std::vector<std::size_t> firsts(groups + 1);
  for (const double g : group) ++firsts[static_cast<std::size_t>(g) + 1];
  for (std::size_t g = 0; g < groups; ++g) firsts[g + 1] += firsts[g];
  const auto sorted = std::make_unique_for_overwrite<double[]>(columns * resample.rows);
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<std::size_t> next = firsts;
    for (std::size_t i = 0; i < resample.rows; ++i)
      sorted[c * resample.rows + next[static_cast<std::size_t>(group[i])]++] =
          resample.columns[c][i];
  }
  std::vector<const double*> starts(columns);
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t c = 0; c < columns; ++c)
      starts[c] = sorted.get() + c * resample.rows + firsts[g];
    const Tile rows{starts, firsts[g + 1] - firsts[g]};
    values[g] = std::numeric_limits<double>::quiet_NaN();
    if (rows.rows > 0)
      std::visit(Evaluate{rows, {sorted.get() + firsts[g], rows.rows}, values.subspan(g, 1)},
                 inner.body);
  }
  add_differences(values, groups, kind);
}

}  // namespace

Statistic by_group(const Statistic& statistic,
                   const std::vector<std::vector<statistic::Scale>>& scales, Difference kind) {
  const std::size_t groups = scales.size();
  const std::size_t columns = scales[0].size();
  const statistic::Bound inner = statistic.bind(columns);
  statistic::Bound bound;
  for (std::size_t g = 0; g < groups; ++g) bound.outputs.push_back(inner.outputs[0]);
  for (std::size_t g = 1; g < groups; ++g)
    bound.outputs.push_back("difference of " + inner.outputs[0]);
  if (const auto* sums = std::get_if<statistic::Sums>(&inner.body)) {
    bound.body = sums_by_group(GroupSums(*sums, scales, kind));
  } else {
    const auto* call = std::get_if<statistic::Call>(&inner.body);
    bound.body = statistic::Call{
        [inner, groups, kind](const statistic::Resample& resample, std::span<double> values) {
          evaluate(inner, resample, groups, kind, values);
        },
        std::nullopt, std::nullopt, call != nullptr ? call->order : statistic::RowOrder::any};
  }
  std::vector<double> parameters = statistic.parameters();
  parameters.push_back(static_cast<double>(kind));
  return Statistic(statistic.name() + " by group", columns + 1, columns + 1,
                   [bound](std::size_t) { return bound; })
      .with_parameters(std::move(parameters));
}

}  // namespace bootfold::comparison
