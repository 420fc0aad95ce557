// mad, gini, top_share and spearman without each row, from rows that are sorted once.
//
// U_i = (n - 1) (t - t_(-i)) is computed as such where it can be, because differences of two values
// that agree to 1/n lose the digits of n. In gini and top_share only sums of numbers that are not
// negative are formed before the last difference; ranks are whole numbers, and so are their sums.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "jackknife/influence.h"
#include "numeric/compensated.h"
#include "numeric/moments.h"
#include "numeric/quantile.h"
#include "study/sorted_column.h"

namespace bootfold::jackknife {

namespace {

using study::SortedColumn;
using Wide = __int128;

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

/// Values in a unit so large that their sum does not overflow; shares and Gini coefficients do not
/// depend on it. Empty if they have none: a value is negative, or all are 0.
std::vector<double> scaled(const SortedColumn& column) {
  if (column.values.front() < 0 || column.values.back() == 0) return {};
  const int unit = std::ilogb(column.values.back()) + 1;
  std::vector<double> found;
  found.reserve(column.values.size());
  for (const double value : column.values) found.push_back(std::ldexp(value, -unit));
  return found;
}

/// The sum of term(k) for all k >= i, for every i up to the number of terms.
template <class Term>
std::vector<double> sums_from(std::size_t terms, const Term& term) {
  std::vector<double> found(terms + 1);
  numeric::Compensated sum;
  for (std::size_t i = terms; i-- > 0;) {
    sum.add(term(i));
    found[i] = sum.value();
  }
  return found;
}

/// With d_i the sum of |x_j - x_i| and S that of x: U_i = (d_i - G (S + (n - 1) x_i)) / (S - x_i).
void delete_from_gini(const SortedColumn& column, OrderedDeletions& found) {
  const std::vector<double> x = scaled(column);
  if (x.empty()) return;
  const std::size_t n = x.size();
  const auto gap = [&](std::size_t k) { return x[k + 1] - x[k]; };
  const std::vector<double> values_from = sums_from(n, [&](std::size_t i) { return x[i]; });
  const std::vector<double> above =
      sums_from(n - 1, [&](std::size_t k) { return gap(k) * static_cast<double>(n - 1 - k); });
  numeric::Compensated pairs;
  for (std::size_t k = 0; k + 1 < n; ++k)
    pairs.add(gap(k) * static_cast<double>(n - 1 - k) * static_cast<double>(k + 1));
  const double rows = static_cast<double>(n);
  found.whole = pairs.value() / (rows * values_from[0]);
  numeric::Compensated below;          // of gaps
  numeric::Compensated values_before;  // of rows
  for (std::size_t i = 0; i < n; ++i) {
    const double differences = below.value() + above[i];
    const double rest = values_before.value() + values_from[i + 1];
    if (rest > 0)
      found.changes[column.rows[i]] =
          (differences - found.whole * (values_from[0] + (rows - 1) * x[i])) / rest;
    values_before.add(x[i]);
    if (i + 1 < n) below.add(gap(i) * static_cast<double>(i + 1));
  }
}

/// With V = top / S: U_i = (n - 1) (top - top_(-i) - V x_i) / (S - x_i). Of the top without a row
/// only three cases differ: the row is among the f that count in full, it is the next, or neither.
void delete_from_top_share(const SortedColumn& column, double share, OrderedDeletions& found) {
  const std::vector<double> x = scaled(column);
  if (x.empty()) return;
  const std::size_t n = x.size();
  const double rows = static_cast<double>(n);
  const double taken = share * rows;        // of all rows
  const double fewer = share * (rows - 1);  // of the others
  const double full = std::floor(fewer);    // f
  const double part = fewer - full;         // of the next
  const auto largest = [&](double rank) {   // from 1
    return rank <= rows ? x[n - static_cast<std::size_t>(rank)] : 0;
  };
  const double next = largest(full + 1);
  const double last = largest(full + 2);
  // The top of all rows, less the f and the f + 1 largest.
  const double beyond = (taken - full - 1) * (taken < full + 1 ? next : last);
  const double above = taken < full + 1 ? (taken - full) * next : next + beyond;
  const std::vector<double> values_from = sums_from(n, [&](std::size_t i) { return x[i]; });
  found.whole = taken >= rows
                    ? 1
                    : (values_from[n - static_cast<std::size_t>(full)] + above) / values_from[0];
  numeric::Compensated before;
  for (std::size_t i = 0; i < n; ++i) {
    const auto rank = static_cast<double>(n - i);
    const double lost = rank <= full       ? x[i] + beyond - part * last
                        : rank == full + 1 ? above - part * last
                                           : above - part * next;
    const double rest = before.value() + values_from[i + 1];
    if (rest > 0) found.changes[column.rows[i]] = (rows - 1) * (lost - found.whole * x[i]) / rest;
    before.add(x[i]);
  }
}

/// Without a row the median has one of three values at most. Deviations from each are selected
/// once: without a row, the k-th is the k-th of all, or the next if the row's is not above it.
void delete_from_mad(const SortedColumn& column, OrderedDeletions& found) {
  const std::vector<double>& x = column.values;
  const std::size_t n = x.size();
  std::vector<double> deviations(x);
  const double median = numeric::select_quantile(deviations, 0.5);
  for (std::size_t i = 0; i < n; ++i) deviations[i] = std::abs(x[i] - median);
  found.whole = numeric::select_quantile(deviations, 0.5);
  if (n == 1) return;
  const numeric::QuantilePosition position = numeric::quantile_position(0.5, n - 1);
  const std::size_t low = position.low;
  const std::size_t needed = low + (position.weight > 0 ? 2 : 1);
  const auto without = [&](const auto& at, bool shift_low, bool shift_high) {
    const double first = at(low + (shift_low ? 1 : 0));
    return position.weight == 0
               ? first
               : numeric::interpolate(first, at(low + (shift_high ? 2 : 1)), position.weight);
  };
  const auto delete_places = [&](std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    const double centre =
        without([&](std::size_t rank) { return x[rank - 1]; }, begin < low, begin < low + 1);
    for (std::size_t i = 0; i < n; ++i) deviations[i] = std::abs(x[i] - centre);
    const auto middle = deviations.begin() + static_cast<std::ptrdiff_t>(low - 1);
    std::nth_element(deviations.begin(), middle, deviations.end());
    std::partial_sort(middle + 1, deviations.begin() + static_cast<std::ptrdiff_t>(needed),
                      deviations.end());
    for (std::size_t i = begin; i < end; ++i) {
      const double own = std::abs(x[i] - centre);
      const double value =
          without([&](std::size_t rank) { return deviations[rank - 1]; },
                  own <= deviations[low - 1], position.weight > 0 && own <= deviations[low]);
      found.changes[column.rows[i]] = static_cast<double>(n - 1) * (found.whole - value);
    }
  };
  delete_places(0, low);
  delete_places(low, std::min(low + 1, n));
  delete_places(low + 1, n);
}

/// Calls visit(begin, end) for the places of each value.
template <class Visit>
void for_each_value(const SortedColumn& column, const Visit& visit) {
  for (std::size_t begin = 0; begin < column.values.size();) {
    std::size_t end = begin + 1;
    while (end < column.values.size() && column.values[end] == column.values[begin]) ++end;
    visit(begin, end);
    begin = end;
  }
}

/// Twice the rank of each row, less n + 1.
std::vector<std::int64_t> centred_ranks(const SortedColumn& column) {
  std::vector<std::int64_t> found(column.rows.size());
  for_each_value(column, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      found[column.rows[i]] = static_cast<std::int64_t>(begin + end - found.size());
  });
  return found;
}

/// How many numbers below each were added (Fenwick, 1994).
class CountsBelow {
 public:
  explicit CountsBelow(std::size_t numbers) : counts_(numbers + 1) {}

