// The order statistics that quantiles of one column are made of, and the sorted data around them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "numeric/compensated.h"
#include "numeric/quantile.h"
#include "numeric/select.h"
#include "study/problem.h"
#include "study/tile.h"

namespace bootfold::paths {

class OrderData {
 public:
  /// Order statistics of the data: number first, first + 1, ...
  struct Window {
    std::uint64_t first;
    std::vector<double> values;
  };

  /// Of resamples of `draws` rows, from windows that were found elsewhere: one for each of the
  /// ranks, around what window_of() says.
  OrderData(const study::Problem& problem, std::uint64_t draws, std::vector<Window> windows)
      : problem_(problem),
        draws_(draws),
        ranks_(ranks_of(problem, draws)),
        windows_(std::move(windows)) {}

  /// The numbers of the order statistics of a resample that are needed.
  [[nodiscard]] static std::vector<std::uint64_t> ranks_of(const study::Problem& problem,
                                                           std::uint64_t draws) {
    std::vector<std::uint64_t> ranks;
    for (const study::Part& part : problem.parts)
      for (const double q : std::get<statistic::Order>(part.bound.body).probabilities) {
        const auto position = numeric::quantile_position(q, draws);
        ranks.push_back(position.low);
        if (position.weight > 0) ranks.push_back(position.low + 1);
      }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
  }

  /// The order statistics of `rows` rows among which those with a rank in resamples of `draws` rows
  /// lie: ten standard deviations and 60 more to both sides. What lies beyond is searched for when
  /// it comes up, which it does not.
  [[nodiscard]] static std::pair<std::uint64_t, std::uint64_t> window_of(std::uint64_t rank,
                                                                         std::uint64_t rows,
                                                                         std::uint64_t draws) {
    const auto n = static_cast<double>(rows);
    const auto m = static_cast<double>(draws);
    const double k = static_cast<double>(rank) / m * n;
    const double reach = 10 * std::sqrt(k * (n - k + n / m) / m) + 60 * std::max(1.0, n / m);
    return {static_cast<std::uint64_t>(std::max(1.0, std::floor(k - reach))),
            static_cast<std::uint64_t>(std::min(n, std::ceil(k + reach)))};
  }

  /// Of resamples of `draws` rows. `room`: bytes that may be used for a while. `weights`: of the
  /// rows, if they are not equally likely. Throws Cancelled.
  OrderData(const study::Problem& problem, std::uint64_t draws, std::size_t room,
            std::stop_token stop, std::span<const double> weights = {})
      : problem_(problem), draws_(draws), stop_(std::move(stop)), weights_(weights) {
    const std::uint64_t n = problem.data.rows();
    ranks_ = ranks_of(problem, draws);
    if (!weights.empty()) {
      numeric::Compensated total;
      for (const double weight : weights) total.add(weight);
      total_ = total.value();
      for (const std::uint64_t rank : ranks_) weighted_.push_back(weighted_around(rank));
      return;
    }
    // Many windows are cheaper to cut from sorted data, if there is room for a copy; of few rows
    // any.
    constexpr std::size_t kFewWindows = 8;
    constexpr std::uint64_t kFewRows = 8192;
    std::vector<double> sorted;
    if (n <= kFewRows || (ranks_.size() > kFewWindows && n * sizeof(double) <= room)) {
      scan()([&](std::span<const double> values) {
        if (sorted.empty()) sorted.reserve(n);
        sorted.insert(sorted.end(), values.begin(), values.end());
      });
      std::sort(sorted.begin(), sorted.end());
    }
    for (const std::uint64_t rank : ranks_) windows_.push_back(window_around(rank, sorted));
  }

  /// The numbers (from 1, rising) of the order statistics of a resample that are needed.
  [[nodiscard]] const std::vector<std::uint64_t>& ranks() const noexcept { return ranks_; }

