#include "expression/parser.h"

#include <algorithm>
#include <utility>

#include "expression/functions.h"
#include "expression/marked.h"
#include "expression/other_words.h"
#include "expression/tokens.h"
#include "text/concat.h"
#include "text/nearest.h"
#include "text/quoted.h"

namespace bootfold::expression {

namespace {

constexpr int kDeepest = 100;  // parentheses, signs and "not" within each other
constexpr std::size_t kMostNodes = 1000;

bool is_keyword(const std::string& lower) {
  return lower == "and" || lower == "or" || lower == "not" || lower == "in" || lower == "is";
}

bool is_constant(const Node& node) {
  return node.operation == Operation::number || node.operation == Operation::text ||
         (node.operation == Operation::negative && is_constant(node.children[0]));
}

/// Reads from left to right: one function for each rule of the grammar.
class Parser {
 public:
  Parser(std::string_view text, std::string_view what, const Aggregates* aggregates)
      : tokens_(text, what), aggregates_(aggregates) {}

  Node whole() {
    Node node = expression();
    if (tokens_.is(Token::Kind::close)) tokens_.fail("this parenthesis closes none; remove it");
    if (tokens_.is(Token::Kind::assign)) tokens_.fail("write == for equality");
    if (!tokens_.is(Token::Kind::end)) {
      check_case(node);
      tokens_.fail("put an operator between two values, or 'and' or 'or' between two conditions");
    }
    return node;
  }

  /// "gm =", if the text begins so.
  std::optional<std::string> name() {
    if (!tokens_.is(Token::Kind::word) && !tokens_.is(Token::Kind::column)) return std::nullopt;
    const Tokens before = tokens_;
    std::string found = tokens_.current().text;
    tokens_.advance();
    if (!tokens_.is(Token::Kind::assign)) {
      tokens_ = before;
      return std::nullopt;
    }
    tokens_.advance();
    return found;
  }

  /// Throws unless the columns of a statistic are inside of aggregates, and these are not inside of
  /// each other.
  void check_aggregates(const Node& node, const Node* within = nullptr) const {
    if (node.operation == Operation::aggregate) {
      if (within != nullptr)
        fail(node,
             text::concat(node.name, "() is inside of ", within->name,
                          "(), but a function over all rows takes functions of one row only"));
      within = &node;
    } else if (within == nullptr && node.operation == Operation::column) {
      fail_bare(node);
    } else if (within == nullptr && node.operation == Operation::text) {
      fail(node, "text outside of mean(), sum() and the like has no meaning");
    }
    for (const Node& child : node.children) check_aggregates(child, within);
  }

  /// Throws if text is where a number must be, or compared with one.
  void check_types(const Node& node) const {
    for (const Node& child : node.children) check_types(child);
    if (node.operation == Operation::among) return;
    for (const Node& child : node.children) {
      if (type_of(child) != Type::text) continue;
      if (!is_comparison(node.operation))
        fail(child, "text can only be compared, with == or <, with a column");
      const Node& other = &child == &node.children[0] ? node.children[1] : node.children[0];
      if (other.operation != Operation::column)
        fail(child, other.operation == Operation::text
                        ? "no side of this comparison is a column; a column's name has no quotes, "
                          "and a name with blanks goes in backticks: `a b`"
                        : "text can only be compared with a column");
    }
  }

  [[noreturn]] void fail(const Node& node, const std::string& problem) const {
    tokens_.fail_at(node.at, node.end, problem);
  }

 private:
  using Kind = Token::Kind;

  Node make(Operation operation, std::vector<Node> children) {
    if (++nodes_ > kMostNodes)
      tokens_.fail(text::concat("the expression has more than ", kMostNodes,
                                " operations; 'in' takes a list of any length"));
    Node node{operation, children.front().at, children.back().end};
    node.children = std::move(children);
    return node;
  }