  void add(std::size_t number) {
    for (std::size_t i = number + 1; i < counts_.size(); i += i & (~i + 1)) ++counts_[i];
  }
  [[nodiscard]] std::int64_t below(std::size_t number) const {
    std::int64_t found = 0;
    for (std::size_t i = number; i > 0; i -= i & (~i + 1)) found += counts_[i];
    return found;
  }

 private:
  std::vector<std::uint32_t> counts_;
};

/// Of each row i the sum over all j of sign(x_i - x_j) sign(y_i - y_j).
std::vector<std::int64_t> concordances(const SortedColumn& x, const SortedColumn& y) {
  const std::size_t n = x.rows.size();
  std::vector<study::Tie> places(n);  // of the row's y among all
  for_each_value(y, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      places[y.rows[i]] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  });
  std::vector<std::int64_t> found(n);
  CountsBelow seen(n);
  /// The seen rows with a smaller y, less those with a larger one.
  const auto balance = [&](const study::Tie& own, std::size_t rows) {
    return seen.below(own.begin) + seen.below(own.end) - static_cast<std::int64_t>(rows);
  };
  for_each_value(x, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) found[x.rows[i]] += balance(places[x.rows[i]], begin);
    // Any place of the same y will do: counts are read where values begin and end.
    for (std::size_t i = begin; i < end; ++i) seen.add(places[x.rows[i]].begin);
    for (std::size_t i = begin; i < end; ++i) {
      const study::Tie& own = places[x.rows[i]];
      const std::int64_t all =
          static_cast<std::int64_t>(own.begin) - static_cast<std::int64_t>(n - own.end);
      found[x.rows[i]] -= all - balance(own, end);
    }
  });
  return found;
}

