#include "data/dialect.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quoted.h"
#include "text/separator.h"

namespace bootfold::data {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool contains(std::string_view text, char wanted) { return text.find(wanted) != text.npos; }

std::string quoted(char separator) { return text::quoted({&separator, 1}); }

// Letters, digits, signs and points are in numbers; quotes and line ends have a meaning of their
// own.
bool can_delimit(char c) {
  if (c == '\t') return true;
  if (c < ' ' || c > '~') return false;
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return !letter && !contains(kDigits, c) && !contains("\"+-.", c);
}

void check_separators(const ReadOptions& options) {
  if (options.delimiter && !can_delimit(*options.delimiter))
    throw InvalidArgument(text::concat(
        "delimiter is ", quoted(*options.delimiter), " but must be a character that is not in ",
        "numbers or quotes: comma, semicolon, tab, space, pipe or another sign"));
  if (options.decimal && !contains(".,", *options.decimal))
    throw InvalidArgument(
        text::concat("decimal is ", quoted(*options.decimal), " but must be a point or a comma"));
  if (options.delimiter && options.delimiter == options.decimal)
    throw InvalidArgument(text::concat(
        "decimal is ", quoted(*options.decimal), " and so is the delimiter, but they must differ; ",
        "files with decimal commas have another one, such as delimiter=semicolon"));
  if (!options.thousands || options.thousands == kNoSeparator) return;
  const char thousands = *options.thousands;
  if (!contains(",. '_", thousands))
    throw InvalidArgument(text::concat("thousands is ", quoted(thousands),
                                       " but must be a comma, point, space, apostrophe, ",
                                       "underscore or none"));
  if (thousands == options.decimal.value_or('.'))
    throw InvalidArgument(text::concat(
        "thousands is ", quoted(thousands), " and so is the decimal separator, but they must ",
        "differ; say decimal=", thousands == '.' ? "comma" : "point", " as well"));
}

// "1,234,567": the first group has one to three digits and no leading zero, the others have three.
// "0,123" is more likely a decimal comma.
bool in_groups(std::string_view digits, char separator) {
  std::size_t size = digits.find(separator);
  if (size == 0 || size > 3 || digits[0] == '0') return false;
  while (size < digits.size()) {
    digits.remove_prefix(size + 1);
    size = std::min(digits.find(separator), digits.size());
    if (size != 3) return false;
  }
  return true;
}

// No-break spaces, wide and narrow, become spaces in a copy.
std::string_view with_spaces(std::string_view field, std::string& scratch) {
  static constexpr std::array<std::string_view, 2> kNoBreak = {"\xC2\xA0", "\xE2\x80\xAF"};
  if (field.find_first_of("\xC2\xE2") == field.npos) return field;
  scratch = field;
  for (const std::string_view space : kNoBreak)
    for (std::size_t at = 0; (at = scratch.find(space, at)) != scratch.npos; ++at)
      scratch.replace(at, space.size(), " ");
  return scratch;
}

}  // namespace

std::span<const Spelling> known_spellings() noexcept {
  static constexpr std::array<Spelling, 8> kSpellings = {{{'.', {}},
                                                          {',', {}},
                                                          {'.', ','},
                                                          {',', '.'},
                                                          {'.', ' '},
                                                          {',', ' '},
                                                          {'.', '\''},
                                                          {',', '\''}}};
  return kSpellings;
}

std::string words_of(const Spelling& spelling, const Spelling& usual) {
  std::string words;
  if (spelling.decimal != usual.decimal)
    words = "decimal=" + std::string(spelling.decimal == ',' ? "comma" : "point");
  if (spelling.thousands && spelling.thousands != usual.thousands)
    words +=
        (words.empty() ? "" : " and ") + ("thousands=" + text::separator_name(*spelling.thousands));
  return words;
}

bool allows(const ReadOptions& options, const Spelling& spelling) noexcept {
  if (options.decimal && *options.decimal != spelling.decimal) return false;
  return !options.thousands || *options.thousands == spelling.thousands.value_or(kNoSeparator);
}

Dialect::Dialect(const ReadOptions& options) : usual_(true), missing_(options.missing) {
  check_separators(options);
  if (missing_)
    for (std::string& word : *missing_) word = std::string(trimmed(word));
  Spelling spelling{.decimal = options.decimal.value_or('.')};
  if (options.thousands != kNoSeparator) spelling.thousands = options.thousands;
  set_spelling(spelling);
}

