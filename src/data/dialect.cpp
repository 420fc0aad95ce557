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
  if (!contains(".,", options.decimal))
    throw InvalidArgument(
        text::concat("decimal is ", quoted(options.decimal), " but must be a point or a comma"));
  if (options.delimiter == options.decimal)
    throw InvalidArgument(text::concat(
        "decimal is ", quoted(options.decimal), " and so is the delimiter, but they must differ; ",
        "files with decimal commas have another one, such as delimiter=semicolon"));
  if (!options.thousands) return;
  const char thousands = *options.thousands;
  if (!contains(",. '_", thousands))
    throw InvalidArgument(text::concat("thousands is ", quoted(thousands),
                                       " but must be a comma, point, space, apostrophe or ",
                                       "underscore"));
  if (thousands == options.decimal)
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

// No-break spaces, wide and narrow, become spaces.
std::string_view with_spaces(std::string_view field, std::string& scratch) {
  static constexpr std::array<std::string_view, 2> kNoBreak = {"\xC2\xA0", "\xE2\x80\xAF"};
  if (field.find_first_of("\xC2\xE2") == field.npos) return field;
  scratch = field;
  for (const std::string_view space : kNoBreak)
    for (std::size_t at = 0; (at = scratch.find(space, at)) != scratch.npos; ++at)
      scratch.replace(at, space.size(), " ");
  return scratch;
}

// Delimiters of a record outside quotes.
struct Delimiters {
  std::size_t commas = 0;
  std::size_t semicolons = 0;
  std::size_t tabs = 0;
  bool inner_tab = false;  // between other characters
};

// Counts those of the first record of `text` that is not blank, and removes it from `text`.
Delimiters count_delimiters(std::string_view& text) {
  while (!text.empty() && contains(" \r\n", text.front())) text.remove_prefix(1);
  Delimiters found;
  bool quoted = false;
  bool field_starts = true;
  bool tab_behind_text = false;
  bool has_text = false;
  std::size_t at = 0;
  for (; at < text.size() && (quoted || text[at] != '\n'); ++at) {
    const char c = text[at];
    if (c == '"' && (quoted || field_starts)) quoted = !quoted;
    if (quoted) continue;
    found.commas += c == ',' ? 1U : 0U;
    found.semicolons += c == ';' ? 1U : 0U;
    found.tabs += c == '\t' ? 1U : 0U;
    field_starts = contains(",;\t", c);
    if (c == '\t') {
      tab_behind_text = has_text;
    } else if (!contains(" \r", c)) {
      found.inner_tab = found.inner_tab || tab_behind_text;
      has_text = true;
    }
  }
  text.remove_prefix(at);
  return found;
}

}  // namespace

Dialect::Dialect(const ReadOptions& options)
    : usual_(options.decimal == '.' && !options.thousands && !options.missing),
      decimal_(options.decimal),
      thousands_(options.thousands),
      missing_(options.missing) {
  check_separators(options);
  if (!missing_) return;
  for (std::string& word : *missing_) {
    word = std::string(trimmed(word));
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
  if (decimal_ != '.' || !parse_plain(field, value)) {
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

// Writes the number with a decimal point and without thousands separators to spelled_. Returns
// false if a separator is where it must not be.
bool Dialect::respell(std::string_view field) {
  if (thousands_ == ' ') field = with_spaces(field, spaced_);
  spelled_.clear();
  if (!field.empty() && contains("+-", field[0])) {
    spelled_ += field[0];
    field.remove_prefix(1);
  }
  const auto in_whole = [&](char c) { return contains(kDigits, c) || c == thousands_; };
  const auto end = std::find_if_not(field.begin(), field.end(), in_whole);
  const std::string_view whole = field.substr(0, static_cast<std::size_t>(end - field.begin()));
  if (thousands_ && contains(whole, *thousands_) && !in_groups(whole, *thousands_)) return false;
  for (const char c : whole)
    if (c != thousands_) spelled_ += c;
  field.remove_prefix(whole.size());
  if (!field.empty() && field[0] == decimal_) {
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
      text += thousands_ ? std::string{*thousands_} : std::string();
    else
      text += c == '.' ? decimal_ : c;
  }
  return text;
}

std::string Dialect::remedy(std::string_view field, char delimiter) const {
  if (thousands_ && contains(field, *thousands_) && field.find_first_of(kDigits) != field.npos)
    return text::concat("; with thousands=", text::separator_name(*thousands_),
                        " numbers are written like ", example(),
                        ": groups of three digits, and no 0 at the beginning of the first");
  struct Other {
    char decimal;
    std::optional<char> thousands;
    const char* words;
  };
  static constexpr std::array<Other, 8> kOthers = {
      {{',', {}, "decimal=comma"},
       {'.', ',', "thousands=comma"},
       {'.', {}, "decimal=point"},
       {',', '.', "decimal=comma and thousands=point"},
       {'.', ' ', "thousands=space"},
       {',', ' ', "decimal=comma and thousands=space"},
       {'.', '\'', "thousands=apostrophe"},
       {',', '\'', "decimal=comma and thousands=apostrophe"}}};
  std::vector<const char*> found;
  for (const auto& [decimal, thousands, words] : kOthers) {
    if (decimal == delimiter || (decimal == decimal_ && thousands == thousands_)) continue;
    if (thousands && !contains(field, *thousands)) continue;
    ReadOptions options;
    options.decimal = decimal;
    options.thousands = thousands;
    double value = 0;
    if (Dialect(options).parse(field, value) && !std::isnan(value)) found.push_back(words);
  }
  if (found.empty()) return {};
  return text::concat("; with ", found[0], found.size() == 1 ? "" : " or ",
                      found.size() == 1 ? "" : found[1], " it is one");
}

char find_delimiter(std::string_view start, char decimal) {
  const char otherwise = decimal == ',' ? ';' : ',';
  const Delimiters first = count_delimiters(start);
  const Delimiters second = count_delimiters(start);
  if (first.commas > 0 && decimal != ',') return otherwise;
  if ((first.semicolons > 0) == first.inner_tab) return otherwise;
  if (first.inner_tab) return first.tabs == second.tabs ? '\t' : otherwise;
  return first.semicolons == second.semicolons ? ';' : otherwise;
}

std::optional<char> other_delimiter(std::string_view field, char delimiter, char decimal) {
  for (const char other : {';', '\t', ','})
    if (other != delimiter && other != decimal && contains(field, other)) return other;
  return std::nullopt;
}

}  // namespace bootfold::data
