#include "exact/series.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "numeric/compensated.h"

namespace bootfold::exact {

namespace {

using Complex = std::complex<double>;

/// exp(2 pi i turns).
Complex circle_at(double turns) {
  const double angle = 2 * std::numbers::pi * (turns - std::nearbyint(turns));
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace

Series::Series(const Circle& circle, std::span<const Node> nodes, const Scaling& scaling,
               double mean, double deviation)
    : Law(mean, deviation), circle_(circle), scaling_(scaling) {
  for (const Node& node : nodes) {
    const auto k = static_cast<double>(node.number);
    const double divisor = circle.lattice
                               ? 2 * circle.period * std::sin(std::numbers::pi * k / circle.period)
                               : 2 * std::numbers::pi * k;
    const Complex turned = node.value * circle_at(-k * (circle.start / circle.period));
    terms_.push_back({k, turned / Complex(0, divisor)});
  }
}

double Series::arc(double y) const {
  const double share = (y - circle_.start) / circle_.period;
  if (share <= 0) return 0;
  if (share >= 1) return 1;
  numeric::Compensated sum;
  sum.add(share);
  for (const Term& term : terms_) {
    const Complex there = circle_at(-term.number * share);
    sum.add(2 * (term.coefficient * (1.0 - there)).real());
  }
  return std::clamp(sum.value(), 0.0, 1.0);
}

double Series::points(double x, bool inclusive) const {
  const double y = scaling_.sum(x);
  const double whole = std::nearbyint(y);
  // A value that is a lattice point but for rounding is that point.
  const double size = std::abs(scaling_.offset * scaling_.divisor) + std::abs(scaling_.base);
  const double blur = std::min(0.4, 1e-6 + 0x1p-50 * (std::abs(y) + size / scaling_.unit));
  if (std::abs(y - whole) <= blur) return inclusive ? whole : whole - 1;
  return std::floor(y);
}

double Series::at_most(double x) const {
  return circle_.lattice ? arc(points(x, true) + 0.5) : arc(scaling_.sum(x));
}

double Series::below(double x) const {
  return circle_.lattice ? arc(points(x, false) + 0.5) : arc(scaling_.sum(x));
}

double Series::quantile(double p) const {
  const double end = circle_.start + circle_.period;
  if (circle_.lattice) {
    double low = circle_.start - 0.5;  // a lattice point with arc(low + 0.5) < p
    double high = end - 0.5;
    while (high - low > 1) {
      const double middle = std::floor(low / 2 + high / 2);
      (arc(middle + 0.5) < p ? low : high) = middle;
    }
    return scaling_.value(high);
  }
  const auto distance = [&](double y) { return arc(y) - p; };
  if (p <= 0) return scaling_.value(circle_.start);
  if (p >= 1) return scaling_.value(end);
  std::uintmax_t steps = 200;
  const auto [low, high] = boost::math::tools::toms748_solve(
      distance, circle_.start, end, -p, 1 - p,
      boost::math::tools::eps_tolerance<double>(std::numeric_limits<double>::digits - 3), steps);
  return scaling_.value(low / 2 + high / 2);
}

std::vector<double> lattice_probabilities(const Circle& circle, std::span<const Node> nodes) {
  const auto size = static_cast<std::size_t>(circle.period);
  const double first = circle.start + 0.5;
  std::vector<Complex> values(size);
  values[0] = 1;
  // P(first + m) = 1 / M sum over k of phi_k exp(-i u_k (first + m)), k and -k together.
  for (const Node& node : nodes) {
    const auto k = static_cast<double>(node.number);
    const double turns = std::fmod(k * (first / circle.period), 1.0);
    const Complex turned = node.value * circle_at(-turns);
    values[node.number] += turned;
    if (2 * node.number < size) values[size - node.number] += std::conj(turned);
  }
  // Radix-2 transform with exp(-i ...): reorder by reversed bits, then butterflies.
  for (std::size_t i = 1, j = 0; i < size; ++i) {
    std::size_t bit = size >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  std::vector<Complex> roots(size / 2);
  for (std::size_t i = 0; i < roots.size(); ++i)
    roots[i] = circle_at(-static_cast<double>(i) / static_cast<double>(size));
  for (std::size_t half = 1; half < size; half *= 2) {
    const std::size_t stride = size / (2 * half);
    for (std::size_t block = 0; block < size; block += 2 * half)
      for (std::size_t i = 0; i < half; ++i) {
        const Complex& root = roots[i * stride];
        const Complex odd = values[block + half + i];
        const Complex there(odd.real() * root.real() - odd.imag() * root.imag(),
                            odd.real() * root.imag() + odd.imag() * root.real());
        values[block + half + i] = values[block + i] - there;
        values[block + i] += there;
      }
  }
  std::vector<double> probabilities(size);
  for (std::size_t i = 0; i < size; ++i)
    probabilities[i] = std::max(0.0, values[i].real() / circle.period);
  return probabilities;
}

}  // namespace bootfold::exact
