// expression/parser.h: expressions of rows, and of statistics.
//
//     name       := [ NAME "=" ] expression
//     expression := conjunction { "or" conjunction }
//     conjunction:= negation { "and" negation }
//     negation   := "not" negation | comparison
//     comparison := sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum
//                       | ["not"] "in" "(" value { "," value } ")" | "is" ["not"] "missing" ]
//     sum        := product { ("+" | "-") product }
//     product    := sign { ("*" | "/" | "%") sign }
//     sign       := ("-" | "+") sign | power
//     power      := atom [ ("^" | "**") sign ]
//     atom       := NUMBER | 'text' | true | false | COLUMN | `any column`
//                 | FUNCTION "(" [ expression { "," expression } ] ")" | "(" expression ")"
//
// In a statistic, functions over all rows (aggregates) take expressions of a row: mean(log(price)).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expression/tree.h"

namespace bootfold::expression {

/// An expression of one row, such as "origin == 'JFK' and dep_delay > 0". Throws InvalidArgument
/// that points at the mistake. `what` is what messages call the text.
[[nodiscard]] Node parse_row(std::string_view text, std::string_view what);

/// The functions over all rows that a statistic may have.
struct Aggregates {
  /// Whether there is one of this name that takes so many arguments. min(a, b) is of a row.
  std::function<bool(std::string_view name, std::size_t arguments)> has;
  std::vector<std::string> names = {};  ///< for messages
  /// How the one of this name is called: "mean(COLUMN)"; empty if there is none.
  std::function<std::string(std::string_view name)> call = {};
};

/// A statistic: an expression whose columns are all inside of aggregates.
struct Formula {
  std::optional<std::string> name = std::nullopt;  ///< "gm" of "gm = exp(mean(log(price)))"
  Node root;
};
/// Throws BareWord for a column that is outside.
[[nodiscard]] Formula parse_statistic(std::string_view text, std::string_view what,
                                      const Aggregates& aggregates);

/// Whether a text has operators or parentheses, so that it may be an expression and not a name.
[[nodiscard]] bool looks_like_expression(std::string_view text) noexcept;

}  // namespace bootfold::expression