void Dialect::set_spelling(const Spelling& spelling) {
  spelling_ = spelling;
  usual_ = spelling == Spelling{} && !missing_;
  missing_numbers_.clear();
  if (!missing_) return;
  for (const std::string& word : *missing_) {
    double number = 0;
    if (respell(word) && parse_spelled(spelled_, number) && std::isfinite(number))
      missing_numbers_.push_back(number);
  }
}

bool Dialect::is_missing(std::string_view field) const {
  if (!missing_) return data::is_missing(field);
  return field.empty() || std::find(missing_->begin(), missing_->end(), field) != missing_->end();
}

bool Dialect::parse_spelling(std::string_view field, double& value) {
  // A plain number with a point is spelled as usual: it holds no separator of thousands.
  if (spelling_.decimal != '.' || !parse_plain(field, value)) {
    field = trimmed(field);
    if (is_missing(field)) {
      value = std::numeric_limits<double>::quiet_NaN();
      return true;
    }
    if (!respell(field) || !parse_spelled(spelled_, value)) return false;
  }
  if (std::find(missing_numbers_.begin(), missing_numbers_.end(), value) != missing_numbers_.end())
    value = std::numeric_limits<double>::quiet_NaN();
  return true;
}

bool Dialect::parse_percentage(std::string_view field, double& value) {
  field = trimmed(field);
  if (field.empty() || field.back() != '%') return false;
  field = trimmed(with_spaces(field.substr(0, field.size() - 1), scratch_));
  // The power of ten in the digits, so that 12.3 % is the double nearest to 0.123.
  if (field.empty() || !contains("0123456789.,", field.back()) ||
      field.find_first_of("eE") != field.npos || !respell(field))
    return false;
  spelled_ += "e-2";
  return parse_spelled(spelled_, value);
}

// Writes the number with a decimal point and without thousands separators to spelled_. Returns
// false if a separator is where it must not be.
bool Dialect::respell(std::string_view field) {
  if (spelling_.thousands == ' ') field = with_spaces(field, spaced_);
  spelled_.clear();
  if (!field.empty() && contains("+-", field[0])) {
    spelled_ += field[0];
    field.remove_prefix(1);
  }
  const auto in_whole = [&](char c) { return contains(kDigits, c) || c == spelling_.thousands; };
  const auto end = std::find_if_not(field.begin(), field.end(), in_whole);
  const std::string_view whole = field.substr(0, static_cast<std::size_t>(end - field.begin()));
  if (spelling_.thousands && contains(whole, *spelling_.thousands) &&
      !in_groups(whole, *spelling_.thousands))
    return false;
  for (const char c : whole)
    if (c != spelling_.thousands) spelled_ += c;
  field.remove_prefix(whole.size());
  if (!field.empty() && field[0] == spelling_.decimal) {
    spelled_ += '.';
    field.remove_prefix(1);
  }
  spelled_ += field;
  return !contains(field, '.');
}

std::string Dialect::example() const {
  std::string text;
  for (const char c : std::string_view("1,234,567.89")) {
    if (c == ',')
      text += spelling_.thousands ? std::string{*spelling_.thousands} : std::string();
    else
      text += c == '.' ? spelling_.decimal : c;
  }
  return text;
}

std::string Dialect::remedy(std::string_view field, char delimiter) const {
  if (spelling_.thousands && contains(field, *spelling_.thousands) &&
      field.find_first_of(kDigits) != field.npos)
    return text::concat("; with thousands=", text::separator_name(*spelling_.thousands),
                        " numbers are written like ", example(),
                        ": groups of three digits, and no 0 at the beginning of the first");
  std::vector<std::string> found;
  for (const Spelling& other : known_spellings()) {
    if (other.decimal == delimiter || other == spelling_) continue;
    if (other.thousands && !contains(field, *other.thousands)) continue;
    ReadOptions options;
    options.decimal = other.decimal;
    options.thousands = other.thousands;
    double value = 0;
    if (Dialect(options).parse(field, value) && !std::isnan(value))
      found.push_back(words_of(other, spelling_));
  }
  if (found.empty()) return {};
  return text::concat("; with ", found[0], found.size() == 1 ? "" : " or ",
                      found.size() == 1 ? "" : found[1], " it is one");
}

}  // namespace bootfold::data
