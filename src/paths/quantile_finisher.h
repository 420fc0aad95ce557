// From the counts or weights of the rows around quantiles to the values of a replicate.
//
// The walk through a window is the same for both. `Measured` says how much of the rows lies up to a
// rank, and how the values are found from all rows if a quantile lies outside of its window:
// WindowCounts below, and WindowWeights in weighted_quantiles.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "numeric/compensated.h"
#include "numeric/quantile.h"
#include "paths/quantile_windows.h"
#include "study/problem.h"

namespace bootfold::paths {

/// What was counted in a replicate.
struct WindowCounts {
  using Bound = std::uint64_t;  ///< of cumulative counts

  std::span<const std::uint64_t> planes;  ///< rows below each window, and of its tied values
  std::span<const std::uint8_t> inside;   ///< the count of each slot
  std::span<const __int128> between;      ///< of each trimmed mean: the sum between its windows
  std::uint64_t draws;                    ///< rows of the replicate

  [[nodiscard]] std::uint64_t ranks() const { return draws; }
  /// The cumulative count of all rows, and of those up to order statistic number `rank`.
  [[nodiscard]] std::uint64_t all() const { return draws; }
  [[nodiscard]] std::uint64_t up_to(std::uint64_t rank) const { return rank; }
  /// The cumulative counts between which a trimmed mean keeps rows.
  [[nodiscard]] std::pair<Bound, Bound> kept(double share) const {
    const auto cut = static_cast<Bound>(std::floor(share * static_cast<double>(draws)));
    return {cut, draws - cut};
  }

  /// From all rows, which rise in value.
  [[nodiscard]] double quantile(const std::vector<double>& rows, double q) const {
    const auto position = numeric::quantile_position(q, draws);
    return numeric::interpolate(rows[position.low - 1],
                                rows[position.weight == 0 ? position.low - 1 : position.low],
                                position.weight);
  }
  [[nodiscard]] double trimmed_mean(std::vector<double> rows, double share) const {
    return numeric::trimmed_mean_of(rows, share);
  }
};

template <class Measured>
class WindowFinisher {
 public:
  WindowFinisher(const study::Problem& problem, const QuantileWindows& windows)
      : problem_(problem), windows_(windows) {}

  /// Sets the values of all parts that are functions of quantiles or trimmed means.
  /// all_rows(column) draws a resample out and sorts it, in case that a quantile lies outside of
  /// its window.
  template <class AllRows>
  void operator()(const Measured& measured, std::span<double> values, AllRows&& all_rows) {
    for (std::size_t p = 0; p < problem_.parts.size(); ++p) {
      const study::Part& part = problem_.parts[p];
      const std::span<double> own = values.subspan(part.first_output, part.outputs());
      if (const auto* order = std::get_if<statistic::Order>(&part.bound.body)) {
        quantiles_.clear();
        for (std::size_t i = 0; i < order->probabilities.size(); ++i)
          quantiles_.push_back(
              quantile(measured, windows_.of_part(p)[i], order->probabilities[i], all_rows));
        order->finish(quantiles_, own);
      }
      const auto* call = std::get_if<statistic::Call>(&part.bound.body);
      if (call != nullptr && call->trimmed)
        own[0] = trimmed_mean(measured, windows_.trimmed_of_part(p), all_rows);
    }
  }

 private:
  using Bound = typename Measured::Bound;
  using Inside = typename decltype(Measured::inside)::element_type;

  template <class AllRows>
  [[nodiscard]] double quantile(const Measured& measured, std::size_t w, double q,
                                AllRows&& all_rows) const {
    const auto position = numeric::quantile_position(q, measured.ranks());
    const auto low = order_statistic(measured, w, position.low);
    const auto high = position.weight == 0 ? low : order_statistic(measured, w, position.low + 1);
    if (low && high) [[likely]]
      return numeric::interpolate(*low, *high, position.weight);
    return measured.quantile(all_rows(windows_.all()[w].column), q);
  }

  /// Order statistic number `rank`, from 1; nothing if it lies outside of the window.
  [[nodiscard]] std::optional<double> order_statistic(const Measured& measured, std::size_t w,
                                                      std::uint64_t rank) const {
    const QuantileWindow& window = windows_.all()[w];
    const std::uint64_t wanted = measured.up_to(rank);
    const std::uint64_t* plane = measured.planes.data() + window.first_count;
    Inside* inside = measured.inside.data() + window.first_slot;
    std::uint64_t seen = *plane++;
    if (wanted <= seen) return std::nullopt;
    std::size_t slot = 0;
    for (const TiedValue& tied : window.tied) {
      if (reaches(inside, slot, tied.slots_before, wanted, seen)) return window.values[slot];
      if ((seen += *plane++) >= wanted) return tied.value;
    }
    if (reaches(inside, slot, window.values.size(), wanted, seen)) return window.values[slot];
    return std::nullopt;
  }

