#include "expression/functions.h"

#include <array>
#include <limits>

namespace bootfold::expression {

namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

constexpr std::array kFunctions = {
    Function{Operation::negative, "-", 1, 1, Type::number, true},
    Function{Operation::add, "+", 2, 2, Type::number, true},
    Function{Operation::subtract, "-", 2, 2, Type::number, true},
    Function{Operation::multiply, "*", 2, 2, Type::number, true},
    Function{Operation::divide, "/", 2, 2, Type::number, true},
    Function{Operation::remainder, "%", 2, 2, Type::number, true},
    Function{Operation::power, "^", 2, 2, Type::number, true},
    Function{Operation::power, "pow", 2, 2},
    Function{Operation::equal, "==", 2, 2, Type::truth, true},
    Function{Operation::unequal, "!=", 2, 2, Type::truth, true},
    Function{Operation::less, "<", 2, 2, Type::truth, true},
    Function{Operation::less_equal, "<=", 2, 2, Type::truth, true},
    Function{Operation::greater, ">", 2, 2, Type::truth, true},
    Function{Operation::greater_equal, ">=", 2, 2, Type::truth, true},
    Function{Operation::both, "and", 2, 2, Type::truth, true},
    Function{Operation::either, "or", 2, 2, Type::truth, true},
    Function{Operation::negation, "not", 1, 1, Type::truth, true},
    Function{Operation::among, "in", 2, kAny, Type::truth, true},
    Function{Operation::missing, "missing", 1, 1, Type::truth},
    Function{Operation::choose, "if", 3, 3},
    Function{Operation::smallest, "min", 2, kAny},
    Function{Operation::largest, "max", 2, kAny},
    Function{Operation::absolute, "abs"},
    Function{Operation::exponential, "exp"},
    Function{Operation::exponential_less_one, "expm1"},
    Function{Operation::logarithm, "log"},
    Function{Operation::logarithm, "ln"},
    Function{Operation::logarithm_of_one_more, "log1p"},
    Function{Operation::logarithm_2, "log2"},
    Function{Operation::logarithm_10, "log10"},
    Function{Operation::square_root, "sqrt"},
    Function{Operation::round, "round"},
    Function{Operation::round_down, "floor"},
    Function{Operation::round_up, "ceil"},
    Function{Operation::sign, "sign"},
};

}  // namespace

std::span<const Function> functions() noexcept { return kFunctions; }

const Function* find_function(std::string_view name) noexcept {
  for (const Function& each : kFunctions)
    if (!each.is_operator && each.name == name) return &each;
  return nullptr;
}

const Function* function_of(Operation operation) noexcept {
  for (const Function& each : kFunctions)
    if (each.operation == operation) return &each;
  return nullptr;
}

std::string list_of_functions() {
  std::string list;
  for (const Function& each : kFunctions)
    if (!each.is_operator) list += (list.empty() ? "" : ", ") + std::string(each.name);
  return list;
}

}  // namespace bootfold::expression
