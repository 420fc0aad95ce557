// Features as integers: sums are exact, so every order of work gives the same bits.
//
// q = round((f - centre) * 2^-unit). A folded mean is then off by at most 2^(unit - 1), the
// rounding of one row, plus the rounding of the feature itself; docs/resampling.md derives the
// bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "study/simd/kernels.h"

namespace bootfold::study {

/// Most signed base-256 digits an integer has, and the largest number they can write.
inline constexpr std::size_t kFewestDigits = 4;  // unless fewer are exact
inline constexpr std::size_t kMostDigits = 7;
[[nodiscard]] constexpr double largest(std::size_t digits) noexcept {
  return static_cast<double>(0x7F7F7F7F7F7F7FU >> (8 * (kMostDigits - digits)));
}

/// A feature's integers.
struct FixedFeature {
  std::size_t digits = kMostDigits;
  int unit = 0;
  simd::FixedPoint point;
  double factor = 1;  // factor * refactor = 2^unit
  double refactor = 1;
  double error = 0;     // of a folded mean, in units of the feature
  double relative = 0;  // error / (typical size / sqrt(rows))
  double clean = 0;     // error / typical size
  double linear = 0;    // error / standard error

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
};

/// The smallest unit with which `digits` digits can write numbers up to `farthest`.
[[nodiscard]] int unit_of(double farthest, std::size_t digits);

/// Integers of `digits` digits for values between two bounds, in any order.
[[nodiscard]] FixedFeature fixed_range(double one, double other, std::size_t digits);

/// Whole numbers up to `farthest`, as they are.
[[nodiscard]] FixedFeature fixed_whole(double farthest);

/// Rounds one value as the kernels do.
[[nodiscard]] std::int64_t quantize(double value, const simd::FixedPoint& point) noexcept;

struct FeatureSummary;  // study/summary.h

/// Gives a feature that is not exact at least so many digits. `order`: columns multiplied.
void lengthen(FixedFeature& fixed, const FeatureSummary& summary, std::size_t order,
              std::size_t digits, double rows);

/// The fewest digits whose error is at most tolerance * typical size / sqrt(rows), or all of them
/// where that cannot be met; always all of them if `all_digits`. Without error if the feature is
/// whole in some unit and that takes no more digits.
[[nodiscard]] FixedFeature fix(const FeatureSummary& summary, std::size_t order, double rows,
                               double tolerance, bool all_digits);

}  // namespace bootfold::study
