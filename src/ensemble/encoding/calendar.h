// The calendar of dates: what networks see of them.
#pragma once

namespace bootfold::ensemble {

/// The parts of a moment that recur.
struct CalendarDay {
  unsigned month;    ///< from 0
  unsigned weekday;  ///< from 0: Monday
  double day_part;   ///< of the day that has passed, from 0 to below 1
};

/// The day of a moment in seconds since 1970, in the proleptic Gregorian calendar.
[[nodiscard]] CalendarDay calendar_day(double seconds) noexcept;

}  // namespace bootfold::ensemble
