// expression/tree.h: an expression, as it was written, as a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bootfold::expression {

/// What a node computes from its children.
enum class Operation : std::uint8_t {
  number,     ///< Node::number
  text,       ///< Node::name
  column,     ///< the column Node::name
  aggregate,  ///< the statistic Node::name of its children, over all rows
  // Functions of one row, one for each line of the table in functions.cpp:
  negative,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  power,
  equal,
  unequal,
  less,
  less_equal,
  greater,
  greater_equal,
  both,
  either,
  negation,
  among,  ///< whether the first child is one of the others, which are constants
  missing,
  choose,  ///< the second child where the first is true, else the third
  smallest,
  largest,
  absolute,
  exponential,
  exponential_less_one,
  logarithm,
  logarithm_of_one_more,
  logarithm_2,
  logarithm_10,
  square_root,
  round,
  round_down,
  round_up,
  sign,
};

/// Whether a node is a number, true or false, or text.
enum class Type : std::uint8_t { number, truth, text };

struct Node {
  Operation operation = Operation::number;
  std::size_t at = 0;   ///< its first character in the text
  std::size_t end = 0;  ///< behind its last
  double number = 0;
  std::string name = {};  ///< of a column or an aggregate; a text without its quotes
  std::vector<Node> children = {};
};

/// The type of what a node computes. A column is a number unless it is compared with text.
[[nodiscard]] Type type_of(const Node& node) noexcept;

[[nodiscard]] constexpr bool is_comparison(Operation operation) noexcept {
  return operation >= Operation::equal && operation <= Operation::greater_equal;
}

/// Calls act(node) for a node and then for all below it, from left to right.
template <class Act>
void for_each(const Node& node, Act&& act) {
  act(node);
  for (const Node& child : node.children) for_each(child, act);
}

/// The expression without superfluous blanks and parentheses: equal for nodes that compute the
/// same in the same way.
[[nodiscard]] std::string canonical(const Node& node);

}  // namespace bootfold::expression