  template <class... Children>
  Node make(Operation operation, Children... children) {
    std::vector<Node> list;
    (list.push_back(std::move(children)), ...);
    return make(operation, std::move(list));
  }

  bool accept_word(std::string_view lower) {
    if (!tokens_.is_word(lower)) return false;
    tokens_.advance();
    return true;
  }

  Node expression() {
    Node node = conjunction();
    while (accept_word("or")) node = make(Operation::either, std::move(node), conjunction());
    return node;
  }

  Node conjunction() {
    Node node = negation();
    while (accept_word("and")) node = make(Operation::both, std::move(node), negation());
    return node;
  }

  /// Counts how deep the rules are within each other.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepest)
        parser_.tokens_.fail("there are too many parentheses within each other");
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  Node negation() {
    const Level level(*this);
    const std::size_t at = tokens_.current().at;
    if (!accept_word("not")) return comparison();
    Node node = make(Operation::negation, negation());
    node.at = at;
    return node;
  }

  Node comparison() {
    Node left = sum();
    if (tokens_.is(Kind::operation) && is_comparison(tokens_.current().operation)) {
      const Operation operation = tokens_.current().operation;
      tokens_.advance();
      Node node = make(operation, std::move(left), sum());
      if (tokens_.is(Kind::operation) && is_comparison(tokens_.current().operation))
        tokens_.fail("a comparison has two sides; write a < b and b < c");
      return node;
    }
    if (accept_word("is")) {
      const bool negated = accept_word("not");
      if (!tokens_.is_word("missing"))
        tokens_.fail("only 'is missing' and 'is not missing' are known");
      Node node = make(Operation::missing, std::move(left));
      node.end = tokens_.current().end;
      tokens_.advance();
      return negated ? make(Operation::negation, std::move(node)) : node;
    }
    const bool negated = tokens_.is_word("not");
    if (negated) {
      tokens_.advance();
      if (!tokens_.is_word("in"))
        tokens_.fail("write 'in' and a list behind 'not', or 'not' before the column");
    }
    if (!accept_word("in")) return left;
    Node node = list_of(std::move(left));
    return negated ? make(Operation::negation, std::move(node)) : node;
  }

  Node list_of(Node value) {
    if (!tokens_.is(Kind::open)) tokens_.fail("a list goes in parentheses: in ('a', 'b')");
    std::vector<Node> children;
    children.push_back(std::move(value));
    do {
      tokens_.advance();
      children.push_back(sign());
      if (!is_constant(children.back()))
        fail(children.back(), "a list holds numbers or text in quotes, not columns");
    } while (tokens_.is(Kind::comma));
    if (!tokens_.is(Kind::close)) tokens_.fail("the list is not closed; put , or ) here");
    const std::size_t end = tokens_.current().end;
    tokens_.advance();
    const Type type = type_of(children[1]);
    for (std::size_t i = 1; i < children.size(); ++i)
      if ((type_of(children[i]) == Type::text) != (type == Type::text))
        fail(children[i], "a list holds either numbers or text");
    if (type == Type::text && children[0].operation != Operation::column)
      fail(children[0], "only a column can be compared with text");
    nodes_ -= std::min(nodes_, children.size());  // a list may be of any length
    Node node = make(Operation::among, std::move(children));
    node.end = end;
    return node;
  }

  Node sum() {
    Node node = product();
    while (tokens_.is(Kind::operation) && (tokens_.current().operation == Operation::add ||
                                           tokens_.current().operation == Operation::subtract)) {
      const Operation operation = tokens_.current().operation;
      tokens_.advance();
      node = make(operation, std::move(node), product());
    }
    return node;
  }

  Node product() {
    Node node = sign();
    while (tokens_.is(Kind::operation) && (tokens_.current().operation == Operation::multiply ||
                                           tokens_.current().operation == Operation::divide ||
                                           tokens_.current().operation == Operation::remainder)) {
      const Operation operation = tokens_.current().operation;
      tokens_.advance();
      node = make(operation, std::move(node), sign());
    }
    return node;
  }

