// text/quantity.h: numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace bootfold::text {

/// 5000000 as "5,000,000".
[[nodiscard]] std::string grouped(std::uint64_t value);

/// 0xFF as "00000000000000ff": sixteen digits.
[[nodiscard]] std::string hexadecimal(std::uint64_t value);

/// The fewest digits that read back as the same double: "0.1".
[[nodiscard]] std::string shortest(double value);

/// 67108864 as "64 MiB"; three digits.
[[nodiscard]] std::string bytes(double value);

/// 0.0123 as "12.3 ms"; three digits.
[[nodiscard]] std::string seconds(double value);

}  // namespace bootfold::text
