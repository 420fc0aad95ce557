#include "number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "bootfold/error.h"

namespace bootfold::cli {
namespace {

// "1_000_000" -> "1000000"; an underscore must stand between two digits.
std::optional<std::string> without_separators(const std::string& text) {
  const auto digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '_')
      plain += text[at];
    else if (at == 0 || !digit(at - 1) || !digit(at + 1))
      return std::nullopt;
  }
  return plain;
}

// All of `text` as a number, whatever the locale; no hexadecimal, no "inf", no "nan".
std::optional<double> real(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos)
    return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range)  // too large or too small for a double
    return text.find_first_of('-', 1) == std::string_view::npos
               ? std::numeric_limits<double>::infinity() * (text.front() == '-' ? -1 : 1)
               : 0.0;
  if (error != std::errc{}) return std::nullopt;
  return value;
}

// Exactly where digits alone are written; through a double, which holds 1e22, with an exponent.
std::optional<std::uint64_t> whole(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  const std::optional<double> number = real(text);
  if (number && *number >= 0 && *number < 0x1p64 && *number == std::floor(*number))
    return static_cast<std::uint64_t>(*number);
  return std::nullopt;
}

}  // namespace

std::uint64_t parse_whole(std::string_view option, const std::string& text, std::uint64_t least,
                          std::uint64_t most, std::string_view hint) {
  const std::optional<std::string> plain = without_separators(text);
  if (plain) {
    const std::optional<std::uint64_t> value = whole(*plain);
    if (value && *value >= least && *value <= most) return *value;
    const std::optional<double> number = real(*plain);
    if (number && *number < static_cast<double>(least))
      throw InvalidArgument(
          fmt::format("{} is {} but must be at least {}{}", option, text, least, hint));
    if (number && *number > static_cast<double>(most))
      throw InvalidArgument(
          fmt::format("{} is {} but must be at most {}{}", option, text, most, hint));
  }
  throw InvalidArgument(fmt::format(
      "{} is '{}' but must be a whole number, such as 10000, 1e6 or 1_000_000", option, text));
}

double parse_between(std::string_view option, const std::string& text, double low, double high,
                     std::string_view example) {
  const std::optional<double> value = real(text);
  if (value && *value > low && *value < high) return *value;
  if (std::isinf(high))
    throw InvalidArgument(fmt::format("{} is '{}' but must be a number above {}, such as {}",
                                      option, text, low, example));
  throw InvalidArgument(fmt::format("{} is '{}' but must lie between {} and {}, such as {}", option,
                                    text, low, high, example));
}

std::uint64_t parse_size(std::string_view option, const std::string& text) {
  static constexpr std::array<std::pair<std::string_view, double>, 14> kUnits{{{"", 1},
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

  // The unit starts at the first letter that is no exponent: "1e6" has none, "1.5G" has G.
  const std::size_t unit_at = text.find_first_not_of("0123456789.eE+-_");
  std::string unit = unit_at == std::string::npos ? "" : text.substr(unit_at);
  if (!unit.empty() && unit.front() == ' ') unit.erase(0, 1);  // "256 MiB"
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  const auto* known = std::find_if(kUnits.begin(), kUnits.end(),
                                   [&](const auto& entry) { return entry.first == unit; });
  const std::optional<std::string> plain = without_separators(text.substr(0, unit_at));
  const std::optional<double> number = plain ? real(*plain) : std::nullopt;
  if (known == kUnits.end() || !number || *number <= 0 || *number * known->second < 1)
    throw InvalidArgument(fmt::format(
        "{} is '{}' but must be a size above 0, such as 256M, 64KiB or 1G", option, text));
  const double bytes = *number * known->second;
  if (bytes > 0x1p62)
    throw InvalidArgument(
        fmt::format("{} is {}, more than any machine has; try 256M", option, text));
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace bootfold::cli
