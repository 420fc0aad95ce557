#include "jackknife/cumulants.h"

#include <algorithm>
#include <cmath>

#include "numeric/compensated.h"

namespace bootfold::jackknife {

Spread::Spread(const numeric::Moments& moments)
    : second(moments.second()),
      third(moments.third()),
      noise(moments.noise()),
      exponent(moments.exponent()),
      undefined(moments.undefined()) {}

std::optional<Spread> spread(const resample::Design& design, std::span<double> changes) {
  Spread found;
  double largest = 0;
  for (const double value : changes) {
    if (!std::isfinite(value)) ++found.undefined;
    largest = std::max(largest, std::abs(value));
  }
  if (found.undefined > 0 || largest == 0) return found;
  found.exponent = std::ilogb(largest);
  numeric::Compensated sum;
  double size = 0;
  for (double& value : changes) {
    value = std::ldexp(value, -found.exponent);
    sum.add(value);
    size += value * value;
  }
  if (design.weights().empty()) {
    const double mean = sum.value() / static_cast<double>(changes.size());
    for (double& value : changes) value -= mean;
  }
  const std::optional<resample::Cumulants> sums = design.cumulants(changes);
  if (!sums) return std::nullopt;
  found.second = std::max(0.0, sums->second.value());
  found.third = sums->third.value();
  found.noise = 0x1p-48 * size;
  return found;
}

}  // namespace bootfold::jackknife
