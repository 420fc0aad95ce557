#include "study/fixed_point.h"

#include <algorithm>
#include <cmath>

#include "study/summary.h"

namespace bootfold::study {

namespace {

using simd::FixedPoint;

FixedPoint point_of(double centre, int unit) {
  const int half = -unit / 2;
  return {centre, std::ldexp(1.0, half), std::ldexp(1.0, -unit - half)};
}

void set_unit(FixedFeature& fixed, double centre, int unit) {
  fixed.unit = unit;
  fixed.point = point_of(centre, unit);
  fixed.factor = std::ldexp(1.0, unit / 2);
  fixed.refactor = std::ldexp(1.0, unit - unit / 2);
}

/// What making a product of `order` columns in doubles, and its mean, may be off.
double making_error(std::size_t order, double farthest) {
  return static_cast<double>(2 * order + 2) * 0x1p-53 * farthest;
}

FixedFeature with_digits(const FeatureSummary& summary, std::size_t order, double centre,
                         double farthest, std::size_t digits, double rows) {
  FixedFeature fixed;
  fixed.digits = digits;
  set_unit(fixed, centre, unit_of(farthest, digits));
  fixed.error = farthest == 0 ? 0 : std::ldexp(0.5, fixed.unit) + making_error(order, farthest);
  const double typical = std::min(summary.typical, summary.deviation);
  fixed.clean = typical > 0 ? fixed.error / typical : 0;
  fixed.relative = typical > 0 ? fixed.error / (typical / std::sqrt(rows)) : 0;
  fixed.linear = summary.deviation > 0 ? fixed.error / (summary.deviation / std::sqrt(rows)) : 0;
  return fixed;
}

/// Integers in whole units, without error.
FixedFeature fixed_to(double centre, double farthest, int unit) {
  FixedFeature fixed;
  set_unit(fixed, centre, unit);
  fixed.digits = 1;
  while (fixed.digits < kMostDigits && std::ldexp(farthest, -unit) > largest(fixed.digits) - 1)
    ++fixed.digits;
  return fixed;
}

}  // namespace

int unit_of(double farthest, std::size_t digits) {
  if (farthest == 0) return 0;
  int unit = std::ilogb(farthest) - static_cast<int>(8 * digits) + 1;
  while (std::ldexp(farthest, -unit) > largest(digits) - 1) ++unit;
  return unit;
}

FixedFeature fixed_range(double one, double other, std::size_t digits) {
  FixedFeature fixed;
  fixed.digits = digits;
  const double centre = one / 2 + other / 2;
  const double farthest = std::max(std::abs(one - centre), std::abs(other - centre));
  set_unit(fixed, centre, unit_of(farthest, digits));
  fixed.error = farthest == 0 ? 0 : std::ldexp(0.5, fixed.unit);
  return fixed;
}

FixedFeature fixed_whole(double farthest) { return fixed_to(0, farthest, 0); }

std::int64_t quantize(double value, const FixedPoint& point) noexcept {
  std::int64_t integer = 0;
  simd::kPortable.quantize(&value, 1, point, &integer);
  return integer;
}

void lengthen(FixedFeature& fixed, const FeatureSummary& summary, std::size_t order,
              std::size_t digits, double rows) {
  if (fixed.error == 0 || fixed.digits >= digits) return;
  const double centre = summary.median;
  fixed = with_digits(summary, order, centre, std::max(summary.max - centre, centre - summary.min),
                      digits, rows);
}

FixedFeature fix(const FeatureSummary& summary, std::size_t order, double rows, double tolerance,
                 bool all_digits) {
  const double centre = summary.median;
  const double reach = std::max(std::abs(summary.max - centre), std::abs(centre - summary.min));
  FixedFeature fixed = with_digits(summary, order, centre, reach, kMostDigits, rows);
  const int longest_unit = fixed.unit;
  for (std::size_t digits = all_digits ? kMostDigits : kFewestDigits; digits < kMostDigits;
       ++digits) {
    const FixedFeature shorter = with_digits(summary, order, centre, reach, digits, rows);
    if (shorter.relative <= tolerance && shorter.relative > 0) {
      fixed = shorter;
      break;
    }
  }
  if (summary.lowest_bit == FeatureLook::kNotWhole) return fixed;
  // Exact in the unit of the lowest bit that any row uses; taken unless it needs more digits.
  const FixedFeature exact =
      fixed_to(centre, reach,
               summary.lowest_bit == FeatureLook::kNoBits ? longest_unit : summary.lowest_bit);
  // Seven digits are more than the doubles that a product was made of can vouch for.
  if (exact.digits == kMostDigits && order > 1) return fixed;
  return exact.digits <= fixed.digits ? exact : fixed;
}

}  // namespace bootfold::study