  /// The value up to which a share `position`, in (0, 1), of all rows lies, or of their weight;
  /// near the place of the resample's order statistic number ranks()[i].
  [[nodiscard]] double at(std::size_t i, double position) const {
    if (weights_.empty()) {
      const auto n = static_cast<double>(problem_.data.rows());
      const double rank = std::clamp(std::ceil(position * n), 1.0, n);
      return value(i, static_cast<std::uint64_t>(rank));
    }
    const double target = position * total_;
    if (const auto found = weighted_[i].value_at(target)) [[likely]]
      return *found;
    const numeric::WeightedWindow there =
        numeric::weighted_window(numeric::weighted_scan(scan(), weights_), target, target);
    return there.value_at(target).value_or(there.values.back());
  }

  /// The data's order statistic number `rank`, near the place of the resample's number ranks()[i].
  [[nodiscard]] double value(std::size_t i, std::uint64_t rank) const {
    const Window& window = windows_[i];
    if (rank >= window.first && rank - window.first < window.values.size()) [[likely]]
      return window.values[rank - window.first];
    return numeric::order_statistics(scan(), rank, rank)[0];
  }

  /// The values on the data themselves, if these are as many rows as are drawn.
  void estimate(std::span<double> values) const {
    std::vector<double> found;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      found.push_back(weights_.empty() ? value(i, ranks_[i])
                                       : at(i, (static_cast<double>(ranks_[i]) - 0.5) /
                                                   static_cast<double>(draws_)));
    finish(found, values);
  }

  /// From the needed order statistics of a resample to its values.
  void finish(std::span<const double> found, std::span<double> values) const {
    std::vector<double> quantiles;
    for (const study::Part& part : problem_.parts) {
      const auto& order = std::get<statistic::Order>(part.bound.body);
      quantiles.clear();
      for (const double q : order.probabilities) {
        const auto position = numeric::quantile_position(q, draws_);
        const auto at = static_cast<std::size_t>(
            std::lower_bound(ranks_.begin(), ranks_.end(), position.low) - ranks_.begin());
        quantiles.push_back(position.weight > 0
                                ? numeric::interpolate(found[at], found[at + 1], position.weight)
                                : found[at]);
      }
      order.finish(quantiles, values.subspan(part.first_output, part.outputs()));
    }
  }

 private:
  [[nodiscard]] Window window_around(std::uint64_t rank, std::span<const double> sorted) const {
    const auto [first, last] = window_of(rank, problem_.data.rows(), draws_);
    if (sorted.empty()) return {first, numeric::order_statistics(scan(), first, last)};
    const auto window = sorted.subspan(first - 1, last - first + 1);
    return {first, {window.begin(), window.end()}};
  }

  /// The same in shares of the weight.
  [[nodiscard]] numeric::WeightedWindow weighted_around(std::uint64_t rank) const {
    const auto m = static_cast<double>(draws_);
    const auto k = static_cast<double>(rank);
    const double reach = 10 * std::sqrt(k * (m - k + 1) / m) + 60;
    return numeric::weighted_window(numeric::weighted_scan(scan(), weights_),
                                    std::max(0.0, (k - reach) / m) * total_,
                                    std::min(1.0, (k + reach) / m) * total_);
  }

  [[nodiscard]] numeric::Scan scan() const {
    return [this](const std::function<void(std::span<const double>)>& see) {
      const ColumnView& column = problem_.data.column(problem_.parts[0].columns[0]);
      std::vector<double> buffer(study::kTileRows);
      for (std::size_t row = 0; row < column.rows(); row += buffer.size()) {
        if (stop_.stop_requested()) throw Cancelled();
        const std::size_t size = std::min(buffer.size(), column.rows() - row);
        const std::span<const double> direct = column.doubles(row, size);
        if (direct.empty()) column.read(row, {buffer.data(), size});
        see(direct.empty() ? std::span<const double>(buffer.data(), size) : direct);
      }
    };
  }

  const study::Problem& problem_;
  std::uint64_t draws_;
  std::stop_token stop_;
  std::vector<std::uint64_t> ranks_;
  std::vector<Window> windows_;
  std::span<const double> weights_;
  double total_ = 0;                               // of the weights
  std::vector<numeric::WeightedWindow> weighted_;  // in place of windows_, if there are weights
};

}  // namespace bootfold::paths
