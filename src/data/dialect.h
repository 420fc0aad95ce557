// data/dialect.h: how a text file separates fields, and how it writes numbers and missing values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/data.h"
#include "data/number.h"

namespace bootfold::data {

/// Spelling of numbers and missing values.
class Dialect {
 public:
  /// Throws InvalidArgument for separators that no file can have.
  explicit Dialect(const ReadOptions& options);

  /// Decimal points, no thousands separators and the usual words for missing values.
  [[nodiscard]] bool usual() const noexcept { return usual_; }

  /// Sets `value` to the number that `field` spells; NaN if it is missing. Returns false for other
  /// text. Numbers are those of parse_number().
  [[nodiscard]] bool parse(std::string_view field, double& value) {
    return usual_ ? parse_number(field, value) : parse_spelling(field, value);
  }

  /// Whether `field`, trimmed, stands for a missing value.
  [[nodiscard]] bool is_missing(std::string_view field) const;

  /// What may be wrong with `field`, which is no number: the end of a message that names the rule,
  /// or the dialect in which it is one. Empty if it is none in any.
  [[nodiscard]] std::string remedy(std::string_view field, char delimiter) const;

 private:
  [[nodiscard]] bool parse_spelling(std::string_view field, double& value);
  [[nodiscard]] bool respell(std::string_view field);
  [[nodiscard]] std::string example() const;

  bool usual_;
  char decimal_;
  std::optional<char> thousands_;
  std::optional<std::vector<std::string>> missing_;
  std::vector<double> missing_numbers_;
  std::string spaced_;   // a field with usual spaces
  std::string spelled_;  // a field as parse_spelled() takes it
};

/// The delimiter of a file that begins with `start`: a semicolon or a tab if the first line holds
/// only that one of the two and no comma outside quotes, and the second line as many of it;
/// otherwise a comma. If the comma is the decimal separator, a semicolon takes its place.
[[nodiscard]] char find_delimiter(std::string_view start, char decimal);

/// The semicolon or tab (or comma) in `field` that may be the delimiter in place of `delimiter`.
[[nodiscard]] std::optional<char> other_delimiter(std::string_view field, char delimiter,
                                                  char decimal);

}  // namespace bootfold::data
