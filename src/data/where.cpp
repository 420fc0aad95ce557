#include "data/where.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {
namespace {

constexpr int kDeepest = 100;  // parentheses and "not" within each other
constexpr std::size_t kMostNodes = 1000;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & '\x80') != 0;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

bool is_keyword(const std::string& lower) {
  return lower == "and" || lower == "or" || lower == "not" || lower == "in" || lower == "is" ||
         lower == "missing" || lower == "true" || lower == "false";
}

template <class Value>
bool in_order(const Value& left, const Value& right, int order) {
  switch (order) {
    case 0:
      return left == right;
    case 1:
      return left != right;
    case 2:
      return left < right;
    case 3:
      return left <= right;
    case 4:
      return left > right;
    default:
      return left >= right;
  }
}

}  // namespace

/// Reads a condition from left to right: one function for each rule of the grammar.
class WhereParser {
 public:
  WhereParser(std::string_view text, Where& where) : text_(text), where_(where) { advance(); }

  void parse() {
    where_.root_ = condition();
    if (token_.kind == Token::Kind::close) fail("this parenthesis closes none; remove it");
    if (token_.kind != Token::Kind::end) fail("put 'and' or 'or' between two conditions");
  }

 private:
  using Node = Where::Node;
  using Operand = Where::Operand;

  struct Token {
    enum class Kind : char { end, open, close, comma, order, word, column, number, text };
    Kind kind = Kind::end;
    std::size_t at = 0;      // the first character
    std::size_t end = 0;     // behind the last
    std::string text = {};   // of a name or text, without quotes
    std::string lower = {};  // a word in lower case
    double number = 0;
    Where::Order order = Where::Order::equal;
  };

  [[noreturn]] void fail(const std::string& problem) const {
    const std::string place =
        token_.kind == Token::Kind::end
            ? std::string("at its end")
            : text::concat("at character ", token_.at + 1, ", ",
                           text::quoted(text_.substr(token_.at, token_.end - token_.at)));
    throw InvalidArgument(
        text::concat("where is ", text::quoted(text_), " but ", place, ": ", problem));
  }

  [[noreturn]] void fail_at(std::size_t at, std::size_t end, const std::string& problem) {
    token_ = {Token::Kind::word, at, end};
    fail(problem);
  }

  // The token behind the current one.
  void advance() {
    std::size_t at = token_.end;
    while (at < text_.size() && (text_[at] == ' ' || (text_[at] >= '\t' && text_[at] <= '\r')))
      ++at;
    token_ = {};
    token_.at = token_.end = at;
    if (at == text_.size()) return;
    const char c = text_[at];
    token_.end = at + 1;
    if (c == '(' || c == ')' || c == ',') {
      token_.kind = c == '('   ? Token::Kind::open
                    : c == ')' ? Token::Kind::close
                               : Token::Kind::comma;
    } else if (c == '\'' || c == '"' || c == '`') {
      read_quoted(c);
    } else if (is_letter(c)) {
      read_word();
    } else if (is_digit(c) || c == '.' || c == '+' || c == '-') {
      read_number();
    } else {
      read_order();
    }
  }

  void read_quoted(char quote) {
    token_.kind = quote == '`' ? Token::Kind::column : Token::Kind::text;
    std::size_t at = token_.at + 1;
    for (;; ++at) {
      if (at >= text_.size())
        fail_at(token_.at, text_.size(), "this quote is never closed; double quotes inside text");
      if (text_[at] == quote) {
        if (at + 1 >= text_.size() || text_[at + 1] != quote) break;
        ++at;
      }
      token_.text += text_[at];
    }
    token_.end = at + 1;
    if (quote == '`' && token_.text.empty()) fail("a column needs a name");
  }

