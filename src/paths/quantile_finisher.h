// From the counts around quantiles to the values of a replicate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "numeric/compensated.h"
#include "numeric/quantile.h"
#include "paths/quantile_windows.h"
#include "study/problem.h"

namespace bootfold::paths {

/// What was counted in a replicate.
struct WindowCounts {
  std::span<const std::uint64_t> planes;  ///< rows below each window, and of its tied values
  std::span<const std::uint8_t> inside;   ///< the count of each slot
  std::span<const __int128> between;      ///< of each trimmed mean: the sum between its windows
  std::uint64_t draws;                    ///< rows of the replicate
};

class QuantileFinisher {
 public:
  QuantileFinisher(const study::Problem& problem, const QuantileWindows& windows)
      : problem_(problem), windows_(windows) {}

  /// Sets the values of all parts that are functions of quantiles or trimmed means.
  /// all_rows(column) draws a resample out and sorts it, in case that a quantile lies outside of
  /// its window.
  template <class AllRows>
  void operator()(const WindowCounts& counts, std::span<double> values, AllRows&& all_rows) {
    for (std::size_t p = 0; p < problem_.parts.size(); ++p) {
      const study::Part& part = problem_.parts[p];
      const std::span<double> own = values.subspan(part.first_output, part.outputs());
      if (const auto* order = std::get_if<statistic::Order>(&part.bound.body)) {
        quantiles_.clear();
        for (std::size_t i = 0; i < order->probabilities.size(); ++i)
          quantiles_.push_back(
              quantile(counts, windows_.of_part(p)[i], order->probabilities[i], all_rows));
        order->finish(quantiles_, own);
      }
      const auto* call = std::get_if<statistic::Call>(&part.bound.body);
      if (call != nullptr && call->trimmed)
        own[0] = trimmed_mean(counts, windows_.trimmed_of_part(p), all_rows);
    }
  }

 private:
  template <class AllRows>
  [[nodiscard]] double quantile(const WindowCounts& counts, std::size_t w, double q,
                                AllRows&& all_rows) const {
    const auto position = numeric::quantile_position(q, counts.draws);
    const auto low = order_statistic(counts, w, position.low);
    const auto high = position.weight == 0 ? low : order_statistic(counts, w, position.low + 1);
    if (low && high) [[likely]]
      return numeric::interpolate(*low, *high, position.weight);
    const std::vector<double> rows = all_rows(windows_.all()[w].column);
    return numeric::interpolate(rows[position.low - 1],
                                rows[position.weight == 0 ? position.low - 1 : position.low],
                                position.weight);
  }

  /// Order statistic number `rank`, from 1; nothing if it lies outside of the window.
  [[nodiscard]] std::optional<double> order_statistic(const WindowCounts& counts, std::size_t w,
                                                      std::uint64_t rank) const {
    const QuantileWindow& window = windows_.all()[w];
    const std::uint64_t* plane = counts.planes.data() + window.first_count;
    const std::uint8_t* inside = counts.inside.data() + window.first_slot;
    std::uint64_t seen = *plane++;
    if (rank <= seen) return std::nullopt;
    std::size_t slot = 0;
    for (const TiedValue& tied : window.tied) {
      if (reaches(inside, slot, tied.slots_before, rank, seen)) return window.values[slot];
      if ((seen += *plane++) >= rank) return tied.value;
    }
    if (reaches(inside, slot, window.values.size(), rank, seen)) return window.values[slot];
    return std::nullopt;
  }

  /// Goes on from `slot` until so many rows were seen, or up to `end`: many at a time, and then one
  /// by one.
  static bool reaches(const std::uint8_t* inside, std::size_t& slot, std::size_t end,
                      std::uint64_t rank, std::uint64_t& seen) {
    constexpr std::size_t kMany = 64;
    for (; slot + kMany <= end; slot += kMany) {
      std::uint32_t some = 0;
      for (std::size_t i = 0; i < kMany; ++i) some += inside[slot + i];
      if (seen + some >= rank) break;
      seen += some;
    }
    for (; slot < end; ++slot)
      if ((seen += inside[slot]) >= rank) return true;
    return false;
  }

  template <class AllRows>
  [[nodiscard]] double trimmed_mean(const WindowCounts& counts, std::size_t t,
                                    AllRows&& all_rows) const {
    const TrimmedMean& trimmed = windows_.trimmed()[t];
    const auto cut =
        static_cast<std::uint64_t>(std::floor(trimmed.share * static_cast<double>(counts.draws)));
    const std::uint64_t last = counts.draws - cut;
    numeric::Compensated sum;
    bool found = false;
    if (trimmed.low_window == trimmed.high_window) {
      found = add_inside(counts, trimmed.low_window, cut, last, sum);
    } else {
      const std::uint64_t up_to_low = up_to(counts, trimmed.low_window);
      const std::uint64_t up_to_high =
          counts.planes[windows_.all()[trimmed.high_window].first_count];
      const std::uint64_t between = up_to_high - std::min(up_to_high, up_to_low);
      sum.add(trimmed.fixed.sum(counts.between[t], static_cast<double>(between)));
      found = add_inside(counts, trimmed.low_window, cut, std::nullopt, sum) &&
              add_inside(counts, trimmed.high_window, std::nullopt, last, sum);
    }
    if (found) [[likely]]
      return sum.value() / static_cast<double>(last - cut);
    std::vector<double> rows = all_rows(trimmed.column);
    return numeric::trimmed_mean_of(rows, trimmed.share);
  }

  /// The rows below and inside a window.
  [[nodiscard]] std::uint64_t up_to(const WindowCounts& counts, std::size_t w) const {
    const QuantileWindow& window = windows_.all()[w];
    std::uint64_t rows = 0;
    for (const std::uint64_t plane : counts.planes.subspan(window.first_count, window.counts()))
      rows += plane;
    for (const std::uint8_t count : counts.inside.subspan(window.first_slot, window.values.size()))
      rows += count;
    return rows;
  }

  /// Adds up the rows inside a window whose ranks are above `from` and at most `to`. False if one
  /// of these lies outside of the window.
  [[nodiscard]] bool add_inside(const WindowCounts& counts, std::size_t w,
                                std::optional<std::uint64_t> from, std::optional<std::uint64_t> to,
                                numeric::Compensated& sum) const {
    const QuantileWindow& window = windows_.all()[w];
    const std::uint64_t least = from.value_or(0);
    const std::uint64_t most = to.value_or(counts.draws);
    const std::uint64_t* plane = counts.planes.data() + window.first_count;
    std::uint64_t seen = *plane++;
    if ((from && least < seen) || most < seen) return false;
    const auto add = [&](std::uint64_t rows, double value) {
      const std::uint64_t first = std::max(seen, least);
      seen += rows;
      const std::uint64_t last = std::min(seen, most);
      if (last > first) sum.add(static_cast<double>(last - first) * value);
    };
    const std::uint8_t* inside = counts.inside.data() + window.first_slot;
    std::size_t slot = 0;
    for (const TiedValue& tied : window.tied) {
      for (; slot < tied.slots_before; ++slot) add(inside[slot], window.values[slot]);
      add(*plane++, tied.value);
    }
    for (; slot < window.values.size(); ++slot) add(inside[slot], window.values[slot]);
    return seen >= least && (!to || seen >= most);
  }

  const study::Problem& problem_;
  const QuantileWindows& windows_;
  std::vector<double> quantiles_;
};

}  // namespace bootfold::paths
