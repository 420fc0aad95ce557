#include "data/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <system_error>

namespace bootfold::data {
namespace {

// Up to 15 digits with or without a point, the usual case. Digits and power of ten are then exact
// doubles, so their quotient is rounded once and equals what from_chars gives (Clinger 1990).
bool parse_short(std::string_view field, double& value) {
  static constexpr std::array<double, 16> kPowers = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool negative = !field.empty() && field[0] == '-';
  if (negative) field.remove_prefix(1);
  if (field.empty() || field.size() > 16) return false;
  std::uint64_t digits = 0;
  std::size_t point = field.size();
  for (std::size_t i = 0; i < field.size(); ++i) {
    const auto digit = static_cast<unsigned>(field[i] - '0');
    if (digit <= 9) {
      digits = 10 * digits + digit;
    } else if (field[i] == '.' && point == field.size()) {
      point = i;
    } else {
      return false;
    }
  }
  const std::size_t decimals = point == field.size() ? 0 : field.size() - 1 - point;
  const std::size_t count = point == field.size() ? field.size() : field.size() - 1;
  if (count == 0 || count > 15) return false;
  value = static_cast<double>(digits) / kPowers[decimals];
  if (negative) value = -value;
  return true;
}

// from_chars says "out of range" for 1e999 and 1e-999 alike; a stream tells them apart.
double out_of_range(std::string_view field) {
  std::istringstream text{std::string(field)};
  text.imbue(std::locale::classic());
  double value = 0;
  text >> value;
  return text.fail() ? std::numeric_limits<double>::infinity() : value;
}

bool parse_unusual(std::string_view field, double& value) {
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) value = out_of_range(field);
  return true;
}

}  // namespace

bool is_missing(std::string_view field) {
  static constexpr std::array<std::string_view, 5> kMissing = {"", "na", "n/a", "nan", "null"};
  auto same = [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); };
  return std::any_of(kMissing.begin(), kMissing.end(), [&](std::string_view word) {
    return std::equal(field.begin(), field.end(), word.begin(), word.end(), same);
  });
}

std::string_view trimmed(std::string_view field) {
  auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!field.empty() && blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && blank(field.back())) field.remove_suffix(1);
  return field;
}

bool parse_plain(std::string_view field, double& value) {
  if (parse_short(field, value)) return true;
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  return stop == end && error == std::errc() && std::isfinite(value);
}

bool parse_spelled(std::string_view field, double& value) {
  return parse_plain(field, value) || parse_unusual(trimmed(field), value);
}

bool parse_number(std::string_view field, double& value) {
  if (parse_plain(field, value)) return true;
  field = trimmed(field);
  if (!is_missing(field)) return parse_unusual(field, value);
  value = std::numeric_limits<double>::quiet_NaN();
  return true;
}

}  // namespace bootfold::data
