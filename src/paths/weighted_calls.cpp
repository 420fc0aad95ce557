// Columns are sorted once. A replicate is a walk over the rows in the order of a column that adds
// up weights, which are integers, so that cumulative weights are exact:
//
//   gini, top_share  sums over the gaps between neighbouring values, each times the weight above
//   it.
//                    No term is negative, so nothing cancels.
//   mad              the median, then the deviations from it in rising order, from both sides.
//   spearman         the cumulative weights are the ranks.
//
// Other statistics are computed as the weighted statistic that the user could ask for.
#include "paths/weighted_calls.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "numeric/compensated.h"
#include "numeric/quantile.h"
#include "numeric/unit.h"

namespace bootfold::paths {

namespace {

using numeric::Compensated;
using Kind = statistic::Ordered::Kind;

constexpr double kNotDefined = std::numeric_limits<double>::quiet_NaN();

/// Terms that are added up as they are; the sums of blocks are compensated.
constexpr std::size_t kBlock = 256;

/// Null: the statistic needs no more than sums or quantiles of weights.
const statistic::Call* call_of(const study::Part& part) {
  const auto* call = std::get_if<statistic::Call>(&part.bound.body);
  return call != nullptr && !call->trimmed ? call : nullptr;
}

/// The unit of weights of which sums, each times a weight of the row, may overflow; otherwise 1.
double unit_of_weights(std::span<const double> weights) {
  constexpr double kSafe = 0x1p+900;
  const double largest = *std::ranges::max_element(weights);
  return largest > kSafe ? numeric::unit_of(largest) : 1;
}

/// Calls add(place, sums) for all places; the sums of each block are added to `totals`.
template <std::size_t count, class Add>
void in_blocks(std::size_t places, Compensated (&totals)[count], const Add& add) {
  for (std::size_t begin = 0; begin < places; begin += kBlock) {
    double sums[count] = {};
    const std::size_t end = std::min(places, begin + kBlock);
    for (std::size_t place = begin; place < end; ++place) add(place, sums);
    for (std::size_t k = 0; k < count; ++k) totals[k].add(sums[k]);
  }
}

/// The smallest values whose cumulative weights reach the ranks of the median of n rows. next()
/// gives values in rising order, with their weights.
template <class Next>
double median_of(std::uint64_t total, std::uint64_t n, const Next& next) {
  const numeric::QuantilePosition position = numeric::quantile_position(0.5, n);
  std::uint64_t seen = 0;
  numeric::WeightedRow row{};
  const auto reach = [&](std::uint64_t rank) {
    const auto wanted = static_cast<std::uint64_t>(numeric::weight_of_rank(total, rank, n));
    while (seen < wanted) {
      row = next();
      seen += static_cast<std::uint64_t>(row.weight);
    }
    return row.value;
  };
  const double low = reach(position.low);
  if (position.weight == 0) return low;
  return numeric::interpolate(low, reach(position.low + 1), position.weight);
}

}  // namespace

bool WeightedCalls::takes(const study::Part& part) {
  if (std::holds_alternative<statistic::Fold>(part.bound.body)) return false;
  const statistic::Call* const call = call_of(part);
  return call == nullptr || part.weighted || statistic::weighted_call(*call).has_value();
}

WeightedCalls::Size WeightedCalls::size(const study::Problem& problem) {
  Size found;
  std::set<std::uint32_t> sorted;
  std::set<std::uint32_t> kept;
  for (const study::Part& part : problem.parts) {
    const statistic::Call* const call = call_of(part);
    if (call == nullptr) continue;
    ++found.calls;
    (call->ordered ? sorted : kept).insert(part.columns.begin(), part.columns.end());
    if (call->ordered) {
      ++found.sorted;
      if (call->ordered->kind == Kind::spearman)
        found.thread_columns = std::max<std::size_t>(found.thread_columns, 1);
    } else {
      // The weights, and what the statistic sorts: values, weights and places.
      found.thread_columns = 4;
    }
  }
  found.shared_columns = sorted.size() + kept.size();
  return found;
}

WeightedCalls::WeightedCalls(const study::Problem& problem, const std::stop_token& stop)
    : rows_(problem.data.rows()) {
  for (const study::Part& part : problem.parts) {
    const statistic::Call* const call = call_of(part);
    if (call == nullptr) continue;
    if (call->ordered) {
      const bool pair = call->ordered->kind == Kind::spearman;
      ordered_.push_back({&part, *call->ordered, &sorted_[part.columns[0]],
                          pair ? &sorted_[part.columns[1]] : nullptr});
      continue;
    }
    general_.push_back(
        {&part, part.weighted ? *call : *statistic::weighted_call(*call), part.weighted});
    for (const std::uint32_t number : part.columns) {
      std::vector<double>& column = kept_[number];
      column.resize(rows_);
      problem.data.column(number).read(0, column);
    }
    if (part.weighted) general_.back().unit = unit_of_weights(kept_.at(part.columns.back()));
  }
  for (auto& [number, column] : sorted_) {
    column.sorted = study::sorted(problem.data.column(number), stop);
    column.ties = column.sorted.ties();
    column.unit = numeric::unit_of(column.sorted.values.back());
  }
}

void WeightedCallsFinisher::operator()(std::span<const std::uint32_t> weights, std::uint64_t total,
                                       std::span<double> values, const execution::Worker& worker) {
  weights_ = weights;
  total_ = total;
  for (const WeightedCalls::OrderedCall& call : calls_.ordered_) {
    worker.check();
    values[call.part->first_output] = ordered(call);
  }
  if (calls_.general_.empty()) return;
  for (const WeightedCalls::GeneralCall& call : calls_.general_) {
    worker.check();
    general(call, values.subspan(call.part->first_output, call.part->outputs()));
  }
}

double WeightedCallsFinisher::ordered(const WeightedCalls::OrderedCall& call) {
  switch (call.ordered.kind) {
    case Kind::mad:
      return mad(*call.first);
    case Kind::spearman:
      return spearman(*call.first, *call.second);
    case Kind::gini:
    case Kind::top_share:
      break;
  }
  return by_gaps(*call.first, call.ordered);
}

double WeightedCallsFinisher::by_gaps(const Column& column,
                                      const statistic::Ordered& ordered) const {
  const std::span<const double> values = column.sorted.values;
  if (values.front() < 0) return kNotDefined;  // every row has a weight
  const auto total = static_cast<double>(total_);
  const double limit = ordered.share * total;
  Compensated sums[3];  // of all values, of those at the top, of differences
  sums[0].add(total * (values.front() * column.unit));
  sums[1].add(limit * (values.front() * column.unit));
  std::uint64_t below = 0;
  in_blocks(values.size() - 1, sums, [&](std::size_t place, double* added) {
    below += weights_[column.sorted.rows[place]];
    const double gap = (values[place + 1] - values[place]) * column.unit;
    const auto above = static_cast<double>(total_ - below);
    added[0] += gap * above;
    added[1] += gap * std::min(above, limit);
    added[2] += gap * above * static_cast<double>(below);
  });
  if (!(sums[0].value() > 0)) return kNotDefined;
  return ordered.kind == Kind::gini ? sums[2].value() / (total * sums[0].value())
                                    : std::min(1.0, sums[1].value() / sums[0].value());
}

double WeightedCallsFinisher::mad(const Column& column) const {
  const std::span<const double> values = column.sorted.values;
  const auto weight = [&](std::size_t place) {
    return static_cast<double>(weights_[column.sorted.rows[place]]);
  };
  std::size_t place = 0;
  const double median = median_of(total_, values.size(), [&] {
    const numeric::WeightedRow row{values[place], weight(place)};
    ++place;
    return row;
  });
  std::size_t right = static_cast<std::size_t>(
      std::upper_bound(values.begin(), values.end(), median) - values.begin());
  std::size_t left = right;  // one behind
  return median_of(total_, values.size(), [&] {
    const bool from_left =
        right == values.size() || (left > 0 && median - values[left - 1] <= values[right] - median);
    const std::size_t nearest = from_left ? --left : right++;
    return numeric::WeightedRow{std::abs(values[nearest] - median), weight(nearest)};
  });
}

double WeightedCallsFinisher::spearman(const Column& first, const Column& second) {
  // Twice the centred rank: the weight below a row, less that above it.
  const auto walk = [&](const Column& column, const auto& see) {
    const auto total = static_cast<double>(total_);
    std::uint64_t below = 0;
    auto tie = column.ties.begin();
    const std::vector<std::uint32_t>& rows = column.sorted.rows;
    for (std::size_t begin = 0; begin < rows.size();) {
      std::size_t end = begin + 1;
      if (tie != column.ties.end() && tie->begin == begin) end = (tie++)->end;
      std::uint64_t own = 0;
      for (std::size_t place = begin; place < end; ++place) own += weights_[rows[place]];
      const double rank = static_cast<double>(2 * below + own) - total;
      for (std::size_t place = begin; place < end; ++place) see(rows[place], rank);
      below += own;
      begin = end;
    }
  };
  ranks_.resize(calls_.rows_);
  double sums[3] = {};  // of xx, yy and xy
  Compensated totals[3];
  std::size_t seen = 0;
  const auto end_block = [&] {
    for (std::size_t k = 0; k < 3; ++k) totals[k].add(std::exchange(sums[k], 0.0));
  };
  walk(first, [&](std::uint32_t row, double rank) { ranks_[row] = rank; });
  walk(second, [&](std::uint32_t row, double rank) {
    const auto weight = static_cast<double>(weights_[row]);
    const double x = ranks_[row];
    sums[0] += weight * x * x;
    sums[1] += weight * rank * rank;
    sums[2] += weight * x * rank;
    if (++seen % kBlock == 0) end_block();
  });
  end_block();
  const double squares = totals[0].value() * totals[1].value();
  if (!(squares > 0)) return kNotDefined;
  return std::clamp(totals[2].value() / std::sqrt(squares), -1.0, 1.0);
}

void WeightedCallsFinisher::general(const WeightedCalls::GeneralCall& call,
                                    std::span<double> values) {
  const std::vector<std::uint32_t>& numbers = call.part->columns;
  std::vector<const double*> columns;
  for (const std::uint32_t number : numbers) columns.push_back(calls_.kept_.at(number).data());
  const double* const own = call.has_weights ? columns.back() : nullptr;
  if (own == nullptr) columns.push_back(nullptr);
  doubles_.resize(calls_.rows_);
  for (std::size_t row = 0; row < doubles_.size(); ++row) {
    const auto weight = static_cast<double>(weights_[row]);
    doubles_[row] = own == nullptr ? weight : weight * (own[row] * call.unit);
  }
  columns.back() = doubles_.data();
  call.call.call({columns, calls_.rows_}, values);
}

}  // namespace bootfold::paths
