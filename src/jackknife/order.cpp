// Quantiles without one row, in closed form.
//
// Of the rows left when the i-th smallest is taken out, the k-th smallest is x_(k) if i > k and
// x_(k+1) otherwise. So the value depends on i only by which of the needed ranks are below it:
// with r ranks there are r + 1 different values at most, and how many i give each is known.
#include <algorithm>

#include "jackknife/influence.h"
#include "numeric/moments.h"
#include "numeric/quantile.h"
#include "study/tile.h"

namespace bootfold::jackknife {

OrderDeletions order_deletions(const Task& task, const study::Part& part) {
  const auto& order = std::get<statistic::Order>(part.bound.body);
  const std::uint64_t n = task.problem().data.rows();

  /// The values for `rows` sorted rows of which the rank-th is at(rank).
  const auto evaluate = [&](std::uint64_t rows, const auto& at, std::span<double> values) {
    std::vector<double> quantiles;
    for (const double q : order.probabilities) {
      const auto position = numeric::quantile_position(q, rows);
      const double low = at(position.low);
      quantiles.push_back(position.weight > 0
                              ? numeric::interpolate(low, at(position.low + 1), position.weight)
                              : low);
    }
    order.finish(quantiles, values);
  };

  OrderDeletions found;
  found.whole.resize(part.outputs());
  evaluate(
      n, [&](std::uint64_t rank) { return task.order(part, rank); }, found.whole);
  if (n == 1) return found;
  std::vector<std::uint64_t>& last = found.last;
  for (const double q : order.probabilities) {
    const auto position = numeric::quantile_position(q, n - 1);
    last.push_back(position.low);
    if (position.weight > 0) last.push_back(position.low + 1);
  }
  last.push_back(n);
  std::sort(last.begin(), last.end());
  last.erase(std::unique(last.begin(), last.end()), last.end());
  found.values.assign(last.size(), std::vector<double>(part.outputs()));
  for (std::size_t j = 0; j < last.size(); ++j)
    evaluate(
        n - 1,
        [&](std::uint64_t rank) { return task.order(part, rank < last[j] ? rank : rank + 1); },
        found.values[j]);
  return found;
}

void delete_from_order(const Task& task, const study::Part& part, std::span<Influence> influences) {
  const std::uint64_t n = task.problem().data.rows();
  const OrderDeletions all = order_deletions(task, part);
  for (std::size_t k = 0; k < part.outputs(); ++k) {
    Influence& found = influences[part.first_output + k];
    found.method = "order statistics";
    found.rows = static_cast<double>(n);
    found.estimate = all.whole[k];
    numeric::Moments moments;
    for (std::size_t j = 0; j < all.last.size(); ++j) {
      const std::uint64_t before = j == 0 ? 0 : all.last[j - 1];
      moments.add((found.rows - 1) * (all.whole[k] - all.values[j][k]),
                  static_cast<double>(all.last[j] - before));
    }
    if (n > 1) found.shift = -moments.mean() / (found.rows - 1);
    found.mean = found.estimate + found.shift;
    conclude(Spread(moments), found);
  }
}

std::vector<std::vector<double>> changes_of_order(const Task& task, const study::Part& part,
                                                  std::span<double> whole) {
  const ColumnView& column = task.problem().data.column(part.columns[0]);
  const auto n = static_cast<double>(column.rows());
  const OrderDeletions all = order_deletions(task, part);
  std::copy(all.whole.begin(), all.whole.end(), whole.begin());
  std::vector<std::vector<double>> changes(part.outputs(), std::vector<double>(column.rows()));
  // Equal rows in two classes have the same value in both.
  std::vector<double> bounds;
  for (const std::uint64_t rank : all.last) bounds.push_back(task.order(part, rank));
  std::vector<double> tile(study::kTileRows);
  for (std::size_t row = 0; row < column.rows() && !bounds.empty(); row += tile.size()) {
    const auto rows = std::span(tile).first(std::min(tile.size(), column.rows() - row));
    column.read(row, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto at = std::lower_bound(bounds.begin(), bounds.end() - 1, rows[i]);
      const auto& values = all.values[static_cast<std::size_t>(at - bounds.begin())];
      for (std::size_t k = 0; k < values.size(); ++k)
        changes[k][row + i] = (n - 1) * (all.whole[k] - values[k]);
    }
  }
  return changes;
}

}  // namespace bootfold::jackknife
