// A sample of the values of a column, for its quantiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bootfold::ensemble {

/// All values up to kMost; of more, every second, fourth, ... of them. It depends on the values and
/// their order, not on the chunks in which they arrive.
class ValueSample {
 public:
  static constexpr std::size_t kMost = 65'536;

  /// `row` is kept with the value if keep_rows() was called before.
  void add(double value, std::uint64_t row = 0) {
    if ((seen_++ & (step_ - 1)) != 0) return;  // steps are powers of two
    values_.push_back(value);
    if (keep_rows_) rows_.push_back(row);
    if (values_.size() <= kMost) return;
    halve(values_);
    halve(rows_);
    step_ *= 2;
  }
  void keep_rows() { keep_rows_ = true; }

  /// In the order in which they came, and their rows.
  [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }
  [[nodiscard]] const std::vector<std::uint64_t>& rows() const noexcept { return rows_; }

  /// In ascending order.
  [[nodiscard]] std::vector<double> sorted() const {
    std::vector<double> sorted = values_;
    std::ranges::sort(sorted);
    return sorted;
  }

 private:
  template <class Value>
  static void halve(std::vector<Value>& values) {
    for (std::size_t i = 0; 2 * i < values.size(); ++i) values[i] = values[2 * i];
    values.resize((values.size() + 1) / 2);
  }

  std::vector<double> values_;
  std::vector<std::uint64_t> rows_;
  bool keep_rows_ = false;
  std::uint64_t seen_ = 0;
  std::uint64_t step_ = 1;
};

/// The median: the mean of the two middle values if their number is even.
[[nodiscard]] inline double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, half);
  if (values.size() % 2 == 1) return *half;
  const double before = *std::max_element(values.begin(), half);
  return before + (*half - before) / 2;
}

/// Whether sorted values are more than two numbers.
[[nodiscard]] inline bool has_three_values(const std::vector<double>& sorted) {
  if (sorted.size() < 3) return false;
  const auto between = std::ranges::upper_bound(sorted, sorted.front());
  return between != sorted.end() && *between < sorted.back();
}

/// The quantiles of a share and of 1 - share of sorted values, which are among them; empty if they
/// are equal.
[[nodiscard]] inline std::vector<double> quantile_limits(const std::vector<double>& sorted,
                                                         double share) {
  const auto outside = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  const double low = sorted[outside];
  const double high = sorted[sorted.size() - 1 - outside];
  return low < high ? std::vector{low, high} : std::vector<double>();
}

/// Edges of up to `bins` bins that have about as many of the sorted values each: distinct values,
/// from the smallest to the largest. Empty if that would be a single bin.
[[nodiscard]] inline std::vector<double> quantile_edges(const std::vector<double>& sorted,
                                                        std::size_t bins) {
  std::vector<double> edges;
  for (std::size_t i = 0; bins > 1 && !sorted.empty() && i <= bins; ++i) {
    const double value = sorted[(sorted.size() - 1) * i / bins];
    if (edges.empty() || value > edges.back()) edges.push_back(value);
  }
  if (edges.size() < 3) edges.clear();
  return edges;
}

}  // namespace bootfold::ensemble
