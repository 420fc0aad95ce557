// From the counts around quantiles to the values of a replicate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "numeric/quantile.h"
#include "paths/quantile_windows.h"
#include "study/problem.h"

namespace bootfold::paths {

/// What was counted in a replicate.
struct WindowCounts {
  std::span<const std::uint64_t> below;  ///< rows below each window
  std::span<const std::uint8_t> inside;  ///< the count of each slot
  std::uint64_t draws;                   ///< rows of the replicate
};

class QuantileFinisher {
 public:
  QuantileFinisher(const study::Problem& problem, const QuantileWindows& windows)
      : problem_(problem), windows_(windows) {}

  /// Sets the values of all parts that are functions of quantiles. search(column, rank) finds an
  /// order statistic outside of its window.
  template <class Search>
  void operator()(const WindowCounts& counts, std::span<double> values, Search&& search) {
    for (std::size_t p = 0; p < problem_.parts.size(); ++p) {
      const study::Part& part = problem_.parts[p];
      const auto* order = std::get_if<statistic::Order>(&part.bound.body);
      if (order == nullptr) continue;
      quantiles_.clear();
      for (std::size_t i = 0; i < order->probabilities.size(); ++i)
        quantiles_.push_back(
            quantile(counts, windows_.of_part(p)[i], order->probabilities[i], search));
      order->finish(quantiles_, values.subspan(part.first_output, part.outputs()));
    }
  }

 private:
  template <class Search>
  [[nodiscard]] double quantile(const WindowCounts& counts, std::size_t w, double q,
                                Search&& search) const {
    const auto position = numeric::quantile_position(q, counts.draws);
    const double low = order_statistic(counts, w, position.low, search);
    if (position.weight == 0) return low;
    return numeric::interpolate(low, order_statistic(counts, w, position.low + 1, search),
                                position.weight);
  }

  /// Order statistic number `rank`, from 1.
  template <class Search>
  [[nodiscard]] double order_statistic(const WindowCounts& counts, std::size_t w,
                                       std::uint64_t rank, Search&& search) const {
    const QuantileWindow& window = windows_.all()[w];
    std::uint64_t seen = counts.below[w];
    if (rank > seen) {
      // Many at a time, and then one by one.
      constexpr std::size_t kMany = 64;
      const std::uint8_t* inside = counts.inside.data() + window.first_slot;
      const std::size_t size = window.values.size();
      std::size_t slot = 0;
      for (; slot + kMany <= size; slot += kMany) {
        std::uint32_t some = 0;
        for (std::size_t i = 0; i < kMany; ++i) some += inside[slot + i];
        if (seen + some >= rank) break;
        seen += some;
      }
      for (; slot < size; ++slot)
        if ((seen += inside[slot]) >= rank) return window.values[slot];
    }
    return search(window.column, rank);
  }

  const study::Problem& problem_;
  const QuantileWindows& windows_;
  std::vector<double> quantiles_;
};

}  // namespace bootfold::paths
