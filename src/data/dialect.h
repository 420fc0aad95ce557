// data/dialect.h: how a text file writes numbers and missing values.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/data.h"
#include "data/number.h"

namespace bootfold::data {

/// Separators in a number.
struct Spelling {
  char decimal = '.';
  std::optional<char> thousands = std::nullopt;

  friend bool operator==(const Spelling&, const Spelling&) = default;
};

/// The spellings that are looked for in files: a decimal point alone is the first.
[[nodiscard]] std::span<const Spelling> known_spellings() noexcept;

/// "decimal=comma and thousands=point": what differs from `usual`, as options.
[[nodiscard]] std::string words_of(const Spelling& spelling, const Spelling& usual = {});

/// Whether `options` leave the spelling open, or ask for it.
[[nodiscard]] bool allows(const ReadOptions& options, const Spelling& spelling) noexcept;

/// Spelling of numbers and missing values.
class Dialect {
 public:
  /// What `options` leave open is as usual. Throws InvalidArgument for separators that no file can
  /// have.
  explicit Dialect(const ReadOptions& options);

  [[nodiscard]] const Spelling& spelling() const noexcept { return spelling_; }
  void set_spelling(const Spelling& spelling);

  /// Decimal points, no thousands separators and the usual words for missing values.
  [[nodiscard]] bool usual() const noexcept { return usual_; }

  /// Sets `value` to the number that `field` spells; NaN if it is missing. Returns false for other
  /// text. Numbers are those of parse_number().
  [[nodiscard]] bool parse(std::string_view field, double& value) {
    return usual_ ? parse_number(field, value) : parse_spelling(field, value);
  }

  /// The same for a number that a percent sign follows: 0.125 for "12.5 %". False for other text.
  [[nodiscard]] bool parse_percentage(std::string_view field, double& value);

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
  Spelling spelling_;
  std::optional<std::vector<std::string>> missing_;
  std::vector<double> missing_numbers_;
  std::string spaced_;   // a field with usual spaces
  std::string scratch_;  // the same, before a percent sign
  std::string spelled_;  // a field as parse_spelled() takes it
};

}  // namespace bootfold::data
