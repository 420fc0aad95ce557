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

  void add(double value) {
    if ((seen_++ & (step_ - 1)) != 0) return;  // steps are powers of two
    values_.push_back(value);
    if (values_.size() <= kMost) return;
    for (std::size_t i = 0; 2 * i < values_.size(); ++i) values_[i] = values_[2 * i];
    values_.resize((values_.size() + 1) / 2);
    step_ *= 2;
  }

  [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }
  /// In ascending order.
  [[nodiscard]] std::vector<double> sorted() const {
    std::vector<double> sorted = values_;
    std::ranges::sort(sorted);
    return sorted;
  }

 private:
  std::vector<double> values_;
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
