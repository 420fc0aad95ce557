// Statistics of the rows in their order that are no quantiles: mad, gini, top_share, spearman.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bootfold/error.h"
#include "bootfold/statistic.h"
#include "numeric/compensated.h"
#include "numeric/quantile.h"
#include "numeric/unit.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::statistic {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Statistic of_rows(const std::string& name, Ordered ordered,
                  std::function<double(const Resample&)> value) {
  const std::size_t columns = ordered.kind == Ordered::Kind::spearman ? 2 : 1;
  const std::string output = columns == 1 ? name + "({1})" : name + "({1}, {2})";
  return Statistic(name, columns, columns, [output, ordered, value](std::size_t) {
    Call call;
    call.order = RowOrder::any;
    call.ordered = ordered;
    call.call = [value](const Resample& resample, std::span<double> values) {
      values[0] = value(resample);
    };
    return Bound{{output}, std::move(call)};
  });
}

std::vector<double> sorted(std::span<const double> column) {
  std::vector<double> rows(column.begin(), column.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

double mad_of(const Resample& resample) {
  std::vector<double> rows(resample.column(0).begin(), resample.column(0).end());
  const double median = numeric::select_quantile(rows, 0.5);
  for (double& row : rows) row = std::abs(row - median);
  return numeric::select_quantile(rows, 0.5);
}

/// sum of (2 i - n - 1) x_(i) / (n sum of x)
double gini_of(const Resample& resample) {
  const std::vector<double> rows = sorted(resample.column(0));
  if (rows.front() < 0) return kNone;
  const auto n = static_cast<double>(rows.size());
  const double unit = numeric::unit_of(rows.back());
  numeric::Compensated weighted;
  numeric::Compensated sum;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double row = rows[i] * unit;
    weighted.add((2 * static_cast<double>(i) + 1 - n) * row);
    sum.add(row);
  }
  return sum.value() > 0 ? weighted.value() / (n * sum.value()) : kNone;
}

double top_share_of(const Resample& resample, double q) {
  const std::vector<double> rows = sorted(resample.column(0));
  if (rows.front() < 0) return kNone;
  double left = q * static_cast<double>(rows.size());
  const double unit = numeric::unit_of(rows.back());
  numeric::Compensated top;
  numeric::Compensated sum;
  for (std::size_t i = rows.size(); i-- > 0; left -= 1) {
    const double row = rows[i] * unit;
    if (left > 0) top.add(std::min(left, 1.0) * row);
    sum.add(row);
  }
  return sum.value() > 0 ? top.value() / sum.value() : kNone;
}

/// Twice the ranks, less n + 1, so that they are whole numbers with a mean of 0.
std::vector<double> centred_ranks(std::span<const double> column) {
  std::vector<std::uint32_t> order(column.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return column[a] != column[b] ? column[a] < column[b] : a < b;
  });
  std::vector<double> ranks(column.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && column[order[end]] == column[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i)
      ranks[order[i]] = static_cast<double>(begin + end) - static_cast<double>(order.size());
    begin = end;
  }
  return ranks;
}

double spearman_of(const Resample& resample) {
  const std::vector<double> x = centred_ranks(resample.column(0));
  const std::vector<double> y = centred_ranks(resample.column(1));
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += x[i] * x[i];
    yy += y[i] * y[i];
    xy += x[i] * y[i];
  }
  return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0) : kNone;
}

}  // namespace

Statistic mad() { return of_rows("mad", {Ordered::Kind::mad}, mad_of); }

Statistic gini() { return of_rows("gini", {Ordered::Kind::gini}, gini_of); }

Statistic top_share(double q) {
  if (!(q > 0 && q <= 1))
    throw InvalidArgument(text::concat("top_share of ", q,
                                       " of the rows is not defined; give a share above 0 and at "
                                       "most 1, such as 0.1"));
  return of_rows("top_share:" + text::shortest(q), {Ordered::Kind::top_share, q},
                 [q](const Resample& resample) { return top_share_of(resample, q); });
}

Statistic spearman() { return of_rows("spearman", {Ordered::Kind::spearman}, spearman_of); }

}  // namespace bootfold::statistic
