// Measures of ranking, on rows in the order of their scores.
#pragma once

#include <cstdint>
#include <span>

#include "bootfold/statistic.h"

namespace bootfold::statistic {

/// A row with its score.
struct Scored {
  double score = 0;
  std::uint32_t place = 0;  ///< 2 * row + (1 if the row is positive)

  [[nodiscard]] bool positive() const noexcept { return (place & 1U) != 0; }
};

/// Whether a class is positive: 1, not 0. Throws InvalidArgument for any other number.
[[nodiscard]] bool positive(double value);

/// Sorts by score; equal scores stay in the order of their places.
void sort_by_score(std::span<Scored> rows);

/// The measure of sorted rows.
[[nodiscard]] double measure(Ranking ranking, std::span<const Scored> rows);

/// The same where row i has the weight weights[i].
[[nodiscard]] double measure(Ranking ranking, std::span<const Scored> rows,
                             std::span<const double> weights);

}  // namespace bootfold::statistic
