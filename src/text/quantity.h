// text/quantity.h: numbers with units, written for people and read from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bootfold::text {

/// 5000000 as "5,000,000".
[[nodiscard]] std::string grouped(std::uint64_t value);

/// 0xFF as "00000000000000ff": sixteen digits.
[[nodiscard]] std::string hexadecimal(std::uint64_t value);

/// The fewest digits that read back as the same double: "0.1".
[[nodiscard]] std::string shortest(double value);

/// Bytes in powers of 1024: "41.2 MiB", "640 KiB", "12 bytes".
[[nodiscard]] std::string bytes(double value);

/// A duration: "12 ms", "3.14 s", "2 min 5 s", "4 h 10 min"; "unknown" unless it is finite.
[[nodiscard]] std::string seconds(double value);

/// A number in decimal digits, with or without a fraction or an exponent, in every locale; no
/// hexadecimal, infinity or NaN. Single underscores may separate digits: "1_000_000". Beyond the
/// range of a double it is infinite or 0.
[[nodiscard]] std::optional<double> parse_real(std::string_view text);

/// A whole number from 0 to 2^64 - 1, in the same notation: "1000000", "1_000_000", "1e6".
[[nodiscard]] std::optional<std::uint64_t> parse_whole(std::string_view text);

/// A memory size in bytes, at least 1 and at most 2^62: "268435456", "256M", "64 KiB", "1.5GB". K,
/// M, G, T and KiB, MiB, GiB, TiB are powers of 1024; KB, MB, GB, TB powers of 1000. Upper and
/// lower case are alike. Nothing for any other text.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// The message about text that parse_bytes() does not take: "memory is 'lots' but must be ...".
[[nodiscard]] std::string bad_bytes(std::string_view option, std::string_view text);

}  // namespace bootfold::text
