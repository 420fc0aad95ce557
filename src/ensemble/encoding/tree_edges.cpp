#include "ensemble/encoding/tree_edges.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bootfold/error.h"

namespace bootfold::ensemble {

namespace {

/// A split must reduce the error by more than this share of it: rounding errors do not split.
constexpr double kLeastGain = 1e-9;

/// Groups of neighbouring values, and sums over those before each.
class Cells {
 public:
  Cells(const std::vector<double>& values, const std::vector<std::uint64_t>& rows,
        const TreeTargets& targets)
      : outputs_(targets.classes != nullptr ? targets.class_count : targets.numbers.size()) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
      return values[a] != values[b] ? values[a] < values[b] : a < b;
    });
    std::erase_if(order, [&](std::size_t i) {
      return !targets.weights.empty() && !(targets.weights[rows[i]] > 0);
    });
    std::size_t distinct = order.empty() ? 0 : 1;
    for (std::size_t i = 1; i < order.size(); ++i)
      if (values[order[i]] > values[order[i - 1]]) ++distinct;
    const bool all = distinct <= TreeOptions::kMostCells;
    count_.push_back(0);
    weight_.push_back(0);
    sums_.resize(outputs_);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && values[order[i]] > values[order[i - 1]] && (all || i >= quota(order.size())))
        close(values[order[i - 1]], values[order[i]]);
      add(targets, rows[order[i]]);
    }
    if (order.empty()) return;
    low_ = values[order.front()];
    high_ = values[order.back()];
    close(high_, high_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return count_.size() - 1; }
  [[nodiscard]] double low() const noexcept { return low_; }
  [[nodiscard]] double high() const noexcept { return high_; }
  /// The split behind cell `cell`.
  [[nodiscard]] double edge(std::size_t cell) const { return edges_[cell]; }
  [[nodiscard]] std::uint64_t rows(std::size_t first, std::size_t last) const {
    return count_[last] - count_[first];
  }
  /// The sum over outputs of (sum of targets)^2 / weight, of cells first .. last - 1.
  [[nodiscard]] double explained(std::size_t first, std::size_t last) const {
    const double weight = weight_[last] - weight_[first];
    double squares = 0;
    for (std::size_t o = 0; o < outputs_; ++o) {
      const double sum = totals_[last * outputs_ + o] - totals_[first * outputs_ + o];
      squares += sum * sum / weight;
    }
    return squares;
  }
  /// The error without a split.
  [[nodiscard]] double error(const TreeTargets& targets) const {
    if (targets.classes == nullptr) return static_cast<double>(outputs_);
    return weight_.back() - explained(0, size());
  }

 private:
  [[nodiscard]] std::size_t quota(std::size_t rows) const {
    return rows * (edges_.size() + 1) / TreeOptions::kMostCells;
  }
  void add(const TreeTargets& targets, std::uint64_t row) {
    const double weight = targets.weights.empty() ? 1.0 : targets.weights[row];
    ++rows_;
    sum_ += weight;
    if (targets.classes != nullptr) sums_[(*targets.classes)[row]] += weight;
    for (std::size_t t = 0; t < targets.numbers.size(); ++t)
      sums_[t] += weight * targets.numbers[t][row];
  }
  void close(double below, double above) {
    if (totals_.empty()) totals_.resize(outputs_);
    edges_.push_back(below / 2 + above / 2);
    count_.push_back(rows_);
    weight_.push_back(sum_);
    totals_.insert(totals_.end(), sums_.begin(), sums_.end());
  }

  std::size_t outputs_;
  std::vector<double> edges_;
  std::vector<std::uint64_t> count_;  // of rows before each cell
  std::vector<double> weight_;
  std::vector<double> totals_;  // [cell][output]
  std::uint64_t rows_ = 0;
  double sum_ = 0;
  std::vector<double> sums_;
  double low_ = 0;
  double high_ = 0;
};

/// Cells first .. last - 1, with their best split.
struct Leaf {
  std::size_t first;
  std::size_t last;
  std::size_t split = 0;
  double gain = 0;
};

Leaf leaf_of(const Cells& cells, std::size_t first, std::size_t last, std::size_t least) {
  Leaf leaf{first, last};
  const double whole = cells.explained(first, last);
  for (std::size_t split = first + 1; split < last; ++split) {
    if (cells.rows(first, split) < least || cells.rows(split, last) < least) continue;
    const double gain = cells.explained(first, split) + cells.explained(split, last) - whole;
    if (gain > leaf.gain) {
      leaf.gain = gain;
      leaf.split = split;
    }
  }
  return leaf;
}

}  // namespace

TreeTargets tree_targets(const Examples& examples) {
  TreeTargets found;
  if (examples.weights) {
    found.weights.resize(examples.weights->rows());
    examples.weights->read(0, found.weights);
  }
  if (examples.classes != nullptr) {
    found.classes = &examples.classes->codes;
    found.class_count = examples.classes->size();
    return found;
  }
  if (examples.targets.columns() == 0)
    throw InvalidArgument("bin_edges is tree but the examples have neither classes nor targets");
  for (std::size_t t = 0; t < examples.targets.columns(); ++t) {
    std::vector<double> values(examples.targets.rows());
    examples.targets.column(t).read(0, values);
    const auto weight = [&](std::size_t row) {
      return found.weights.empty() ? 1.0 : found.weights[row];
    };
    double total = 0;
    double mean = 0;
    for (std::size_t row = 0; row < values.size(); ++row) {
      total += weight(row);
      if (weight(row) > 0) mean += (values[row] - mean) * (weight(row) / total);
    }
    double squares = 0;
    for (std::size_t row = 0; row < values.size(); ++row) {
      values[row] -= mean;
      if (weight(row) > 0) squares += weight(row) * values[row] * values[row];
    }
    if (!(squares > 0) || !std::isfinite(squares)) continue;
    const double scale = 1 / std::sqrt(squares);
    for (double& value : values) value *= scale;
    found.numbers.push_back(std::move(values));
  }
  return found;
}

std::vector<double> tree_edges(const std::vector<double>& values,
                               const std::vector<std::uint64_t>& rows, const TreeTargets& targets,
                               const TreeOptions& options) {
  const Cells cells(values, rows, targets);
  const std::size_t least = std::max<std::size_t>(1, options.least_rows);
  if (cells.size() < 2) return {};
  const double smallest = kLeastGain * cells.error(targets);
  std::vector<Leaf> leaves{leaf_of(cells, 0, cells.size(), least)};
  while (leaves.size() < options.bins) {
    const auto best = std::ranges::max_element(leaves, {}, &Leaf::gain);  // the first of equal ones
    if (!(best->gain > smallest)) break;
    const Leaf split = *best;
    *best = leaf_of(cells, split.first, split.split, least);
    leaves.insert(best + 1, leaf_of(cells, split.split, split.last, least));
  }
  if (leaves.size() < 2) return {};
  std::vector<double> edges{cells.low()};
  for (std::size_t l = 0; l + 1 < leaves.size(); ++l) {
    const double edge = cells.edge(leaves[l].last - 1);
    if (edge > edges.back() && edge < cells.high()) edges.push_back(edge);  // neighbouring numbers
  }
  if (edges.size() < 2) return {};
  edges.push_back(cells.high());
  return edges;
}

}  // namespace bootfold::ensemble
