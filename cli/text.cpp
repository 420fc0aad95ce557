#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace bootfold::cli {
namespace {

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)))); }

// Digits after the point at which the second significant digit of `error` stands.
int places(double error) {
  int exponent = exponent_of(error);
  if (std::abs(error) * std::pow(10, -exponent) >= 9.95) ++exponent;  // 0.0998 rounds to 0.10
  return 1 - exponent;
}

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

// Whether one of them needs a power of ten: then all are written with one.
bool any_scientific(std::span<const Measured> values) {
  return std::any_of(values.begin(), values.end(), [](const Measured& each) {
    return each.value != 0 && form_of(each.value, each.error).scientific;
  });
}

std::string write(double value, const Form& form) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
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
    return fmt::format("{:.3g}", number);
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

/// How numbers of one column of a table are written: all with a power of ten or none, and with the
/// same number of digits after the point but for those whose errors are more than about a hundred
/// times larger.
std::vector<Form> forms_alike(std::span<const Measured> values) {
  const bool scientific = any_scientific(values);
  std::vector<Form> forms;
  for (const Measured& each : values) forms.push_back(form_of(each.value, each.error, scientific));
  if (scientific) return forms;
  std::vector<Form*> known;
  for (Form& form : forms)
    if (form.all_digits == 0) known.push_back(&form);
  if (known.empty()) return forms;
  // From the finest number on, those within two digits of it have its digits.
  std::ranges::sort(known, std::ranges::greater(), [](const Form* form) { return form->places; });
  const int finest = known.front()->places;
  int places = finest;
  for (Form* const form : known) {
    if (places - form->places > 2) places = form->places;
    form->places = places;
  }
  // Numbers without an error have them too, unless they would lose something.
  for (std::size_t i = 0; i < forms.size(); ++i)
    if (const Form alike{.places = finest};
        forms[i].all_digits > 0 && values[i].error == 0 && std::isfinite(values[i].value) &&
        std::stod(write(values[i].value, alike)) == values[i].value)
      forms[i] = alike;
  return forms;
}

std::string rounded(const Measured& each, const Form& form) {
  std::string text = write(each.value, form);
  if (form.scientific) text += fmt::format("e{:+03}", form.exponent);
  return text;
}

std::string with_error(const Measured& each, const Form& form) {
  const auto& [value, error] = each;
  if (form.all_digits > 0) return fmt::format("{} +- {:.2g}", write(value, form), error);
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
  constexpr int kMost = 17;
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (error > 0 && std::isfinite(error)) {
    const Form form{.places = std::clamp(places(error), 1, kMost)};
    return fmt::format("{} +- {}", write(value, form), write(error, form));
  }
  if (value == 0 || value == 1) return fmt::format("{:g}", value);
  return fmt::format("{:.{}f}", value, std::clamp(2 - exponent_of(value), 1, kMost));
}

std::string error_beside(double error, const Measured& other) {
  if (!std::isfinite(error) || error <= 0 || form_of(other.value, other.error).scientific)
    return fmt::format("{:.2g}", error);
  return fmt::format("{:.{}f}", error, std::clamp(places(error), 0, 17));
}

std::vector<std::string> rounded_alike(std::span<const Measured> values) {
  const std::vector<Form> forms = forms_alike(values);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) texts.push_back(rounded(values[i], forms[i]));
  return texts;
}

std::vector<std::string> with_errors_alike(std::span<const Measured> values) {
  const std::vector<Form> forms = forms_alike(values);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) texts.push_back(with_error(values[i], forms[i]));
  return texts;
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