  /// Goes on from `slot` until so much was seen, or up to `end`: many at a time, and then one by
  /// one.
  static bool reaches(Inside* inside, std::size_t& slot, std::size_t end, std::uint64_t wanted,
                      std::uint64_t& seen) {
    constexpr std::size_t kMany = 64;
    for (; slot + kMany <= end; slot += kMany) {
      std::uint32_t some = 0;
      for (std::size_t i = 0; i < kMany; ++i) some += inside[slot + i];
      if (seen + some >= wanted) break;
      seen += some;
    }
    for (; slot < end; ++slot)
      if ((seen += inside[slot]) >= wanted) return true;
    return false;
  }

  template <class AllRows>
  [[nodiscard]] double trimmed_mean(const Measured& measured, std::size_t t,
                                    AllRows&& all_rows) const {
    const TrimmedMean& trimmed = windows_.trimmed()[t];
    const auto [first, last] = measured.kept(trimmed.share);
    numeric::Compensated sum;
    bool found = false;
    if (trimmed.low_window == trimmed.high_window) {
      found = add_inside(measured, trimmed.low_window, first, last, sum);
    } else {
      const std::uint64_t up_to_low = up_to_end(measured, trimmed.low_window);
      const std::uint64_t up_to_high =
          measured.planes[windows_.all()[trimmed.high_window].first_count];
      const std::uint64_t between = up_to_high - std::min(up_to_high, up_to_low);
      sum.add(trimmed.fixed.sum(measured.between[t], static_cast<double>(between)));
      found = add_inside(measured, trimmed.low_window, first, std::nullopt, sum) &&
              add_inside(measured, trimmed.high_window, std::nullopt, last, sum);
    }
    if (found) [[likely]]
      return sum.value() / static_cast<double>(last - first);
    return measured.trimmed_mean(all_rows(trimmed.column), trimmed.share);
  }

  /// What lies below and inside a window.
  [[nodiscard]] std::uint64_t up_to_end(const Measured& measured, std::size_t w) const {
    const QuantileWindow& window = windows_.all()[w];
    std::uint64_t sum = 0;
    for (const std::uint64_t plane : measured.planes.subspan(window.first_count, window.counts()))
      sum += plane;
    for (const auto each : measured.inside.subspan(window.first_slot, window.values.size()))
      sum += each;
    return sum;
  }

  /// Adds up the rows inside a window with that part of their counts or weights which lies, in the
  /// order of values, between `from` and `to`. False if one of these lies outside of the window.
  [[nodiscard]] bool add_inside(const Measured& measured, std::size_t w, std::optional<Bound> from,
                                std::optional<Bound> to, numeric::Compensated& sum) const {
    const QuantileWindow& window = windows_.all()[w];
    const Bound least = from.value_or(0);
    const Bound most = to.value_or(static_cast<Bound>(measured.all()));
    const std::uint64_t* plane = measured.planes.data() + window.first_count;
    std::uint64_t seen = *plane++;
    if ((from && least < static_cast<Bound>(seen)) || most < static_cast<Bound>(seen)) return false;
    const auto add = [&](std::uint64_t more, double value) {
      const Bound first = std::max(static_cast<Bound>(seen), least);
      seen += more;
      const Bound last = std::min(static_cast<Bound>(seen), most);
      if (last > first) sum.add(static_cast<double>(last - first) * value);
    };
    Inside* inside = measured.inside.data() + window.first_slot;
    std::size_t slot = 0;
    for (const TiedValue& tied : window.tied) {
      for (; slot < tied.slots_before; ++slot) add(inside[slot], window.values[slot]);
      add(*plane++, tied.value);
    }
    for (; slot < window.values.size(); ++slot) add(inside[slot], window.values[slot]);
    return static_cast<Bound>(seen) >= least && (!to || static_cast<Bound>(seen) >= most);
  }

  const study::Problem& problem_;
  const QuantileWindows& windows_;
  std::vector<double> quantiles_;
};

using QuantileFinisher = WindowFinisher<WindowCounts>;

}  // namespace bootfold::paths
