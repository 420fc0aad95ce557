// Features as integers: sums are exact, so every order of work gives the same bits.
//
// q = round((f - centre) * 2^-unit). A folded mean is then off by at most 2^(unit - 1), the
// rounding of one row, plus the rounding of the feature itself; docs/resampling.md derives the
// bound. Heavy tails take more digits: an integer of more than seven is written as several limbs of
// seven digits each, which are added up one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "study/simd/kernels.h"

namespace bootfold::study {

/// Signed base-256 digits of an integer: of a limb, which fits 64 bits with room for sums, and of
/// all limbs together.
inline constexpr std::size_t kFewestDigits = 4;  // unless fewer are exact
inline constexpr std::size_t kLimbDigits = 7;
inline constexpr std::size_t kMostLimbs = 4;
inline constexpr std::size_t kMostDigits = kMostLimbs * kLimbDigits;

/// The largest number that so many digits can write, at most kLimbDigits: 0x7F7F...
[[nodiscard]] constexpr double largest(std::size_t digits) noexcept {
  return static_cast<double>(0x7F7F7F7F7F7F7FU >> (8 * (kLimbDigits - digits)));
}

/// The number whose limbs are these sums, rounded to a double: off by a few units in the last
/// place.
[[nodiscard]] double joined(std::span<const __int128> limbs) noexcept;

/// A feature's integers.
struct FixedFeature {
  std::size_t digits = kLimbDigits;
  int unit = 0;
  simd::FixedPoint point;
  double factor = 1;  // factor * refactor = 2^unit
  double refactor = 1;
  double rounding = 0;  // of a row to an integer, at most; 0: there is none
  double error = 0;     // of a folded mean of usual rows, in units of the feature
  double relative = 0;  // error / (typical size / sqrt(rows))
  double clean = 0;     // error / typical size
  double linear = 0;    // error of any folded mean / standard error

  /// Integers of 64 bits that a row has.
  [[nodiscard]] std::size_t limbs() const noexcept { return (digits - 1) / kLimbDigits + 1; }
  /// Digits of a limb; the last has what is left.
  [[nodiscard]] std::size_t limb_digits(std::size_t limb) const noexcept {
    return std::min(kLimbDigits, digits - limb * kLimbDigits);
  }

  /// Whether the error is within the tolerance. Third and fourth powers reach so far that they are
  /// held to their own size, not to its standard error.
  [[nodiscard]] bool holds(std::size_t order, double tolerance) const noexcept {
    return (order > 2 ? clean : relative) <= tolerance;
  }

  /// The sum of `rows` values whose integers add up to `integers`.
  [[nodiscard]] double sum(__int128 integers, double rows) const noexcept {
    return point.centre * rows + static_cast<double>(integers) * factor * refactor;
  }
  /// The mean of `rows` rows whose integers add up to `sum`.
  [[nodiscard]] double mean(std::int64_t sum, double rows) const noexcept {
    return point.centre + static_cast<double>(sum) / rows * factor * refactor;
  }
  [[nodiscard]] double mean(__int128 sum, double rows) const noexcept {
    // Most sums fit 64 bits, whose conversion is much cheaper.
    const auto low = static_cast<std::int64_t>(sum);
    if (low == sum) return mean(low, rows);
    return point.centre + static_cast<double>(sum) / rows * factor * refactor;
  }
  /// The same from the sums of the limbs, lowest first.
  [[nodiscard]] double mean(std::span<const __int128> limbs, double rows) const noexcept {
    if (limbs.size() == 1) return mean(limbs[0], rows);
    return point.centre + joined(limbs) / rows * factor * refactor;
  }
};

/// The smallest unit with which `digits` digits can write numbers up to `farthest`.
[[nodiscard]] int unit_of(double farthest, std::size_t digits);

/// Integers of `digits` digits for values between two bounds, in any order.
[[nodiscard]] FixedFeature fixed_range(double one, double other, std::size_t digits);

/// Rounds values to integers as the kernels do, and writes limb k of row i to
/// integers[k * stride + i].
void quantize(const FixedFeature& fixed, std::span<const double> values,
              const simd::Kernels& kernels, std::int64_t* integers, std::size_t stride) noexcept;

struct FeatureSummary;  // study/summary.h

/// Gives a feature that is not exact at least so many digits. `order`: columns multiplied.
void lengthen(FixedFeature& fixed, const FeatureSummary& summary, std::size_t order,
              std::size_t digits, double rows);

/// The fewest digits whose error is at most tolerance * typical size / sqrt(rows), or kMostDigits
/// where that cannot be met; whole limbs if `all_digits`. Without error if the feature is whole in
/// some unit and that takes no more digits than a limb has.
[[nodiscard]] FixedFeature fix(const FeatureSummary& summary, std::size_t order, double rows,
                               double tolerance, bool all_digits);

}  // namespace bootfold::study
