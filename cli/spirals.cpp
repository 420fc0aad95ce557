#include "spirals.h"

#include <cmath>
#include <numbers>

#include "bootfold/random.h"

namespace bootfold::cli {

Spirals::Spirals(std::size_t points, double noise, std::uint64_t seed, std::uint64_t number) {
  random::Stream stream({.seed = seed, .replicate = number});
  classes.names = {"0", "1"};
  for (std::size_t i = 0; i < points; ++i) {
    const double radius = std::sqrt(static_cast<double>(i) / static_cast<double>(points - 1));
    const double angle = 2 * std::numbers::pi * radius;
    const double sign = random::uniform(stream) < 0.5 ? -1 : 1;
    classes.codes.push_back(sign > 0 ? 1 : 0);
    x.push_back(radius * sign * std::cos(angle) + noise * random::normal(stream));
    y.push_back(radius * sign * std::sin(angle) + noise * random::normal(stream));
  }
}

}  // namespace bootfold::cli
