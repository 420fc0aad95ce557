#include "text/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::text {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// With so many digits after the point, in every locale.
std::string fixed(double value, int places) {
  std::array<char, 400> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, places)
          .ptr;
  return {text.data(), end};
}

/// "1_000" as "1000"; an underscore must stand between two digits.
std::optional<std::string> without_separators(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '_')
      plain += text[at];
    else if (at == 0 || at + 1 == text.size() || !is_digit(text[at - 1]) || !is_digit(text[at + 1]))
      return std::nullopt;
  }
  return plain;
}

}  // namespace

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string hexadecimal(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t at = text.size(); at-- > 0; value >>= 4)
    text[at] = "0123456789abcdef"[value & 15];
  return text;
}

std::string shortest(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string bytes(double value) {
  constexpr std::array<const char*, 7> kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return concat(fixed(value, unit == 0 || value >= 99.95 ? 0 : 1), " ", kUnits[unit]);
}

std::string seconds(double value) {
  if (!std::isfinite(value)) return "unknown";
  if (value < 0.0995)
    return concat(fixed(1000 * value, value < 0.000995 ? 3 : value < 0.00995 ? 1 : 0), " ms");
  if (value < 9.995) return concat(fixed(value, 2), " s");
  if (value < 119.5) return concat(fixed(value, 0), " s");
  if (value > 3e9) {
    std::array<char, 32> years;
    const auto end = std::to_chars(years.data(), years.data() + years.size(),
                                   value / (365.25 * 86400), std::chars_format::general, 2)
                         .ptr;
    return std::string(years.data(), end) + " years";
  }
  const auto whole = static_cast<std::uint64_t>(std::llround(value));
  if (whole < 7200) return concat(whole / 60, " min ", whole % 60, " s");
  if (whole < 2 * 86400) return concat(whole / 3600, " h ", whole % 3600 / 60, " min");
  return concat(whole / 86400, " days ", whole % 86400 / 3600, " h");
}

std::optional<double> parse_real(std::string_view text) {
  const std::optional<std::string> plain = without_separators(text);
  if (!plain) return std::nullopt;
  std::string_view digits = *plain;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  if (digits.empty() || digits.find_first_not_of("0123456789.eE+-") != digits.npos)
    return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range)  // too large or too small for a double
    return digits.find_first_of('-', 1) == digits.npos
               ? std::numeric_limits<double>::infinity() * (digits.front() == '-' ? -1 : 1)
               : 0.0;
  if (error != std::errc{}) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  const std::optional<std::string> plain = without_separators(text);
  if (!plain) return std::nullopt;
  std::string_view digits = *plain;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{} && end == digits.data() + digits.size()) return value;
  const std::optional<double> number = parse_real(digits);  // with an exponent: 1e22 is exact
  if (number && *number >= 0 && *number < 0x1p64 && *number == std::floor(*number))
    return static_cast<std::uint64_t>(*number);
  return std::nullopt;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 14> kUnits{{{"", 1},
                                                                        {"b", 1},
                                                                        {"k", 0x1p10},
                                                                        {"m", 0x1p20},
                                                                        {"g", 0x1p30},
                                                                        {"t", 0x1p40},
                                                                        {"kib", 0x1p10},
                                                                        {"mib", 0x1p20},
                                                                        {"gib", 0x1p30},
                                                                        {"tib", 0x1p40},
                                                                        {"kb", 1e3},
                                                                        {"mb", 1e6},
                                                                        {"gb", 1e9},
                                                                        {"tb", 1e12}}};
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  // The unit starts at the first letter that is no exponent: "1e6" has none, "1.5G" has G.
  const std::size_t unit_at = std::min(text.find_first_not_of("0123456789.eE+-_"), text.size());
  std::string unit;
  for (const char c : text.substr(unit_at))
    unit += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (unit.starts_with(' ')) unit.erase(0, 1);  // "256 MiB"
  const std::optional<double> number = parse_real(text.substr(0, unit_at));
  if (!number) return std::nullopt;
  for (const auto& [name, size] : kUnits)
    if (name == unit && *number * size >= 1 && *number * size <= 0x1p62)
      return static_cast<std::uint64_t>(*number * size);
  return std::nullopt;
}

std::string bad_bytes(std::string_view option, std::string_view text) {
  return concat(option, " is ", quoted(text),
                " but must be a number of bytes from 1 to 2^62, such as 256M, 64KiB, 1.5GB or 1G");
}

}  // namespace bootfold::text
