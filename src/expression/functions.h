// expression/functions.h: the functions and operators of one row.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "expression/tree.h"

namespace bootfold::expression {

/// A function that is called by its name, or an operator.
struct Function {
  Operation operation;
  std::string_view name;     ///< "log", or the sign of an operator
  std::size_t fewest = 1;    ///< arguments
  std::size_t most = 1;      ///< arguments
  Type type = Type::number;  ///< of the value
  bool is_operator = false;
};

/// All of them.
[[nodiscard]] std::span<const Function> functions() noexcept;

/// The function that is called by this name, or null.
[[nodiscard]] const Function* find_function(std::string_view name) noexcept;

/// The entry of an operation; null for numbers, texts, columns and aggregates.
[[nodiscard]] const Function* function_of(Operation operation) noexcept;

/// "abs, exp, ...": the names of those that are called.
[[nodiscard]] std::string list_of_functions();

}  // namespace bootfold::expression