  Node sign() {
    const Level level(*this);
    const std::size_t at = tokens_.current().at;
    if (tokens_.is(Kind::operation) && tokens_.current().operation == Operation::add) {
      tokens_.advance();
      return sign();
    }
    if (tokens_.is(Kind::operation) && tokens_.current().operation == Operation::subtract) {
      tokens_.advance();
      Node node = sign();
      if (node.operation == Operation::number) {
        node.number = -node.number;
      } else {
        node = make(Operation::negative, std::move(node));
      }
      node.at = at;
      return node;
    }
    return power();
  }

  Node power() {
    Node node = atom();
    if (!tokens_.is(Kind::operation) || tokens_.current().operation != Operation::power)
      return node;
    tokens_.advance();
    return make(Operation::power, std::move(node), sign());
  }

  Node atom() {
    const Token token = tokens_.current();
    if (token.kind == Kind::open) {
      tokens_.advance();
      Node node = expression();
      if (!tokens_.is(Kind::close)) {
        if (tokens_.is(Kind::assign)) tokens_.fail("write == for equality");
        tokens_.fail("a parenthesis is not closed; put ) here");
      }
      tokens_.advance();
      return node;
    }
    if (token.kind == Kind::word && tokens_.followed_by('(') && !is_keyword(token.lower))
      return call();
    Node node{Operation::number, token.at, token.end};
    switch (token.kind) {
      case Kind::number:
        node.number = token.number;
        break;
      case Kind::text:
        node.operation = Operation::text;
        node.name = token.text;
        break;
      case Kind::word:
        if (token.lower == "true" || token.lower == "false") {
          node.number = token.lower == "true" ? 1 : 0;
          break;
        }
        if (is_keyword(token.lower))
          tokens_.fail(
              "a column or a value is missing before it; a column of this name goes in backticks");
        [[fallthrough]];
      case Kind::column:
        node.operation = Operation::column;
        node.name = token.text;
        break;
      case Kind::assign:
        tokens_.fail("write == for equality");
      default:
        tokens_.fail("a column or a value is missing before it");
    }
    tokens_.advance();
    return node;
  }

  /// "log(price)"
  Node call() {
    const Token token = tokens_.current();
    tokens_.advance();  // the name
    tokens_.advance();  // the parenthesis
    Node node{Operation::aggregate, token.at, token.end};
    node.name = token.lower;
    while (!tokens_.is(Kind::close)) {
      if (!node.children.empty()) {
        if (tokens_.is(Kind::assign)) tokens_.fail("write == for equality");
        if (!tokens_.is(Kind::comma)) fail_unclosed(node.children.back());
        tokens_.advance();
      }
      node.children.push_back(expression());
    }
    node.end = tokens_.current().end;
    tokens_.advance();
    const std::size_t count = node.children.size();
    if (aggregates_ != nullptr && aggregates_->has(node.name, count)) return node;
    const Function* const function = find_function(node.name);
    if (function == nullptr) fail_unknown(token);
    if (count < function->fewest || count > function->most)
      fail(node,
           text::concat(node.name, " takes ", function->fewest,
                        function->most > function->fewest ? " or more" : "",
                        function->most == 1 ? " argument" : " arguments", ", but has ", count));
    Node made = make(function->operation, std::move(node.children));
    made.at = node.at;
    made.end = node.end;
    return made;
  }

  /// A column outside of aggregates, or the name of an aggregate without its column.
  [[noreturn]] void fail_bare(const Node& node) const {
    BareWord::Reading reading{
        node.name,
        text::concat("a column has one value for each row; write which statistic of it is meant, "
                     "such as mean(",
                     canonical(node), ")"),
        aggregates_->call(node.name)};
    std::string problem =
        reading.call.empty() ? reading.as_column : BareWord::as_function(reading.call);
    throw BareWord(complaint(tokens_.what(), tokens_.text(), node.at, node.end, problem),
                   {std::string(tokens_.text()), node.at, node.end, problem}, std::move(reading));
  }

