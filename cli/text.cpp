#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace bootfold::cli {
namespace {

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)))); }

// Digits after the point at which the second significant digit of `error` stands.
int places(double error) {
  int exponent = exponent_of(error);
  if (std::abs(error) * std::pow(10, -exponent) >= 9.95) ++exponent;  // 0.0998 rounds to 0.10
  return 1 - exponent;
}

// "nan", "inf" or "-inf": the sign of a NaN means nothing.
std::string word_of(double value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }

// How a value and its error are written: fixed with so many places, or times a power of ten.
struct Form {
  int all_digits = 0;  // so many at most, where the error says nothing
  bool scientific = false;
  int exponent = 0;  // of the power of ten
  int places = 0;
};

Form form_of(double value, double error, bool scientific = false) {
  if (!std::isfinite(value) || !std::isfinite(error) || error <= 0) return {.all_digits = 10};
  const int wanted = places(error);
  const double largest = std::max(std::abs(value), error);
  const int exponent = exponent_of(largest);
  if (wanted + exponent > 14) return {.all_digits = 15};  // finer than a double
  // Up to four zeros behind the point, or none that would have to be made up before it.
  if (!scientific && exponent >= -4 && wanted >= 0) return {.places = wanted};
  if (!scientific && exponent < 7 && exponent >= 0) return {.places = 0};
  return {.scientific = true, .exponent = exponent, .places = std::max(0, wanted + exponent)};
}

std::string write(double value, const Form& form) {
  if (!std::isfinite(value)) return word_of(value);
  if (form.all_digits > 0) return fmt::format("{:.{}g}", value, form.all_digits);
  const double shown = form.scientific ? value * std::pow(10, -form.exponent) : value;
  std::string text = fmt::format("{:.{}f}", shown, form.places);
  if (text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

}  // namespace

std::string scaled(double number) {
  static constexpr std::array<const char*, 5> kWords{"", " thousand", " million", " billion",
                                                     " trillion"};
  if (!std::isfinite(number) || number >= 9.995e14 || number < 0)
    return std::isfinite(number) ? fmt::format("{:.3g}", number) : word_of(number);
  std::size_t word = 0;
  while (word + 1 < kWords.size() && number >= 999.5) {
    number /= 1000;
    ++word;
  }
  const int digits = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", number, digits);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text + kWords[word];
}

namespace {

std::string rounded(const Measured& each, const Form& form) {
  if (form.scientific && each.value == 0) return "0";
  std::string text = write(each.value, form);
  if (form.scientific) text += fmt::format("e{:+03}", form.exponent);
  return text;
}

std::string with_error(const Measured& each, const Form& form) {
  const auto& [value, error] = each;
  if (form.all_digits > 0)
    return fmt::format("{} +- {}", write(value, form),
                       std::isfinite(error) ? fmt::format("{:.2g}", error) : word_of(error));
  if (!form.scientific) return fmt::format("{} +- {}", write(value, form), write(error, form));
  return fmt::format("({} +- {})e{:+03}", write(value, form), write(error, form), form.exponent);
}

}  // namespace

std::string rounded(double value, double error) {
  return rounded(Measured{value, error}, form_of(value, error));
}

std::string with_error(double value, double error) {
  return with_error(Measured{value, error}, form_of(value, error));
}

std::string with_error_beside(double value, double error, const Measured& other) {
  const int wanted = error > 0 && std::isfinite(error) ? places(error) : 0;
  const bool scientific = form_of(other.value, other.error).scientific;
  if (scientific || wanted < 1 || wanted > 12 || !std::isfinite(value))
    return with_error(Measured{value, error}, form_of(value, error, scientific));
  const Form form{.places = wanted};
  return fmt::format("{} +- {}", write(value, form), write(error, form));
}

std::string probability(double value, double error) {
  constexpr double kLeast = 0.0005;  // rounds to 0.001
  if (!std::isfinite(value)) return word_of(value);
  if (value < kLeast) return "<0.001";
  const std::string text = fmt::format("{:.3f}", value);
  return std::isfinite(error) && error >= kLeast ? fmt::format("{} +- {:.3f}", text, error) : text;
}

bool has_power(const Measured& number) { return form_of(number.value, number.error).scientific; }

std::string error_text(double error, bool power) {
  if (!std::isfinite(error)) return word_of(error);
  if (error <= 0) return "0";
  if (power) return fmt::format("{:.1e}", error);
  return fmt::format("{:.{}f}", error, std::clamp(places(error), 0, 17));
}

TableNumbers::TableNumbers(std::span<const double> values, std::span<const double> errors) {
  std::vector<double> known;
  for (const double error : errors)
    if (std::isfinite(error) && error > 0) known.push_back(error);
  if (known.empty()) return;
  std::ranges::sort(known);
  double largest = known.back();
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const int exponent = exponent_of(largest);
  const int middle = places(known[(known.size() - 1) / 2]);
  places_ = std::clamp(places(known.front()) - 1, middle, middle + kMostMore);
  if (*places_ + exponent > kMostDigits) places_ = kMostDigits - exponent;
  if (middle - places(known.back()) > kMostMore)
    notation_ = Notation::four_digits;
  else if (exponent < -4 || (exponent > 6 && *places_ < 0))
    notation_ = Notation::power;
}

std::string TableNumbers::operator()(double value) const {
  if (!std::isfinite(value)) return word_of(value);
  if (!places_) return fmt::format("{:.10g}", value);
  if (notation_ == Notation::four_digits) return fmt::format("{:.3e}", value);
  if (notation_ == Notation::power)
    return fmt::format("{:.{}e}", value,
                       value == 0 ? 0 : std::max(0, *places_ + exponent_of(value)));
  std::string text = fmt::format("{:.{}f}", value, std::max(0, *places_));
  if (text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string lines;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!lines.empty() && column + 1 + word.size() > width) {
      lines += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!lines.empty()) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char letter : text) {
    if (letter == '\n' || letter == '\t' || letter == ' ') {
      if (!line.empty() && line.back() != ' ') line += ' ';
    } else if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) {
      line += '?';
    } else {
      line += letter;
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace bootfold::cli
