#include "ensemble/encoding/calendar.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "bootfold/ensemble/encoding.h"

namespace bootfold::ensemble {

namespace {

constexpr double kSecondsOfDay = 86'400;

/// Reads a text from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  bool skip(char wanted) {
    if (rest_.empty() || rest_[0] != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// A number of exactly `digits` digits, up to `most`.
  std::optional<int> number(std::size_t digits, int most) {
    int value = 0;
    if (rest_.size() < digits) return std::nullopt;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return std::nullopt;
      value = 10 * value + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return value <= most ? std::optional(value) : std::nullopt;
  }
  /// The digits behind a decimal point.
  std::optional<double> fraction() {
    double value = 0;
    double unit = 1;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      value = 10 * value + (rest_[digits] - '0');
      unit *= 10;
    }
    rest_.remove_prefix(digits);
    return digits > 0 && digits <= 15 ? std::optional(value / unit) : std::nullopt;
  }

 private:
  std::string_view rest_;
};

/// Hours, minutes, seconds and a time zone, in seconds.
std::optional<double> time_of(Cursor& cursor) {
  const auto hour = cursor.number(2, 23);
  if (!hour || !cursor.skip(':')) return std::nullopt;
  const auto minute = cursor.number(2, 59);
  if (!minute) return std::nullopt;
  double seconds = *hour * 3600.0 + *minute * 60.0;
  if (cursor.skip(':')) {
    const auto second = cursor.number(2, 60);
    if (!second) return std::nullopt;
    seconds += *second;
    if (cursor.skip('.')) {
      const auto fraction = cursor.fraction();
      if (!fraction) return std::nullopt;
      seconds += *fraction;
    }
  }
  if (cursor.skip('Z')) return seconds;
  const bool east = cursor.skip('+');
  if (!east && !cursor.skip('-')) return seconds;
  const auto hours = cursor.number(2, 23);
  if (!hours) return std::nullopt;
  cursor.skip(':');
  const auto minutes = cursor.done() ? std::optional(0) : cursor.number(2, 59);
  if (!minutes) return std::nullopt;
  const double offset = *hours * 3600.0 + *minutes * 60.0;
  return east ? seconds - offset : seconds + offset;
}

}  // namespace

CalendarDay calendar_day(double seconds) noexcept {
  using namespace std::chrono;
  const double day = std::floor(seconds / kSecondsOfDay);
  const sys_days date{days{static_cast<int>(day)}};
  return {static_cast<unsigned>(year_month_day{date}.month()) - 1, weekday{date}.iso_encoding() - 1,
          seconds / kSecondsOfDay - day};
}

std::optional<double> parse_date(std::string_view text) {
  using namespace std::chrono;
  Cursor cursor(text);
  const auto years = cursor.number(4, 9999);
  if (!years || !cursor.skip('-')) return std::nullopt;
  const auto months = cursor.number(2, 12);
  if (!months || !cursor.skip('-')) return std::nullopt;
  const auto day_number = cursor.number(2, 31);
  if (!day_number) return std::nullopt;
  const year_month_day date{year{*years}, month{static_cast<unsigned>(*months)},
                            day{static_cast<unsigned>(*day_number)}};
  if (!date.ok()) return std::nullopt;
  const double midnight =
      static_cast<double>(sys_days{date}.time_since_epoch().count()) * kSecondsOfDay;
  if (cursor.done()) return midnight;
  if (!cursor.skip(' ') && !cursor.skip('T')) return std::nullopt;
  const std::optional<double> time = time_of(cursor);
  if (!time || !cursor.done()) return std::nullopt;
  return midnight + *time;
}

}  // namespace bootfold::ensemble
