#include "expression/tree.h"

#include <cmath>

#include "expression/functions.h"
#include "text/quantity.h"

namespace bootfold::expression {

namespace {

/// A name that needs no backticks.
bool is_plain(std::string_view name) {
  if (name.empty() || name[0] == '.' || (name[0] >= '0' && name[0] <= '9')) return false;
  std::string lower;
  for (const char c : name) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (!((c >= 'a' && c <= 'z') || capital || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
          (c & '\x80') != 0))
      return false;
    lower += capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const char* word : {"and", "or", "not", "in", "is", "true", "false"})
    if (lower == word) return false;
  return find_function(lower) == nullptr;
}

std::string in_quotes(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (const char c : text) {
    if (c == quote) quoted += c;
    quoted += c;
  }
  return quoted + quote;
}

std::string list_of(const std::vector<Node>& nodes, std::size_t first) {
  std::string list;
  for (std::size_t i = first; i < nodes.size(); ++i)
    list += (i == first ? "" : ", ") + canonical(nodes[i]);
  return "(" + list + ")";
}

/// An operand, in parentheses if it has operators of its own.
std::string operand(const Node& node) {
  const Function* const function = function_of(node.operation);
  const bool operates = function != nullptr && function->is_operator;
  const bool negative = node.operation == Operation::number && std::signbit(node.number);
  return operates || negative ? "(" + canonical(node) + ")" : canonical(node);
}

}  // namespace

Type type_of(const Node& node) noexcept {
  if (node.operation == Operation::text) return Type::text;
  if (node.operation == Operation::choose) return type_of(node.children[1]);
  const Function* const function = function_of(node.operation);
  return function == nullptr ? Type::number : function->type;
}

std::string canonical(const Node& node) {
  switch (node.operation) {
    case Operation::number:
      return text::shortest(node.number);
    case Operation::text:
      return in_quotes(node.name, '\'');
    case Operation::column:
      return is_plain(node.name) ? node.name : in_quotes(node.name, '`');
    case Operation::aggregate:
      return node.name + list_of(node.children, 0);
    case Operation::among:
      return operand(node.children[0]) + " in " + list_of(node.children, 1);
    default:
      break;
  }
  const Function& function = *function_of(node.operation);
  const std::string name(function.name);
  if (!function.is_operator) return name + list_of(node.children, 0);
  if (node.operation == Operation::negative) return name + operand(node.children[0]);
  if (node.operation == Operation::negation) return name + " " + operand(node.children[0]);
  return operand(node.children[0]) + " " + name + " " + operand(node.children[1]);
}

}  // namespace bootfold::expression
