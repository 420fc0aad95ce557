// Columns of two values, such as 0 and 1, are looked at tile by tile: what a look counts of each
// value is counted once for a tile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace bootfold::study {

/// The values of a tile of a column, if there are no more than two and both are finite.
struct TwoValues {
  struct Value {
    double value = 0;
    std::uint64_t times = 0;  ///< 0: there is only one value
    std::size_t first = 0;    ///< where it first occurs
  };

  std::array<Value, 2> values;

  [[nodiscard]] static std::optional<TwoValues> find(std::span<const double> tile);
};

}  // namespace bootfold::study
