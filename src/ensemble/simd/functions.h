// Exponential, logarithm and the activations, of all lanes of a Vector at once. Made of single
// operations in a fixed order, so that every level gives the same bits.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include "ensemble/simd/several.h"
#include "ensemble/simd/tiles.h"

namespace bootfold::ensemble::simd {
namespace {

// V: Vector, or Several of them.

/// Horner's scheme, highest coefficient first.
template <class V, class... More>
BOOTFOLD_INLINE inline V polynomial(V x, float first, More... more) {
  V sum = V::all(first);
  ((sum = fused(sum, x, V::all(more))), ...);
  return sum;
}

/// e^x for x <= 0, or up to 87, right to about 2 units in the last place; arguments are held above
/// -87.
template <class V>
BOOTFOLD_INLINE inline V exponential_of_lower(V x) {
  x = max(V::all(-87.0F), x);
  // x = n log 2 + r; adding 1.5 * 2^23 rounds to an integer.
  const V shifted = fused(x, V::all(0x1.715476p0F), V::all(0x1.8p23F));
  const V n = shifted - V::all(0x1.8p23F);
  V r = fused(n, V::all(-0x1.62e4p-1F), x);
  r = fused(n, V::all(-0x1.7f7d1cp-20F), r);
  const V p = polynomial(r, 1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F);
  return p * power_of_two(n);
}

/// The same for any x: arguments are held within +-87.
template <class V>
BOOTFOLD_INLINE inline V exponential(V x) {
  return exponential_of_lower(min(V::all(87.0F), x));
}

/// Natural logarithm of positive normal numbers.
template <class V>
BOOTFOLD_INLINE inline V logarithm(V x) {
  // x = m 2^e with m in [1, 2), or [1/sqrt 2, sqrt 2) after halving: |s| < 0.172.
  V m = significand(x);
  V e = exponent(x);
  const auto high = less(V::all(0x1.6a09e6p0F), m);
  m = select(high, m * V::all(0.5F), m);
  e = select(high, e + V::all(1.0F), e);
  const V s = (m - V::all(1.0F)) / (m + V::all(1.0F));
  const V z = s * s;
  const V series = polynomial(z, 2.0F / 9, 2.0F / 7, 2.0F / 5, 2.0F / 3, 2.0F);
  return fused(e, V::all(0x1.62e43p-1F), s * series);
}

/// log(1 + x) for x in [0, 1], right to 2.5 units in the last place: without a division, unlike
/// logarithm(1 + x). The coefficients have the smallest relative error of all with their degree.
template <class V>
BOOTFOLD_INLINE inline V log_one_plus(V x) {
  return x * polynomial(x, 0.00523268525F, -0.0295051988F, 0.0782258809F, -0.136632398F,
                        0.191060036F, -0.24842982F, 0.333190978F, -0.499994934F, 0.99999994F);
}

inline Vector exp(Vector x) { return exponential(x); }
inline Vector log(Vector x) { return logarithm(x); }

inline Vector tanh(Vector x) {
  const Vector size = max(x, Vector::zero() - x);
  // Small: an odd series, whose terms do not cancel. Large: from e^(2 |x|).
  const Vector z = x * x;
  const Vector p = polynomial(z, -5.70498872745e-3F, 2.06390887954e-2F, -5.37397155531e-2F,
                              1.33314422036e-1F, -3.33332819422e-1F);
  const Vector small = fused(x * z, p, x);
  const Vector grown = exp(size + size);
  const Vector large = Vector::all(1.0F) - Vector::all(2.0F) / (grown + Vector::all(1.0F));
  const Vector signed_large = select(less(x, Vector::zero()), Vector::zero() - large, large);
  return select(less(size, Vector::all(0.625F)), small, signed_large);
}

/// Whether the slope cannot be computed from the value and is kept in memory.
constexpr bool keeps_slope(Activation activation) {
  return activation == Activation::gelu || activation == Activation::silu;
}

struct Activated {
  Vector value;
  Vector slope;
};

/// NaN stays NaN: it marks a network that diverged.
template <Activation kActivation>
inline Activated activate(Vector z) {
  const Vector one = Vector::all(1.0F);
  if constexpr (kActivation == Activation::relu) {
    return {max(Vector::zero(), z), select(less(Vector::zero(), z), one, Vector::zero())};
  } else if constexpr (kActivation == Activation::tanh) {
    const Vector t = tanh(z);
    return {t, fused_minus(t, t, one)};
  } else if constexpr (kActivation == Activation::silu) {  // z s, s = 1 / (1 + e^-z)
    const Vector s = one / (one + exp(Vector::zero() - z));
    const Vector value = z * s;
    return {value, fused(value, one - s, s)};
  } else {  // gelu: z/2 (1 + tanh(u)), u = sqrt(2/pi) (z + 0.044715 z^3)
    const Vector root = Vector::all(0.7978845608F);
    const Vector square = z * z;
    const Vector u = root * fused(z * square, Vector::all(0.044715F), z);
    const Vector t = tanh(u);
    const Vector half = Vector::all(0.5F) * (one + t);
    const Vector inner = root * fused(square, Vector::all(3 * 0.044715F), one);
    return {z * half, fused(Vector::all(0.5F) * z * fused_minus(t, t, one), inner, half)};
  }
}

/// The slope from the value where that suffices, else from memory.
template <Activation kActivation>
inline Vector slope_of(Vector value, const float* stored) {
  if constexpr (kActivation == Activation::relu)
    return select(less(Vector::zero(), value), Vector::all(1.0F), Vector::zero());
  if constexpr (kActivation == Activation::tanh)
    return fused_minus(value, value, Vector::all(1.0F));
  return Vector::load(stored);
}

}  // namespace
}  // namespace bootfold::ensemble::simd
