// Statistics as expressions: aggregates are split from the arithmetic of their values.
#include <algorithm>
#include <charconv>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/statistic.h"
#include "expression/parser.h"
#include "expression/program.h"
#include "expression/tokens.h"
#include "statistic/aggregates.h"
#include "statistic/compose.h"
#include "statistic/named.h"
#include "statistic/partial.h"
#include "text/concat.h"

namespace bootfold::statistic {

namespace {

using expression::Node;
using expression::Operation;

constexpr const char* kWhat = "statistic";
constexpr const char* kCount = "count";

/// How many columns a named statistic takes.
std::size_t columns_of(const Entry& entry) { return entry.columns == "1" ? 1 : 2; }

bool is_aggregate(std::string_view name, std::size_t arguments) {
  if (name == kCount) return true;
  if (name == "min" || name == "max") return arguments == 1;  // of two numbers, in one row
  return find_named(name).entry != nullptr;
}

/// "quantile(COLUMN, Q)"
std::string usage_of(std::string_view name) {
  if (name == kCount) return "count(CONDITION)";
  const Named named = find_named(name);
  if (named.entry == nullptr || (named.entry->columns != "1" && named.entry->columns != "2"))
    return {};
  const bool takes_number = named.entry->required && !named.number;
  return text::concat(name, columns_of(*named.entry) == 1 ? "(COLUMN" : "(COLUMN, COLUMN",
                      takes_number ? ", " : "",
                      !takes_number      ? ""
                      : named.in_percent ? "90"
                                         : named.entry->parameter,
                      ")");
}

/// The number of rows that are drawn: the sum of ones.
Statistic count_of_rows() {
  return Statistic(kCount, 1, 1, [](std::size_t) {
    Sums sums;
    sums.filled = 1;
    sums.fill = [](const Tile& tile, std::span<double* const> features) {
      std::fill_n(features[0], tile.rows, 1.0);
    };
    sums.finish = [](const Folded& folded, std::span<double> values) { values[0] = folded.rows; };
    return Bound{{kCount}, std::move(sums)};
  });
}

/// Splits an expression into aggregates of columns, and a program of their values.
class Splitter {
 public:
  Splitter(std::string_view text, const Node& root) : text_(text) {
    find_columns(root);
    Node values = replaced(root);
    program_ = std::make_shared<const expression::Program>(values);
    is_one_aggregate_ = values.operation == Operation::column;
  }

  [[nodiscard]] Statistic statistic(std::string name, const std::string& output) {
    if (is_one_aggregate_ && terms_[0].columns.size() == columns_.size())
      return one(std::move(name), output);
    auto formula = std::make_shared<Formula>();
    formula->terms = terms_;
    // Values of aggregates are the columns of the program, in the order of their first use.
    std::vector<std::size_t> order;
    for (const expression::Column& column : program_->columns())
      order.push_back(static_cast<std::size_t>(
          std::find(names_.begin(), names_.end(), column.name) - names_.begin()));
    formula->finish = [program = program_, order](std::span<const double> values,
                                                  std::span<double> out) {
      thread_local std::vector<expression::Input> inputs;
      thread_local expression::Scratch scratch;
      inputs.clear();
      for (const std::size_t term : order) inputs.push_back({values.subspan(term, 1)});
      program->run(inputs, out, scratch);
    };
    return compose(std::move(name), output, columns_.size(), std::move(formula))
        .with_columns(columns_);
  }

 private:
  [[noreturn]] void fail(const Node& node, const std::string& problem) const {
    throw InvalidArgument(expression::complaint(kWhat, text_, node.at, node.end, problem));
  }

  /// An aggregate alone is the named statistic itself, with its formulas and exact laws.
  [[nodiscard]] Statistic one(std::string name, const std::string& output) const {
    const Statistic& inner = terms_[0].statistic;
    Statistic made(std::move(name), columns_.size(), columns_.size(),
                   [inner, output](std::size_t columns) {
                     Bound bound = inner.bind(columns);
                     bound.outputs = {output};
                     return bound;
                   });
    made = made.with_columns(columns_).with_parameters(inner.parameters());
    if (inner.standard_error() != nullptr)
      made = made.with_standard_error(inner.standard_error()->with_columns(columns_));
    if (inner.exact_law()) made = made.with_exact_law(*inner.exact_law());
    return made;
  }

  /// The columns of all aggregates, so that count() has one.
  void find_columns(const Node& node) {
    if (node.operation != Operation::aggregate) {
      for (const Node& child : node.children) find_columns(child);
      return;
    }
    for (std::size_t i = 0; i < rows_of(node); ++i) (void)column(node.children[i]);
  }

  /// How many arguments of an aggregate are expressions of a row; the others are numbers.
  [[nodiscard]] std::size_t rows_of(const Node& node) const {
    if (node.name == kCount) return node.children.size();
    const Named named = find_named(node.name);
    return std::min(columns_of(*named.entry), node.children.size());
  }

  /// Adds a column once. Its name is the expression.
  std::uint32_t column(const Node& node) {
    bool any = false;
    expression::for_each(
        node, [&](const Node& each) { any = any || each.operation == Operation::column; });
    if (!any) fail(node, "there is no column in it; a column by its number goes in backticks: `1`");
    const std::string name =
        node.operation == Operation::column ? node.name : expression::canonical(node);
    const auto known = std::find(columns_.begin(), columns_.end(), name);
    if (known != columns_.end()) return static_cast<std::uint32_t>(known - columns_.begin());
    columns_.push_back(name);
    return static_cast<std::uint32_t>(columns_.size() - 1);
  }

