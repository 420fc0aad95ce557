// The standard normal distribution.
#pragma once

#include <cmath>

namespace bootfold::normal {

[[nodiscard]] inline double density(double z) {
  return 0.39894228040143267794 * std::exp(-z * z / 2);
}

[[nodiscard]] inline double probability(double z) {
  return std::erfc(-z * 0.70710678118654752440) / 2;
}

/// Returns -infinity at 0 and infinity at 1.
[[nodiscard]] double quantile(double p);

}  // namespace bootfold::normal
