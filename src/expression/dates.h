// expression/dates.h: dates and times as text that compares in the order of time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bootfold::expression {

/// An ISO date or time, "YYYY-MM-DD" or "YYYY-MM-DD HH:MM[:SS[.fraction]]" with a blank or a T
/// between, as columns of dates and times are read: with seconds, without zeros at the end of a
/// fraction, and midnight as the date alone. std::nullopt if the text is none.
[[nodiscard]] std::optional<std::string> iso_time(std::string_view text);

}  // namespace bootfold::expression