  /// The expression with a column for the value of each aggregate.
  Node replaced(const Node& node) {
    if (node.operation != Operation::aggregate) {
      Node copy = node;
      for (Node& child : copy.children) child = replaced(child);
      return copy;
    }
    const std::string name = expression::canonical(node);
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) {
      names_.push_back(name);
      terms_.push_back(term(node));
    }
    Node value{Operation::column, node.at, node.end};
    value.name = name;
    return value;
  }

  Formula::Term term(const Node& node) {
    if (node.name == kCount) return count(node);
    const Named named = find_named(node.name);
    const Entry& entry = *named.entry;
    if (entry.columns != "1" && entry.columns != "2")
      fail(node, text::concat(node.name, " is of ", entry.columns,
                              " columns and stands alone, by its name: its columns are named "
                              "beside it"));
    const std::size_t columns = columns_of(entry);
    const bool takes_number = !entry.parameter.empty() && !named.number;
    const std::size_t least = columns + (takes_number && entry.required ? 1 : 0);
    if (node.children.size() < least || node.children.size() > columns + (takes_number ? 1 : 0))
      fail(node, text::concat(node.name, " takes ", columns == 1 ? "a column" : "two columns",
                              !takes_number    ? ""
                              : entry.required ? " and a number"
                                               : " and may take a number",
                              ", but has ", node.children.size(),
                              node.children.size() == 1 ? " argument" : " arguments"));
    std::optional<double> number = named.number;
    if (node.children.size() > columns) {
      const Node& last = node.children.back();
      if (last.operation != Operation::number)
        fail(last, text::concat("the last argument of ", node.name, " is a number"));
      number = named.in_percent ? share_of_percent(last.number) : last.number;
    }
    Formula::Term made{make(node, entry, number), {}};
    for (std::size_t i = 0; i < columns; ++i) made.columns.push_back(column(node.children[i]));
    return made;
  }

  [[nodiscard]] Statistic make(const Node& node, const Entry& entry,
                               std::optional<double> number) const {
    try {
      return entry.make(number);
    } catch (const InvalidArgument& error) {
      fail(node, error.what());
    }
  }

  Formula::Term count(const Node& node) {
    if (node.children.empty()) {
      if (columns_.empty())
        fail(node, "count() alone is the number of rows drawn; write count(CONDITION)");
      return {count_of_rows(), {0}};
    }
    if (node.children.size() > 1) fail(node, "count takes one condition, or nothing");
    if (expression::type_of(node.children[0]) != expression::Type::truth)
      fail(
          node.children[0],
          text::concat("count takes a condition, such as count(price > 0); the rows in which there "
                       "is a value are count(not missing(",
                       expression::canonical(node.children[0]), "))"));
    return {sum(), {column(node.children[0])}};
  }

  std::string_view text_;
  std::vector<std::string> columns_;  // expressions of a row
  std::vector<std::string> names_;    // of the terms
  std::vector<Formula::Term> terms_;
  std::shared_ptr<const expression::Program> program_;
  bool is_one_aggregate_ = false;
};

/// Adds what may be undefined below a node, and then at the node itself.
void find_partial(const Node& node, std::vector<Partial>& found) {
  using Rule = Partial::Rule;
  const auto add = [&](const Node& value, Rule rule, const char* operation) {
    found.push_back({rule, expression::canonical(value), operation});
  };
  if (node.operation == Operation::aggregate) return add(node, Rule::aggregate, "");
  for (const Node& child : node.children) find_partial(child, found);
  switch (node.operation) {
    case Operation::divide:
    case Operation::remainder:
      return add(node.children[1], Rule::not_zero, "a division by 0");
    case Operation::logarithm:
    case Operation::logarithm_2:
    case Operation::logarithm_10:
      return add(node.children[0], Rule::not_negative, "the logarithm of a negative number");
    case Operation::square_root:
      return add(node.children[0], Rule::not_negative, "the square root of a negative number");
    default:
      return;
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

}  // namespace

const expression::Aggregates& aggregates() {
  static const expression::Aggregates all = [] {
    std::vector<std::string> names;
    for (const Entry& entry : entries())
      if (entry.columns == "1" || entry.columns == "2") names.push_back(entry.name);
    names.emplace_back(kCount);
    return expression::Aggregates{is_aggregate, std::move(names), usage_of};
  }();
  return all;
}

Statistic expression(std::string_view text) {
  const expression::Formula formula = expression::parse_statistic(text, kWhat, aggregates());
  Splitter splitter(text, formula.root);
  const std::string whole(trimmed(text));
  // "mean = median(x)" must not be taken for the mean.
  const bool own_name = formula.name && find_named(*formula.name).entry == nullptr;
  return splitter.statistic(whole, own_name ? *formula.name : whole);
}

std::vector<Partial> partial_operations(std::string_view text) {
  std::vector<Partial> found;
  find_partial(expression::parse_statistic(text, kWhat, aggregates()).root, found);
  return found;
}

}  // namespace bootfold::statistic