/// Adds to sums[i] the sum over all j of sign(x_i - x_j) numbers[j]; numbers have the sum 0.
void add_signed_sums(const SortedColumn& x, const std::vector<std::int64_t>& numbers,
                     std::vector<std::int64_t>& sums) {
  std::int64_t before = 0;
  for_each_value(x, [&](std::size_t begin, std::size_t end) {
    std::int64_t own = 0;
    for (std::size_t i = begin; i < end; ++i) own += numbers[x.rows[i]];
    for (std::size_t i = begin; i < end; ++i) sums[x.rows[i]] += 2 * before + own;
    before += own;
  });
}

/// The sum of squares of ranks without each row.
std::vector<double> squares_without(const SortedColumn& x, const std::vector<std::int64_t>& ranks,
                                    Wide all) {
  std::vector<std::int64_t> sums(ranks.size());
  add_signed_sums(x, ranks, sums);
  std::vector<double> found(ranks.size());
  for_each_value(x, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = x.rows[i];
      found[row] = static_cast<double>(all - Wide{ranks[row]} * ranks[row] + Wide{2} * sums[row] +
                                       static_cast<Wide>(ranks.size() - (end - begin)));
    }
  });
  return found;
}

/// Without row i twice the centred rank a_j of another is a_j + sign(x_i - x_j), and the sums of
/// squares and products follow.
void delete_from_spearman(const SortedColumn& x, const SortedColumn& y, OrderedDeletions& found) {
  const std::vector<std::int64_t> a = centred_ranks(x);
  const std::vector<std::int64_t> b = centred_ranks(y);
  Wide aa = 0;
  Wide bb = 0;
  Wide ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += Wide{a[i]} * a[i];
    bb += Wide{b[i]} * b[i];
    ab += Wide{a[i]} * b[i];
  }
  const auto correlation = [](double xx, double yy, double xy) {
    return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0) : kUndefined;
  };
  found.whole =
      correlation(static_cast<double>(aa), static_cast<double>(bb), static_cast<double>(ab));
  const std::vector<double> aa_without = squares_without(x, a, aa);
  const std::vector<double> bb_without = squares_without(y, b, bb);
  std::vector<std::int64_t> added = concordances(x, y);
  add_signed_sums(x, b, added);
  add_signed_sums(y, a, added);
  const auto others = static_cast<double>(a.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto products = static_cast<double>(ab - Wide{a[i]} * b[i] + added[i]);
    found.changes[i] = others * (found.whole - correlation(aa_without[i], bb_without[i], products));
  }
}

}  // namespace

const statistic::Ordered* ordered_of(const study::Part& part) {
  const auto* call = std::get_if<statistic::Call>(&part.bound.body);
  return call != nullptr && call->ordered ? &*call->ordered : nullptr;
}

OrderedDeletions ordered_deletions(const Task& task, const study::Part& part) {
  using Kind = statistic::Ordered::Kind;
  const DataView& data = task.problem().data;
  const statistic::Ordered& own = *ordered_of(part);
  const SortedColumn column = study::sorted(data.column(part.columns[0]), task.execution.stop);
  OrderedDeletions found{kUndefined, std::vector<double>(data.rows(), kUndefined)};
  switch (own.kind) {
    case Kind::mad:
      delete_from_mad(column, found);
      break;
    case Kind::gini:
      delete_from_gini(column, found);
      break;
    case Kind::top_share:
      delete_from_top_share(column, own.share, found);
      break;
    case Kind::spearman:
      delete_from_spearman(column, study::sorted(data.column(part.columns[1]), task.execution.stop),
                           found);
      break;
  }
  const bool takes_negatives = own.kind == Kind::mad || own.kind == Kind::spearman;
  if (!takes_negatives && column.values.size() > 1 && column.values[0] < 0 &&
      column.values[1] >= 0) {
    const double* const others = column.values.data() + 1;
    double value = 0;
    std::get<statistic::Call>(part.bound.body)
        .call({{&others, 1}, column.values.size() - 1}, {&value, 1});
    found.only = {column.rows[0], value};
  }
  return found;
}

double OrderedDeletions::without(std::uint64_t row) const {
  if (only && only->first == row) return only->second;
  return whole - changes[row] / static_cast<double>(changes.size() - 1);
}

void delete_from_ordered(const Task& task, const study::Part& part,
                         std::span<Influence> influences) {
  const OrderedDeletions all = ordered_deletions(task, part);
  Influence& found = influences[part.first_output];
  found.method = "sorted rows";
  found.rows = static_cast<double>(all.changes.size());
  found.estimate = all.whole;
  numeric::Moments moments;
  if (all.changes.size() > 1) {
    moments.add(all.changes);
    found.shift = -moments.mean() / (found.rows - 1);
  }
  found.mean = found.estimate + found.shift;
  conclude(Spread(moments), found);
}

}  // namespace bootfold::jackknife
