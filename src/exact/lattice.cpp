#include "exact/lattice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

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

struct Unit {
  int digits = 0;  // more than kMostDigits: not decimal
  int bit = std::numeric_limits<int>::max();
};

}  // namespace

std::optional<Lattice> find_lattice(const ColumnView& column, const study::ColumnSummary& summary,
                                    const Execution& execution) {
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
