// From the weights around quantiles to the values of a replicate: quantile_finisher.h with weights
// in place of counts. numeric/quantile.h has the definitions.
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

/// What was weighed in a replicate.
struct WindowWeights {
  std::span<const std::uint64_t> planes;  ///< weight of the rows below windows and of tied values
  std::span<const std::uint32_t> inside;  ///< of each slot
  std::span<const __int128> between;      ///< of each trimmed mean: the sum between its windows
  std::uint64_t total;                    ///< weight of all rows
  std::uint64_t rows;
};

class WeightedQuantiles {
 public:
  WeightedQuantiles(const study::Problem& problem, const QuantileWindows& windows)
      : problem_(problem), windows_(windows) {}

  /// Sets the values of all parts that are functions of quantiles or trimmed means.
  /// all_rows(column) draws all weights and sorts the rows by value, in case that a quantile lies
  /// outside of its window.
  template <class AllRows>
  void operator()(const WindowWeights& weights, std::span<double> values, AllRows&& all_rows) {
    for (std::size_t p = 0; p < problem_.parts.size(); ++p) {
      const study::Part& part = problem_.parts[p];
      const std::span<double> own = values.subspan(part.first_output, part.outputs());
      if (const auto* order = std::get_if<statistic::Order>(&part.bound.body)) {
        quantiles_.clear();
        for (std::size_t i = 0; i < order->probabilities.size(); ++i)
          quantiles_.push_back(
              quantile(weights, windows_.of_part(p)[i], order->probabilities[i], all_rows));
        order->finish(quantiles_, own);
      }
      const auto* call = std::get_if<statistic::Call>(&part.bound.body);
      if (call != nullptr && call->trimmed)
        own[0] = trimmed_mean(weights, windows_.trimmed_of_part(p), all_rows);
    }
  }

 private:
  template <class AllRows>
  [[nodiscard]] double quantile(const WindowWeights& weights, std::size_t w, double q,
                                AllRows&& all_rows) const {
    const auto position = numeric::quantile_position(q, weights.rows);
    const auto low = order_statistic(weights, w, position.low);
    const auto high = position.weight == 0 ? low : order_statistic(weights, w, position.low + 1);
    if (low && high) [[likely]]
      return numeric::interpolate(*low, *high, position.weight);
    return numeric::weighted_quantile(all_rows(windows_.all()[w].column), q, weights.rows);
  }

  /// Order statistic number `rank`, from 1; nothing if it lies outside of the window.
  [[nodiscard]] std::optional<double> order_statistic(const WindowWeights& weights, std::size_t w,
                                                      std::uint64_t rank) const {
    const QuantileWindow& window = windows_.all()[w];
    const auto wanted =
        static_cast<std::uint64_t>(numeric::weight_of_rank(weights.total, rank, weights.rows));
    const std::uint64_t* plane = weights.planes.data() + window.first_count;
    const std::uint32_t* inside = weights.inside.data() + window.first_slot;
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

  /// Goes on from `slot` until so much weight was seen, or up to `end`: many at a time, and then
  /// one by one.
  static bool reaches(const std::uint32_t* inside, std::size_t& slot, std::size_t end,
                      std::uint64_t wanted, std::uint64_t& seen) {
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
  [[nodiscard]] double trimmed_mean(const WindowWeights& weights, std::size_t t,
                                    AllRows&& all_rows) const {
    const TrimmedMean& trimmed = windows_.trimmed()[t];
    const auto rows = static_cast<double>(weights.rows);
    const auto total = static_cast<double>(weights.total);
    const double first = total * (std::floor(trimmed.share * rows) / rows);
    const double last = total - first;
    numeric::Compensated sum;
    bool found = false;
    if (trimmed.low_window == trimmed.high_window) {
      found = add_inside(weights, trimmed.low_window, first, last, sum);
    } else {
      const std::uint64_t up_to = this->up_to(weights, trimmed.low_window);
      const std::uint64_t below =
          std::max(up_to, weights.planes[windows_.all()[trimmed.high_window].first_count]);
      sum.add(trimmed.fixed.sum(weights.between[t], static_cast<double>(below - up_to)));
      found = add_inside(weights, trimmed.low_window, first, std::nullopt, sum) &&
              add_inside(weights, trimmed.high_window, std::nullopt, last, sum);
    }
    if (found) [[likely]]
      return sum.value() / (last - first);
    return numeric::weighted_trimmed_mean(all_rows(trimmed.column), trimmed.share, weights.rows);
  }

  /// The weight of the rows below and inside a window.
  [[nodiscard]] std::uint64_t up_to(const WindowWeights& weights, std::size_t w) const {
    const QuantileWindow& window = windows_.all()[w];
    std::uint64_t sum = 0;
    for (const std::uint64_t plane : weights.planes.subspan(window.first_count, window.counts()))
      sum += plane;
    for (const std::uint32_t weight :
         weights.inside.subspan(window.first_slot, window.values.size()))
      sum += weight;
    return sum;
  }

  /// Adds up the rows inside a window with that part of their weights which lies, in the order of
  /// values, between `from` and `to`. False if one of these lies outside of the window.
  [[nodiscard]] bool add_inside(const WindowWeights& weights, std::size_t w,
                                std::optional<double> from, std::optional<double> to,
                                numeric::Compensated& sum) const {
    const QuantileWindow& window = windows_.all()[w];
    const std::uint64_t* plane = weights.planes.data() + window.first_count;
    std::uint64_t seen = *plane++;
    const double least = from.value_or(0);
    const double most = to.value_or(static_cast<double>(weights.total));
    if ((from && least < static_cast<double>(seen)) || most < static_cast<double>(seen))
      return false;
    const std::uint32_t* inside = weights.inside.data() + window.first_slot;
    const auto add = [&](double value, std::uint64_t weight) {
      const double first = std::max(static_cast<double>(seen), least);
      seen += weight;
      const double last = std::min(static_cast<double>(seen), most);
      if (last > first) sum.add((last - first) * value);
    };
    std::size_t slot = 0;
    for (const TiedValue& tied : window.tied) {
      for (; slot < tied.slots_before; ++slot) add(window.values[slot], inside[slot]);
      add(tied.value, *plane++);
    }
    for (; slot < window.values.size(); ++slot) add(window.values[slot], inside[slot]);
    return static_cast<double>(seen) >= least && (!to || static_cast<double>(seen) >= most);
  }

  const study::Problem& problem_;
  const QuantileWindows& windows_;
  std::vector<double> quantiles_;
};

}  // namespace bootfold::paths
