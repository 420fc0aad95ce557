// mad, gini, top_share and spearman of rows with weights.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "numeric/compensated.h"
#include "numeric/quantile.h"
#include "numeric/unit.h"
#include "statistic/ordered.h"

namespace bootfold::statistic {

namespace {

using numeric::Compensated;
using numeric::WeightedRow;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double total_of(std::span<const WeightedRow> rows) {
  Compensated total;
  for (const WeightedRow& row : rows) total.add(row.weight);
  return total.value();
}

/// Rows that are sorted already, as the jackknife hands them over, take no time.
void sort_by_value(std::vector<WeightedRow>& rows) {
  const auto less = [](const WeightedRow& a, const WeightedRow& b) { return a.value < b.value; };
  if (!std::is_sorted(rows.begin(), rows.end(), less)) std::sort(rows.begin(), rows.end(), less);
}

double weighted_mad(std::vector<WeightedRow> rows, std::uint64_t n) {
  const double median = numeric::weighted_quantile(rows, 0.5, n);
  for (WeightedRow& row : rows) row.value = std::abs(row.value - median);
  sort_by_value(rows);
  return numeric::weighted_quantile(rows, 0.5, n);
}

/// Sums over the gaps between values, none of them negative: paths/ordered.cpp says of what.
double weighted_gini(std::span<const WeightedRow> rows, double unit) {
  const double total = total_of(rows);
  Compensated sum;
  Compensated spread;
  Compensated below;
  Compensated above;
  above.add(total);
  sum.add(total * (rows.front().value * unit));
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    below.add(rows[i].weight);
    above.add(-rows[i].weight);
    const double added = (rows[i + 1].value - rows[i].value) * unit * above.value();
    sum.add(added);
    spread.add(added * below.value());
  }
  return sum.value() > 0 ? spread.value() / (total * sum.value()) : kNaN;
}

double weighted_top_share(std::span<const WeightedRow> rows, double share, double unit) {
  Compensated left;
  left.add(share * total_of(rows));
  Compensated top;
  Compensated sum;
  for (std::size_t i = rows.size(); i-- > 0;) {
    const double value = rows[i].value * unit;
    if (left.value() > 0) top.add(std::min(left.value(), rows[i].weight) * value);
    left.add(-rows[i].weight);
    sum.add(rows[i].weight * value);
  }
  return sum.value() > 0 ? std::min(1.0, top.value() / sum.value()) : kNaN;
}

/// Twice the weight below a row and half that of its equals, less that of all: with equal weights
/// twice the centred rank.
std::vector<double> weighted_ranks(std::span<const double> column,
                                   std::span<const double> weights) {
  std::vector<std::uint32_t> order(column.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return column[a] != column[b] ? column[a] < column[b] : a < b;
  });
  Compensated total;
  for (const double weight : weights) total.add(weight);
  std::vector<double> ranks(column.size());
  Compensated twice;
  twice.add(-total.value());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    Compensated own;
    for (; end < order.size() && column[order[end]] == column[order[begin]]; ++end)
      own.add(weights[order[end]]);
    twice.add(own.value());
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = twice.value();
    twice.add(own.value());
    begin = end;
  }
  return ranks;
}

double weighted_spearman(const Resample& resample, double unit) {
  std::vector<double> weights;
  for (const double weight : resample.column(2)) weights.push_back(weight * unit);
  const std::vector<double> x = weighted_ranks(resample.column(0), weights);
  const std::vector<double> y = weighted_ranks(resample.column(1), weights);
  Compensated xx;
  Compensated yy;
  Compensated xy;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx.add(weights[i] * x[i] * x[i]);
    yy.add(weights[i] * y[i] * y[i]);
    xy.add(weights[i] * x[i] * y[i]);
  }
  if (!(xx.value() > 0 && yy.value() > 0)) return kNaN;
  return std::clamp(xy.value() / std::sqrt(xx.value() * yy.value()), -1.0, 1.0);
}

}  // namespace

double weighted_value(const Ordered& ordered, const Resample& resample) {
  const std::span<const double> weights = resample.column(resample.columns.size() - 1);
  const double unit = numeric::unit_of(*std::max_element(weights.begin(), weights.end()));
  if (ordered.kind == Ordered::Kind::spearman) return weighted_spearman(resample, unit);
  std::vector<WeightedRow> rows;
  for (std::size_t row = 0; row < resample.rows; ++row)
    if (weights[row] > 0) rows.push_back({resample.columns[0][row], weights[row] * unit});
  if (rows.empty()) return kNaN;
  sort_by_value(rows);
  if (ordered.kind == Ordered::Kind::mad) return weighted_mad(std::move(rows), resample.rows);
  if (rows.front().value < 0) return kNaN;
  const double scale = numeric::unit_of(rows.back().value);
  return ordered.kind == Ordered::Kind::gini ? weighted_gini(rows, scale)
                                             : weighted_top_share(rows, ordered.share, scale);
}

}  // namespace bootfold::statistic
