// data/number.h: a text field as a number.
#pragma once

#include <string_view>

namespace bootfold::data {

/// Sets `value` to the number that `field` spells, whatever the locale: surrounding blanks and a
/// leading plus sign are allowed. NaN for a missing value (empty, NA, N/A, NaN, null in any case),
/// an infinity for inf, infinity and numbers beyond the range of double; numbers too small for a
/// double are 0. Returns false for other text. (Not optional<double>: it goes through memory.)
[[nodiscard]] bool parse_number(std::string_view field, double& value);

/// The same without missing values: empty, NA, N/A and null are other text.
[[nodiscard]] bool parse_spelled(std::string_view field, double& value);

/// The same for the common case, a finite number and nothing round it; false for all else. Such a
/// field holds neither delimiters nor blanks.
[[nodiscard]] bool parse_plain(std::string_view field, double& value);

/// Whether `field`, trimmed, stands for a missing value.
[[nodiscard]] bool is_missing(std::string_view field);

/// `field` without blanks (spaces and tabs) at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view field);

}  // namespace bootfold::data
