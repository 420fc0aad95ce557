// Order statistics of values that are too many to copy or reorder.
//
// Few values are copied. Of many a sample tells about where they lie, and one pass collects the
// values there. Where that does not help, doubles are mapped to integers of the same order; passes
// over the values narrow the integer down 16 bits at a time, as a radix sort would, and one more
// pass collects what lies between.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace bootfold::numeric {

/// Shows all values, piece by piece, always the same ones.
using Scan = std::function<void(const std::function<void(std::span<const double>)>& see)>;

/// The order statistics number first .. last (from 1, first <= last), sorted. NaN are not seen.
/// One to seven passes; memory: at most 4 MiB and the answer.
[[nodiscard]] std::vector<double> order_statistics(const Scan& scan, std::uint64_t first,
                                                   std::uint64_t last);

/// Shows all values with their weights, piece by piece, always the same ones.
using WeightedScan =
    std::function<void(const std::function<void(std::span<const double> values,
                                                std::span<const double> weights)>& see)>;

/// Values with the weights of their rows, which are in the same order.
[[nodiscard]] inline WeightedScan weighted_scan(const Scan& scan, std::span<const double> weights) {
  return [scan, weights](const auto& see) {
    std::size_t row = 0;
    scan([&](std::span<const double> values) {
      see(values, weights.subspan(row, values.size()));
      row += values.size();
    });
  };
}

/// Neighbours among weighted values that are sorted. None has the weight 0.
struct WeightedWindow {
  double below = 0;                  ///< weight of all values below the window
  std::vector<double> values = {};   ///< rising
  std::vector<double> reached = {};  ///< weight of all values up to each of them

  /// The smallest value up to which the weights reach `target`; nothing if that lies outside of
  /// the window.
  [[nodiscard]] std::optional<double> value_at(double target) const;
};

/// The values from where the weights, in the order of the values, reach `first` to where they reach
/// `last`. Five passes; memory: 1 MiB and the answer.
[[nodiscard]] WeightedWindow weighted_window(const WeightedScan& scan, double first, double last);

}  // namespace bootfold::numeric
