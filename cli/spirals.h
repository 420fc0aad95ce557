// cli/spirals.h: two spirals, the small task that no straight line can do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/ensemble/ensemble.h"

namespace bootfold::cli {

/// Points on two arms that wind once round the origin, radius 0 to 1, each moved by normal noise.
/// The arm of a point is the toss of a coin, and its class: "0" or "1".
class Spirals {
 public:
  /// Different numbers make independent points from the same seed.
  Spirals(std::size_t points, double noise, std::uint64_t seed, std::uint64_t number);

  [[nodiscard]] std::size_t size() const { return x.size(); }
  [[nodiscard]] DataView inputs() const { return {{ColumnView(x), ColumnView(y)}, {"x", "y"}}; }
  [[nodiscard]] ensemble::Examples examples() const { return {inputs(), &classes}; }

  std::vector<double> x;
  std::vector<double> y;
  data::Labels classes;
};

}  // namespace bootfold::cli
