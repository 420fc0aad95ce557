// Integers in the order of the doubles.
#pragma once

#include <bit>
#include <cstdint>

namespace bootfold::numeric {

/// Keys compare as the values do; -0 and 0 are one number.
[[nodiscard]] inline std::uint64_t order_key(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}

/// The value with that key.
[[nodiscard]] inline double value_of_key(std::uint64_t key) noexcept {
  return std::bit_cast<double>(key >> 63 != 0 ? key & ~(std::uint64_t{1} << 63) : ~key);
}

}  // namespace bootfold::numeric
