// data/shortest.h: a number as text.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

namespace bootfold::data {

/// The fewest digits that read back as the same number; whole numbers without an exponent.
template <class Number>
[[nodiscard]] std::string shortest(Number number) {
  std::array<char, 32> text;
  char* const end = text.data() + text.size();
  if constexpr (std::is_floating_point_v<Number>) {
    if (std::isnan(number)) return "nan";
    if (number == std::trunc(number) && std::abs(number) < Number{0x1p53})
      return shortest(static_cast<std::int64_t>(number));
  }
  return {text.data(), std::to_chars(text.data(), end, number).ptr};
}

}  // namespace bootfold::data
