// The standard normal distribution.
#pragma once

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>

namespace bootfold::normal {

[[nodiscard]] inline double density(double z) {
  return 0.39894228040143267794 * std::exp(-z * z / 2);
}

[[nodiscard]] inline double probability(double z) {
  return std::erfc(-z * 0.70710678118654752440) / 2;
}

/// -infinity at 0 and infinity at 1.
[[nodiscard]] inline double quantile(double p) {
  if (p <= 0) return -std::numeric_limits<double>::infinity();
  if (p >= 1) return std::numeric_limits<double>::infinity();
  return -1.41421356237309504880 * boost::math::erfc_inv(2 * p);
}

}  // namespace bootfold::normal
