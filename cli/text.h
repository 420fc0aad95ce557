// cli/text.h: numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/quantity.h"

namespace bootfold::cli {

using text::bytes;    // 41.2 MiB
using text::grouped;  // 5,000,000

/// "12 ms", "8.31 s", "3 min 20 s", "5 h 40 min", "12 days 3 h".
[[nodiscard]] inline std::string duration(double seconds) { return text::seconds(seconds); }

/// Three digits and a word: 9.81e9 -> "9.81 billion"; small numbers as they are.
[[nodiscard]] std::string scaled(double number);

/// `value` to the second significant digit of `error`, which it is known to: 0.05001883 known to
/// 3.2e-7 -> "0.05001883". All digits where the error is 0 or not a number.
[[nodiscard]] std::string rounded(double value, double error);

/// "0.05001883 +- 0.00000032", both to the same place, or both with a power of ten.
[[nodiscard]] std::string with_error(double value, double error);

/// As many words a line as fit in `width` columns; lines after the first begin with `indent`
/// blanks.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// `text` on one line and without control characters, fit for an error message.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace bootfold::cli
