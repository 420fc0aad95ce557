// cli/text.h: numbers as people read them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/quantity.h"

namespace bootfold::cli {

using text::bytes;    // 41.2 MiB
using text::grouped;  // 5,000,000

/// "12 ms", "8.31 s", "3 min 20 s", "5 h 40 min", "12 days 3 h".
[[nodiscard]] inline std::string duration(double seconds) { return text::seconds(seconds); }

/// Three digits and a word: 9.81e9 -> "9.81 billion"; small numbers as they are.
[[nodiscard]] std::string scaled(double number);

/// `value` to the second significant digit of `error`, which it is known to: 0.05001883 known to
/// 3.2e-7 -> "0.05001883". Up to ten digits where the error is 0 or not a number.
[[nodiscard]] std::string rounded(double value, double error);

/// "0.05001883 +- 0.00000032", both to the same place, or both with a power of ten.
[[nodiscard]] std::string with_error(double value, double error);

/// A number and how well it is known.
struct Measured {
  double value;
  double error;
};

/// with_error() in the notation of `other`, which is shown above it: no power of ten beside a
/// number that has none.
[[nodiscard]] std::string with_error_beside(double value, double error, const Measured& other);

/// A probability with three decimals: "0.058 +- 0.003", "<0.001".
[[nodiscard]] std::string probability(double value, double error);

/// Two digits of an error, with a power of ten or without.
[[nodiscard]] std::string error_text(double error, bool power);
/// Whether rounded() writes a number with a power of ten.
[[nodiscard]] bool has_power(const Measured& number);

/// Numbers of a table that are measured alike: estimates, their errors and limits. All have the
/// same digits behind the point, which are two significant digits of the median error, and at least
/// one of the smallest error unless this takes many more; or all have a power of ten, and four
/// digits where errors differ by more than any decimals can show. Ten digits if no error is known.
class TableNumbers {
 public:
  TableNumbers(std::span<const double> values, std::span<const double> errors);
  [[nodiscard]] std::string operator()(double value) const;

 private:
  enum class Notation { fixed, power, four_digits };
  static constexpr int kMostDigits = 14;  // a double has hardly more
  static constexpr int kMostMore = 4;     // digits that other errors take

  std::optional<int> places_ = std::nullopt;  // behind the point
  Notation notation_ = Notation::fixed;
};

/// As many words a line as fit in `width` columns; lines after the first begin with `indent`
/// blanks.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// `text` on one line and without control characters, fit for an error message.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace bootfold::cli
