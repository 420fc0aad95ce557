// Quantiles and trimmed means of a replicate of weights. numeric/quantile.h has the definitions.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "numeric/quantile.h"
#include "paths/quantile_finisher.h"

namespace bootfold::paths {

/// What was weighed in a replicate.
struct WindowWeights {
  using Bound = double;  ///< of cumulative weights

  std::span<const std::uint64_t> planes;  ///< weight of the rows below windows and of tied values
  std::span<const std::uint32_t> inside;  ///< of each slot
  std::span<const __int128> between;      ///< of each trimmed mean: the sum between its windows
  std::uint64_t total;                    ///< weight of all rows
  std::uint64_t rows;

  // As those of WindowCounts.

  [[nodiscard]] std::uint64_t ranks() const { return rows; }
  [[nodiscard]] std::uint64_t all() const { return total; }
  [[nodiscard]] std::uint64_t up_to(std::uint64_t rank) const {
    return static_cast<std::uint64_t>(numeric::weight_of_rank(total, rank, rows));
  }
  [[nodiscard]] std::pair<Bound, Bound> kept(double share) const {
    const auto n = static_cast<double>(rows);
    const auto weight = static_cast<double>(total);
    const double first = weight * (std::floor(share * n) / n);
    return {first, weight - first};
  }

  [[nodiscard]] double quantile(const std::vector<numeric::WeightedRow>& all_rows, double q) const {
    return numeric::weighted_quantile(all_rows, q, rows);
  }
  [[nodiscard]] double trimmed_mean(const std::vector<numeric::WeightedRow>& all_rows,
                                    double share) const {
    return numeric::weighted_trimmed_mean(all_rows, share, rows);
  }
};

using WeightedQuantiles = WindowFinisher<WindowWeights>;

}  // namespace bootfold::paths
