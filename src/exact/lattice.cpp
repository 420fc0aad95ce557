// The step of decimals and of multiples of a power of two is a greatest common divisor of whole
// numbers. Any other step is found by fractions: if x = min + k * step and max = min + K * step,
// then (x - min) / (max - min) = k / K, so K is the least common multiple of the denominators. A
// continued fraction, Euclid's algorithm, finds each of them, and rounding cannot add up.
#include "exact/lattice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "exact/rows.h"

namespace bootfold::exact {

namespace {

constexpr int kMostDigits = 12;
constexpr double kMostSteps = 0x1p45;
constexpr std::array<double, kMostDigits + 1> kPowers = {1e0, 1e1, 1e2, 1e3,  1e4,  1e5, 1e6,
                                                         1e7, 1e8, 1e9, 1e10, 1e11, 1e12};

/// Is x the double next to a number with so many decimals? Its own rounding and that of the product
/// move it by at most 2^-52 of its size.
bool is_decimal(double x, int digits) {
  const double scaled = x * kPowers[static_cast<std::size_t>(digits)];
  return std::abs(scaled) < kMostSteps &&
         std::abs(scaled - std::nearbyint(scaled)) <= 0x1p-51 * std::abs(scaled);
}

/// The power of two that the last set bit of x stands for.
int last_bit(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const auto whole = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  return exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(whole));
}

/// What values may be off by, as a share of their size: 64 units in the last place, so that numbers
/// written with 15 digits are covered. Floats: 4 units in the last place.
constexpr double kDoubleRounding = 0x1p-46;
constexpr double kFloatRounding = 0x1p-22;
constexpr double kSmallestRange = 1e-280;  // below, denormals round differently
constexpr double kChance = 1e-6;           // that numbers without a step seem to have one

/// The denominator of the simplest fraction within `tolerance` of y, by its continued fraction; 0
/// if it is above `most`.
std::uint64_t denominator(double y, double tolerance, double most) {
  double p = 1;
  double q = 0;
  double p_before = 0;
  double q_before = 1;
  for (double rest = y;; rest = 1 / (rest - std::floor(rest))) {
    const double digit = std::floor(rest);
    p_before = std::exchange(p, digit * p + p_before);
    q_before = std::exchange(q, digit * q + q_before);
    if (!(q <= most)) return 0;
    if (std::abs(y * q - p) <= tolerance * q) return static_cast<std::uint64_t>(q);
  }
}

/// The step of which all values are multiples away from the smallest, up to rounding; 0 if none.
double rounded_step(const ColumnView& column, const study::ColumnSummary& summary,
                    std::size_t distinct, const Execution& execution) {
  const double range = summary.max - summary.min;
  if (!(range > kSmallestRange)) return 0;
  const double largest = std::max(std::abs(summary.min), std::abs(summary.max));
  const double rounding = column.type() == data::Type::float32 ? kFloatRounding : kDoubleRounding;
  const double tolerance = rounding * (largest / range);
  // Fractions with denominators up to K differ by 1 / K^2 at least: only one is within reach.
  const double most = std::floor(std::sqrt(1 / (16 * tolerance)));
  if (most < 1) return 0;
  const auto common = [most](std::uint64_t a, std::uint64_t b) {
    const std::uint64_t multiple = std::lcm(a, b);  // 0 if either is
    return static_cast<double>(multiple) <= most ? multiple : 0;
  };
  const std::uint64_t found = reduce_column(
      column, std::uint64_t{1},
      [&](std::uint64_t& steps, std::span<const double> values) {
        for (const double x : values) {
          if (steps == 0) return;
          const double y = (x - summary.min) / range;
          const double place = y * static_cast<double>(steps);
          if (std::abs(place - std::nearbyint(place)) > tolerance * static_cast<double>(steps))
            steps = common(steps, denominator(y, tolerance, most));
        }
      },
      [&](std::uint64_t& total, std::uint64_t part) { total = common(total, part); }, execution);
  if (found == 0) return 0;
  const auto steps = static_cast<double>(found);
  // Of numbers without a step all but two have to be near one of the K lattice points, for any K.
  const double others = static_cast<double>(distinct) - 2;
  if ((steps - 1) * std::pow(2 * tolerance * steps, others) > kChance) return 0;
  // From the middle, a value is off by its own rounding and that of the middle: next to an outlier
  // small values must not be taken for equal.
  const double step = range / steps;
  const double middle = summary.scale.centre;
  const bool near = reduce_column(
      column, true,
      [&](bool& all, std::span<const double> values) {
        for (const double x : values) {
          const double off = x - middle - std::nearbyint((x - middle) / step) * step;
          all = all && std::abs(off) <= 2 * rounding * std::max(std::abs(x), std::abs(middle));
        }
      },
      [](bool& total, bool part) { total = total && part; }, execution);
  return near ? step : 0;
}

struct Unit {
  int digits = 0;  // more than kMostDigits: not decimal
  int bit = std::numeric_limits<int>::max();
};

}  // namespace

std::optional<Lattice> find_lattice(const ColumnView& column, const study::ColumnSummary& summary,
                                    std::size_t distinct, const Execution& execution) {
  const auto unit = reduce_column(
      column, Unit{},
      [](Unit& found, std::span<const double> values) {
        for (const double x : values) {
          if (x == 0) continue;
          while (found.digits <= kMostDigits && !is_decimal(x, found.digits)) ++found.digits;
          found.bit = std::min(found.bit, last_bit(x));
        }
      },
      [](Unit& total, const Unit& part) {
        total.digits = std::max(total.digits, part.digits);
        total.bit = std::min(total.bit, part.bit);
      },
      execution);
  const double largest = std::max(std::abs(summary.min), std::abs(summary.max));
  const bool decimal = unit.digits <= kMostDigits &&
                       largest * kPowers[static_cast<std::size_t>(unit.digits)] < kMostSteps;
  const bool binary = std::ldexp(summary.max, -unit.bit) - std::ldexp(summary.min, -unit.bit) <=
                      kMostSteps;  // also false where they overflow
  if (!decimal)
    if (const double step = rounded_step(column, summary, distinct, execution); step > 0)
      return Lattice{step, 0};
  if (!decimal && !binary) return std::nullopt;
  const double power = decimal ? kPowers[static_cast<std::size_t>(unit.digits)] : 0;
  const double first = column[0];
  const auto steps = [&](double x) {
    const double difference = x - first;  // exact up to far less than a step
    return static_cast<std::int64_t>(
        std::nearbyint(decimal ? difference * power : std::ldexp(difference, -unit.bit)));
  };
  const std::int64_t divisor = reduce_column(
      column, std::int64_t{0},
      [&](std::int64_t& found, std::span<const double> values) {
        for (const double x : values) {
          if (found == 1) return;
          found = std::gcd(found, steps(x));
        }
      },
      [](std::int64_t& total, std::int64_t part) { total = std::gcd(total, part); }, execution);
  const auto multiple = static_cast<double>(divisor);
  return Lattice{decimal ? multiple / power : std::ldexp(multiple, unit.bit), power};
}

}  // namespace bootfold::exact
