// Logarithms, exponentials, sines and cosines by single IEEE operations in a fixed order.
//
// The C library's differ in their last bits from one version to the next. What defines a random
// draw uses these: they give the same bits with every compiler, C library and processor. All are
// right to a few units in the last place; tests/numeric compares them with 50 digits.
#pragma once

namespace bootfold::numeric {

/// log(x) for positive, finite, normal x.
[[nodiscard]] double log(double x) noexcept;

/// log(1 + x) - x for x > -1, with all digits also where x is small.
[[nodiscard]] double log1p_minus(double x) noexcept;

/// exp(x) for -700 < x < 700.
[[nodiscard]] double exp(double x) noexcept;

/// exp(x) - 1 for -700 < x < 700, with all digits also where x is small.
[[nodiscard]] double expm1(double x) noexcept;

/// The sine and cosine of an angle.
struct SineCosine {
  double sine;
  double cosine;
};

/// Sine and cosine of 2 pi turns, for a finite number. They are exact at multiples of a quarter
/// turn, and right to a few units in the last place also after many turns.
[[nodiscard]] SineCosine sine_cosine_of_turns(double turns) noexcept;

/// log(n!) - log(sqrt(2 pi n) (n / e)^n), what Stirling's formula leaves out, for whole n >= 1.
[[nodiscard]] double stirling_error(double n) noexcept;

/// x log(x / mean) + mean - x >= 0 for x >= 0 and mean > 0: the deviance of a count x from its
/// mean. `difference` is x - mean, which the caller may know to more digits.
[[nodiscard]] double deviance(double x, double mean, double difference) noexcept;

}  // namespace bootfold::numeric
