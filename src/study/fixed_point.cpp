#include "study/fixed_point.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "study/summary.h"

namespace bootfold::study {

namespace {

using simd::FixedPoint;

constexpr int kLimbBits = 8 * kLimbDigits;
constexpr double kLimbSize = 0x1p56;
constexpr std::int64_t kLimbHalf = std::int64_t{1} << (kLimbBits - 1);
constexpr std::int64_t kDigitBias = 0x80808080808080;
constexpr double kWhole = 0x1p53;  // doubles from here on are whole numbers

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

/// What making a product of `order` columns in doubles, and its mean, may be off, relative to the
/// size of the rows.
double making_error(std::size_t order) { return static_cast<double>(2 * order + 2) * 0x1p-53; }

/// The mean size of the rows of a replicate is at most this times that of all rows, if rows are
/// drawn evenly: no row counts more than 32 times, and sizes are about a centre that is at most a
/// standard deviation off. Otherwise one row may be all of a replicate.
constexpr double kLargestShare = 64;

FixedFeature with_digits(const FeatureSummary& summary, std::size_t order, double centre,
                         double farthest, std::size_t digits, double rows) {
  FixedFeature fixed;
  fixed.digits = digits;
  set_unit(fixed, centre, unit_of(farthest, digits));
  if (farthest == 0) return fixed;
  const double typical = std::min(summary.typical, summary.deviation);
  fixed.rounding = std::ldexp(0.5, fixed.unit);
  const auto error_of = [&](double size) {
    const double rows_of_size =
        summary.even && size > 0 ? std::min(farthest, kLargestShare * size) : farthest;
    return fixed.rounding + making_error(order) * rows_of_size;
  };
  fixed.error = error_of(typical);
  fixed.clean = typical > 0 ? fixed.error / typical : 0;
  fixed.relative = typical > 0 ? fixed.error / (typical / std::sqrt(rows)) : 0;
  fixed.linear = summary.deviation > 0
                     ? error_of(summary.deviation) / (summary.deviation / std::sqrt(rows))
                     : 0;
  return fixed;
}

/// Integers in whole units, without error.
FixedFeature fixed_to(double centre, double farthest, int unit) {
  FixedFeature fixed;
  set_unit(fixed, centre, unit);
  fixed.digits = 1;
  while (fixed.digits < kLimbDigits && std::ldexp(farthest, -unit) > largest(fixed.digits) - 1)
    ++fixed.digits;
  return fixed;
}

}  // namespace

int unit_of(double farthest, std::size_t digits) {
  if (farthest == 0) return 0;
  const std::size_t more = digits - std::min(digits, kLimbDigits);  // than a limb has
  int unit = std::ilogb(farthest) - static_cast<int>(8 * digits) + 1;
  while (std::ldexp(farthest, -unit - static_cast<int>(8 * more)) > largest(digits - more) - 1)
    ++unit;
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

double joined(std::span<const __int128> limbs) noexcept {
  // Carries make all limbs but the last at most half of what one in the next is worth, so that
  // nothing cancels.
  std::array<std::int64_t, kMostLimbs> low;
  __int128 carry = 0;
  for (std::size_t k = 0; k + 1 < limbs.size(); ++k) {
    const __int128 sum = limbs[k] + carry;
    carry = (sum + kLimbHalf) >> kLimbBits;
    low[k] = static_cast<std::int64_t>(sum - (carry << kLimbBits));
  }
  auto value = static_cast<double>(limbs.back() + carry);
  for (std::size_t k = limbs.size() - 1; k-- > 0;)
    value = value * kLimbSize + static_cast<double>(low[k]);
  return value;
}

void quantize(const FixedFeature& fixed, std::span<const double> values,
              const simd::Kernels& kernels, std::int64_t* integers, std::size_t stride) noexcept {
  const FixedPoint& point = fixed.point;
  kernels.quantize(values.data(), values.size(), point, integers);  // right for what one limb holds
  const std::size_t limbs = fixed.limbs();
  if (limbs == 1) return;
  for (std::size_t k = 1; k < limbs; ++k) std::fill_n(integers + k * stride, values.size(), 0);
  // Rows that were not looked at, because a file changed since, may hold anything.
  const double most = std::ldexp(1.0, std::min(1023, static_cast<int>(limbs) * kLimbBits));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = (values[i] - point.centre) * point.scale * point.rescale;
    if (std::abs(v) < kWhole) continue;
    if (!(std::abs(v) < most)) {
      integers[i] = 0;
      continue;
    }
    // A whole number: its 53 bits begin in one limb and may end in the next.
    const int exponent = std::ilogb(v) - 52;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(v, -exponent));
    const auto first = static_cast<std::size_t>(exponent / kLimbBits);
    const __int128 bits = static_cast<__int128>(mantissa) * (__int128{1} << (exponent % kLimbBits));
    // Seven digits from -128 to 127 reach down to -0x8080...80.
    const __int128 next = (bits + kDigitBias) >> kLimbBits;
    integers[i] = 0;
    integers[first * stride + i] = static_cast<std::int64_t>(bits - (next << kLimbBits));
    if (next != 0 && first + 1 < limbs)
      integers[(first + 1) * stride + i] = static_cast<std::int64_t>(next);
  }
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
  const auto with = [&](std::size_t digits) {
    return with_digits(summary, order, centre, reach, digits, rows);
  };
  FixedFeature fixed = with(kLimbDigits);
  const int longest_unit = fixed.unit;
  for (std::size_t digits = all_digits ? kLimbDigits : kFewestDigits; digits < kLimbDigits;
       ++digits) {
    const FixedFeature shorter = with(digits);
    if (shorter.relative <= tolerance && shorter.relative > 0) {
      fixed = shorter;
      break;
    }
  }
  const std::size_t step = all_digits ? kLimbDigits : 1;
  while (!fixed.holds(order, tolerance) && fixed.digits + step <= kMostDigits)
    fixed = with(fixed.digits + step);
  if (summary.lowest_bit == ValuesLook::kNotWhole) return fixed;
  // Exact in the unit of the lowest bit that any row uses; taken unless it needs more digits.
  const FixedFeature exact = fixed_to(
      centre, reach, summary.lowest_bit == ValuesLook::kNoBits ? longest_unit : summary.lowest_bit);
  // Seven digits are more than the doubles that a product was made of can vouch for.
  if (exact.digits == kLimbDigits && order > 1) return fixed;
  return exact.digits <= fixed.digits ? exact : fixed;
}

}  // namespace bootfold::study