  void read_word() {
    std::size_t end = token_.at;
    while (end < text_.size() &&
           (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.'))
      ++end;
    token_.kind = Token::Kind::word;
    token_.end = end;
    token_.text = text_.substr(token_.at, end - token_.at);
    token_.lower = lower_case(token_.text);
  }

  void read_number() {
    const char* first = text_.data() + token_.at;
    const char* last = text_.data() + text_.size();
    const auto [stop, error] =
        std::from_chars(*first == '+' ? first + 1 : first, last, token_.number);
    token_.end = std::max(token_.end, static_cast<std::size_t>(stop - text_.data()));
    if (error == std::errc::invalid_argument) {
      fail_at(token_.at, token_.end,
              "this is no number; a column with such a name goes in backticks: `a-b`");
    }
    if (error != std::errc() || !std::isfinite(token_.number))
      fail("this number is beyond the range of double");
    if (token_.end < text_.size() &&
        (is_letter(text_[token_.end]) || is_digit(text_[token_.end]) || text_[token_.end] == '.')) {
      while (token_.end < text_.size() && (is_letter(text_[token_.end]) ||
                                           is_digit(text_[token_.end]) || text_[token_.end] == '.'))
        ++token_.end;
      fail_at(token_.at, token_.end,
              "this is no number; text goes in quotes, and a column with such a name in backticks");
    }
    token_.kind = Token::Kind::number;
  }

  void read_order() {
    using Order = Where::Order;
    const std::string_view rest = std::string_view(text_).substr(token_.at);
    token_.kind = Token::Kind::order;
    for (const auto& [sign, order] : {std::pair<std::string_view, Order>{"==", Order::equal},
                                      {"!=", Order::unequal},
                                      {"<>", Order::unequal},
                                      {"<=", Order::less_equal},
                                      {">=", Order::greater_equal},
                                      {"<", Order::less},
                                      {">", Order::greater}})
      if (rest.starts_with(sign)) {
        token_.order = order;
        token_.end = token_.at + sign.size();
        return;
      }
    if (rest.starts_with("=")) fail("write == for equality");
    if (rest.starts_with("&")) fail("write 'and'");
    if (rest.starts_with("|")) fail("write 'or'");
    if (rest.starts_with("!")) fail("write 'not'");
    fail("this has no meaning here; a column with such a name goes in backticks: `a b`");
  }

  bool accept_word(const char* word) {
    if (token_.kind != Token::Kind::word || token_.lower != word) return false;
    advance();
    return true;
  }

  std::size_t add(Node node) {
    if (where_.nodes_.size() == kMostNodes)
      fail(text::concat("the condition has more than ", kMostNodes,
                        " comparisons; 'in' takes a list of any length"));
    where_.nodes_.push_back(std::move(node));
    return where_.nodes_.size() - 1;
  }

  std::size_t condition() {
    std::size_t node = conjunction();
    while (accept_word("or"))
      node = add({Where::Kind::either, Where::Order::equal, {}, node, conjunction()});
    return node;
  }

  std::size_t conjunction() {
    std::size_t node = negation();
    while (accept_word("and"))
      node = add({Where::Kind::both, Where::Order::equal, {}, node, negation()});
    return node;
  }

  std::size_t negation() {
    if (++depth_ > kDeepest) fail("there are too many parentheses within each other");
    std::size_t node = 0;
    if (accept_word("not")) {
      node = add({Where::Kind::negation, Where::Order::equal, {}, negation(), 0});
    } else if (token_.kind == Token::Kind::open) {
      advance();
      node = condition();
      if (token_.kind != Token::Kind::close) fail("a parenthesis is not closed; put ) here");
      advance();
    } else {
      node = test();
    }
    --depth_;
    return node;
  }

  std::size_t test() {
    const Token start = token_;
    Operand left = operand();
    const bool column = left.kind == Operand::Kind::column;
    if (column && accept_word("is")) {
      const bool negated = accept_word("not");
      if (!accept_word("missing")) fail("only 'is missing' and 'is not missing' are known");
      const std::size_t node =
          add({Where::Kind::missing, Where::Order::equal, {std::move(left)}, 0, 0});
      return negated ? add({Where::Kind::negation, Where::Order::equal, {}, node, 0}) : node;
    }
    const bool negated = column && accept_word("not");
    if (column && accept_word("in")) {
      const std::size_t node = among(std::move(left));
      return negated ? add({Where::Kind::negation, Where::Order::equal, {}, node, 0}) : node;
    }
    if (negated) fail("write 'in' and a list behind 'not', or 'not' before the column");
    if (token_.kind != Token::Kind::order)
      fail(column ? "a column needs a comparison, such as == 'JFK', > 0, in (1, 2) or is missing"
                  : "a value needs a comparison with a column, such as == or <");
    const Where::Order order = token_.order;
    advance();
    Operand right = operand();
    if (!column && right.kind != Operand::Kind::column) {
      token_ = start;
      fail(
          "no side of this comparison is a column; a column's name has no quotes, and its number "
          "or a name with blanks goes in backticks: `2`");
    }
    use(left, right);
    use(right, left);
    Node node{Where::Kind::compare, order, {}, 0, 0};
    node.operands.push_back(std::move(left));
    node.operands.push_back(std::move(right));
    return add(std::move(node));
  }

  std::size_t among(Operand column) {
    if (token_.kind != Token::Kind::open) fail("a list goes in parentheses: in ('a', 'b')");
    Node node{Where::Kind::among, Where::Order::equal, {}, 0, 0};
    node.operands.push_back(column);
    do {
      advance();
      const Token value = token_;
      node.operands.push_back(operand());
      if (node.operands.back().kind == Operand::Kind::column) {
        token_ = value;
        fail("a list holds numbers or text in quotes, not columns");
      }
      use(column, node.operands.back());
    } while (token_.kind == Token::Kind::comma);
    if (token_.kind != Token::Kind::close) fail("the list is not closed; put , or ) here");
    advance();
    return add(std::move(node));
  }

  // Notes what `column` is compared with.
  void use(const Operand& column, const Operand& other) {
    if (column.kind != Operand::Kind::column) return;
    (other.kind == Operand::Kind::text ? where_.columns_[column.column].as_text
                                       : where_.columns_[column.column].as_number) = true;
  }

  Operand operand() {
    Operand operand;
    switch (token_.kind) {
      case Token::Kind::number:
        operand.number = token_.number;
        break;
      case Token::Kind::text:
        operand.kind = Operand::Kind::text;
        operand.text = token_.text;
        break;
      case Token::Kind::word:
        if (token_.lower == "true" || token_.lower == "false") {
          operand.number = token_.lower == "true" ? 1 : 0;
          break;
        }
        if (is_keyword(token_.lower))
          fail("a column or a value is missing before it; a column of this name goes in backticks");
        [[fallthrough]];
      case Token::Kind::column:
        operand.kind = Operand::Kind::column;
        operand.column = column(token_.text);
        break;
      default:
        fail("a column or a value is missing here");
    }
    advance();
    return operand;
  }

  std::size_t column(const std::string& name) {
    auto& columns = where_.columns_;
    const auto known = std::find_if(columns.begin(), columns.end(),
                                    [&](const Where::Column& each) { return each.name == name; });
    if (known == columns.end()) return columns.push_back({name}), columns.size() - 1;
    return static_cast<std::size_t>(known - columns.begin());
  }

  std::string_view text_;
  Where& where_;
  Token token_;
  int depth_ = 0;
};

Where::Where(std::string_view text) : text_(text) { WhereParser(text_, *this).parse(); }

std::vector<std::string> Where::names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  return names;
}

bool Where::holds(std::span<const Cell> cells) const {
  return nodes_.empty() || evaluate(root_, cells) == Truth::yes;
}

Where::Truth Where::compare(const Operand& left, Order order, const Operand& right,
                            std::span<const Cell> cells) {
  for (const Operand* side : {&left, &right})
    if (side->kind == Operand::Kind::column && cells[side->column].missing) return Truth::undefined;
  const bool texts = left.kind == Operand::Kind::text || right.kind == Operand::Kind::text;
  for (const Operand* side : {&left, &right})
    if (!texts && side->kind == Operand::Kind::column && cells[side->column].not_a_number)
      throw NotANumber{side->column};
  const auto number = [&](const Operand& side) {
    return side.kind == Operand::Kind::column ? cells[side.column].number : side.number;
  };
  const auto letters = [&](const Operand& side) {
    return side.kind == Operand::Kind::column ? cells[side.column].text
                                              : std::string_view(side.text);
  };
  const bool holds = texts ? in_order(letters(left), letters(right), static_cast<int>(order))
                           : in_order(number(left), number(right), static_cast<int>(order));
  return holds ? Truth::yes : Truth::no;
}

Where::Truth Where::evaluate(std::size_t index, std::span<const Cell> cells) const {
  const Node& node = nodes_[index];
  switch (node.kind) {
    case Kind::compare:
      return compare(node.operands[0], node.order, node.operands[1], cells);
    case Kind::among:
      for (std::size_t i = 1; i < node.operands.size(); ++i)
        if (const Truth truth = compare(node.operands[0], Order::equal, node.operands[i], cells);
            truth != Truth::no)
          return truth;
      return Truth::no;
    case Kind::missing:
      return cells[node.operands[0].column].missing ? Truth::yes : Truth::no;
    case Kind::negation: {
      const Truth truth = evaluate(node.first, cells);
      if (truth == Truth::undefined) return truth;
      return truth == Truth::yes ? Truth::no : Truth::yes;
    }
    default: {
      const Truth ends = node.kind == Kind::both ? Truth::no : Truth::yes;  // whatever the other is
      const Truth first = evaluate(node.first, cells);
      if (first == ends) return first;
      const Truth second = evaluate(node.second, cells);
      if (second == ends || first != Truth::undefined) return second;
      return first;
    }
  }
}

}  // namespace bootfold::data