  /// "case when a > 0 then ..."
  void check_case(const Node& last) const {
    if (last.operation == Operation::column && tokens_.is_word("when"))
      fail(last, "write if(condition, a, b)");
  }

  /// What comes after an argument neither continues nor ends it: perhaps it is the rest of a name.
  [[noreturn]] void fail_unclosed(const Node& last) const {
    check_case(last);
    if (tokens_.is(Kind::word) && last.operation == Operation::column)
      tokens_.fail(text::concat("put , or ) here; a name with blanks goes in backticks: `",
                                last.name, " ", tokens_.current().text, "`"));
    tokens_.fail("the arguments are not closed; put , or ) here");
  }

  /// What to write for a word of another language, of which "np.log" has a module in front.
  [[nodiscard]] std::string meant_by(std::string_view word) const {
    if (std::string meant = other_word(word); !meant.empty()) return meant;
    const std::size_t dot = word.rfind('.');
    if (dot == word.npos) return {};
    const std::string_view rest = word.substr(dot + 1);
    const bool known = find_function(rest) != nullptr ||
                       (aggregates_ != nullptr && !aggregates_->call(rest).empty());
    return known ? std::string(rest) : other_word(rest);
  }

  [[noreturn]] void fail_unknown(const Token& token) const {
    std::vector<std::string> names;
    for (const Function& each : functions())
      if (!each.is_operator) names.emplace_back(each.name);
    if (aggregates_ != nullptr)
      names.insert(names.end(), aggregates_->names.begin(), aggregates_->names.end());
    const std::string meant = meant_by(token.lower);
    if (!meant.empty())
      tokens_.fail_at(
          token.at, token.end,
          text::concat("there is no function ", text::quoted(token.text), "; write ", meant));
    const std::string near = text::nearest(token.text, names);
    std::string list;
    if (near.empty() && aggregates_ != nullptr)
      for (const std::string& name : aggregates_->names) list += (list.empty() ? "" : ", ") + name;
    tokens_.fail_at(
        token.at, token.end,
        text::concat("there is no function ", text::quoted(token.text),
                     near.empty() ? "" : text::concat("; did you mean ", text::quoted(near), "?"),
                     !near.empty()  ? ""
                     : list.empty() ? text::concat("; functions of a row are ", list_of_functions(),
                                                   ", and statistics such as mean() are not")
                                    : text::concat("; functions of all rows are ", list,
                                                   "; those of a row are ", list_of_functions())));
  }

  Tokens tokens_;
  const Aggregates* aggregates_;
  int depth_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace

Node parse_row(std::string_view text, std::string_view what) {
  Parser parser(text, what, nullptr);
  Node node = parser.whole();
  parser.check_types(node);
  if (node.operation == Operation::text)
    parser.fail(node, "this is text, not a column or a number");
  return node;
}

Formula parse_statistic(std::string_view text, std::string_view what,
                        const Aggregates& aggregates) {
  Parser parser(text, what, &aggregates);
  Formula formula;
  formula.name = parser.name();
  formula.root = parser.whole();
  parser.check_types(formula.root);
  parser.check_aggregates(formula.root);
  bool any = false;
  for_each(formula.root,
           [&](const Node& node) { any = any || node.operation == Operation::aggregate; });
  if (!any)
    parser.fail(formula.root, "there is no function over all rows in it, such as mean(price)");
  return formula;
}

bool looks_like_expression(std::string_view text) noexcept {
  return text.find_first_of("()+-*/%^<>=`") != text.npos || text.find(" and ") != text.npos ||
         text.find(" or ") != text.npos || text.starts_with("not ") ||
         text.find(" is ") != text.npos || text.find(" in ") != text.npos;
}

}  // namespace bootfold::expression
