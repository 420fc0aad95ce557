// Two spirals: a common small task that is not linearly separable.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/random.h"

namespace bootfold::ensemble {

struct Spirals {
  explicit Spirals(std::size_t rows, double noise = 0.05, std::uint64_t seed = 1) {
    random::Stream stream({.seed = seed});
    std::vector<std::int32_t> label;
    for (std::size_t i = 0; i < rows; ++i) {
      const double r = std::sqrt(static_cast<double>(i) / static_cast<double>(rows - 1));
      const double sign = random::uniform(stream) < 0.5 ? -1 : 1;
      label.push_back(sign > 0 ? 1 : 0);
      x.push_back(r * sign * std::cos(2 * M_PI * r) + noise * random::normal(stream));
      y.push_back(r * sign * std::sin(2 * M_PI * r) + noise * random::normal(stream));
    }
    classes = data::labels(label);
  }

  [[nodiscard]] Examples examples() const {
    return {DataView({ColumnView(x), ColumnView(y)}, {"x", "y"}), &classes};
  }

  std::vector<double> x;
  std::vector<double> y;
  data::Labels classes;
};

}  // namespace bootfold::ensemble
