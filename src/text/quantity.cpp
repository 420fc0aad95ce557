#include "text/quantity.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <sstream>

namespace bootfold::text {

namespace {

std::string three_digits(double value) {
  std::ostringstream text;
  text << std::setprecision(value >= 1000 ? 4 : 3) << value;
  return text.str();
}

}  // namespace

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string hexadecimal(std::uint64_t value) {
  std::ostringstream text;
  text << std::hex << std::setw(16) << std::setfill('0') << value;
  return text.str();
}

std::string shortest(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string bytes(double value) {
  constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return three_digits(value) + " " + kUnits[unit];
}

std::string seconds(double value) {
  if (value < 1e-3) return three_digits(value * 1e6) + " us";
  if (value < 1) return three_digits(value * 1e3) + " ms";
  if (value < 120) return three_digits(value) + " s";
  if (value < 7200) return three_digits(value / 60) + " min";
  return three_digits(value / 3600) + " h";
}

}  // namespace bootfold::text
