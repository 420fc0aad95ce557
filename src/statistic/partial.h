// statistic/partial.h: operations of an expression that are not defined for all numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bootfold::statistic {

/// A value within an expression of aggregates, and what it must not be.
struct Partial {
  enum class Rule {
    aggregate,     ///< the value of an aggregate, which may be undefined itself
    not_zero,      ///< a divisor
    not_negative,  ///< of a logarithm or a square root
  };
  Rule rule = Rule::aggregate;
  std::string value;      ///< the expression of it
  std::string operation;  ///< what is undefined, in words: "a logarithm"
};

/// Those of an expression, inner ones first. Throws InvalidArgument for what is no expression.
[[nodiscard]] std::vector<Partial> partial_operations(std::string_view text);

}  // namespace bootfold::statistic
