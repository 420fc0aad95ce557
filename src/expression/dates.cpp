#include "expression/dates.h"

#include <chrono>
#include <cstddef>

namespace bootfold::expression {

namespace {

/// Takes one part of a text after the other.
class Parts {
 public:
  explicit Parts(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return text_.empty(); }
  bool skip(char letter) {
    if (text_.empty() || text_[0] != letter) return false;
    text_.remove_prefix(1);
    return true;
  }
  /// A number of so many digits, or -1.
  int number(std::size_t digits) {
    if (text_.size() < digits) return -1;
    int value = 0;
    for (const char digit : text_.substr(0, digits)) {
      if (digit < '0' || digit > '9') return -1;
      value = 10 * value + (digit - '0');
    }
    text_.remove_prefix(digits);
    return value;
  }
  [[nodiscard]] std::string_view rest() const { return text_; }
  void skip_all() { text_ = {}; }

 private:
  std::string_view text_;
};

}  // namespace

std::optional<std::string> iso_time(std::string_view text) {
  using namespace std::chrono;
  Parts parts(text);
  const int year_number = parts.number(4);
  if (year_number < 0 || !parts.skip('-')) return std::nullopt;
  const int month_number = parts.number(2);
  if (month_number < 0 || !parts.skip('-')) return std::nullopt;
  const int day_number = parts.number(2);
  if (day_number < 0) return std::nullopt;
  const year_month_day date(year{year_number}, month{static_cast<unsigned>(month_number)},
                            day{static_cast<unsigned>(day_number)});
  if (!date.ok()) return std::nullopt;
  std::string found(text.substr(0, 10));
  if (parts.at_end()) return found;
  if (!parts.skip(' ') && !parts.skip('T')) return std::nullopt;
  const std::string_view clock = parts.rest();
  const int hour = parts.number(2);
  if (hour < 0 || hour > 23 || !parts.skip(':')) return std::nullopt;
  const int minute = parts.number(2);
  if (minute < 0 || minute > 59) return std::nullopt;
  int second = 0;
  std::string_view fraction;
  if (parts.skip(':')) {
    second = parts.number(2);
    if (second < 0 || second > 59) return std::nullopt;
    if (parts.skip('.')) {
      fraction = parts.rest();
      if (fraction.empty() || fraction.find_first_not_of("0123456789") != fraction.npos)
        return std::nullopt;
      parts.skip_all();
      fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
    }
  }
  if (!parts.at_end()) return std::nullopt;
  if (hour == 0 && minute == 0 && second == 0 && fraction.empty()) return found;
  found += ' ';
  found += clock.substr(0, 5);
  found += clock.size() >= 8 ? clock.substr(5, 3) : std::string_view(":00");
  if (!fraction.empty()) found.append(1, '.').append(fraction);
  return found;
}

}  // namespace bootfold::expression
