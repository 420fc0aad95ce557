// Sums of doubles as integers of 128 bits: the same in every order.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace bootfold::numeric {

/// Doubles as whole multiples of a power of two. 53 bits of a value and the sum of 2^40 of them
/// leave 33 bits: values down to 2^-33 of the largest are exact, and smaller ones have an error of
/// at most 2^-86 of the largest.
class WideFixed {
 public:
  /// For sums of `count` values, none larger than `largest` without its sign.
  WideFixed(double largest, std::uint64_t count)
      : unit_(exponent(largest) + static_cast<int>(std::bit_width(count)) - kBits) {}

  /// The multiple next to a finite value. Values larger than those that were announced give some
  /// number.
  [[nodiscard]] __int128 operator()(double value) const noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto biased = static_cast<int>(bits >> 52 & 2047U);
    std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
    if (biased != 0) mantissa |= std::uint64_t{1} << 52;
    const int most = kBits - static_cast<int>(std::bit_width(mantissa));
    const int shift = std::min(std::max(biased, 1) - 1075 - unit_, most);
    __int128 multiple = 0;
    if (shift >= 0)
      multiple = static_cast<__int128>(mantissa) << shift;
    else if (shift > -64)
      multiple = ((mantissa >> (-shift - 1)) + 1) >> 1;
    return value < 0 ? -multiple : multiple;
  }

  [[nodiscard]] double value(__int128 sum) const noexcept {
    return std::ldexp(static_cast<double>(sum), unit_);
  }

 private:
  static constexpr int kBits = 126;

  /// Of the power of two above it.
  [[nodiscard]] static int exponent(double largest) {
    return largest > 0 ? std::ilogb(largest) + 1 : 0;
  }

  int unit_;
};

}  // namespace bootfold::numeric
