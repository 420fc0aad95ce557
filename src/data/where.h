// data/where.h: conditions on rows, such as "origin == 'JFK' and dep_delay > 0".
//
//     condition  := conjunction { "or" conjunction }
//     conjunction:= negation { "and" negation }
//     negation   := "not" negation | "(" condition ")" | test
//     test       := operand ("==" | "!=" | "<" | "<=" | ">" | ">=") operand
//                 | column ["not"] "in" "(" value { "," value } ")"
//                 | column "is" ["not"] "missing"
//
// A column is a name, or any text in backticks; a value is a number, true, false, or text in single
// or double quotes, in which a doubled quote stands for one. Text is compared byte by byte, numbers
// as doubles. A comparison with a missing value is undefined, and/or/not follow the logic of three
// values (Kleene, as in SQL), and a row is kept only if the condition is true.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bootfold::data {

/// A parsed condition.
class Where {
 public:
  /// A column that the condition uses, and how.
  struct Column {
    std::string name;
    bool as_number = false;
    bool as_text = false;
  };

  /// The value of a column in one row. Only what Column says is used.
  struct Cell {
    double number = 0;
    std::string_view text = {};
    bool missing = false;
    bool not_a_number = false;  ///< text that is compared with a number is an error
  };

  /// Thrown by holds(): this column had to be compared with a number.
  struct NotANumber {
    std::size_t column;
  };

  /// No condition: every row is kept.
  Where() = default;
  /// Throws InvalidArgument that points at the place of the mistake.
  explicit Where(std::string_view text);

  /// Whether there is no condition.
  [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
  /// As it was written.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// The columns, each once, in the order of their first use.
  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }
  /// Their names.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Whether a row is kept; `cells` belong to columns(). Comparisons that play no part, because the
  /// other side of "and" or "or" decides, are not made. Throws NotANumber.
  [[nodiscard]] bool holds(std::span<const Cell> cells) const;

 private:
  friend class WhereParser;

  enum class Truth : char { no, yes, undefined };
  enum class Kind : char { compare, among, missing, both, either, negation };
  enum class Order : char { equal, unequal, less, less_equal, greater, greater_equal };

  /// One side of a comparison.
  struct Operand {
    enum class Kind : char { column, number, text } kind = Kind::number;
    std::size_t column = 0;
    double number = 0;
    std::string text = {};
  };

  struct Node {
    Kind kind = Kind::compare;
    Order order = Order::equal;
    std::vector<Operand> operands = {};  // two of a comparison; column and values of "in"
    std::size_t first = 0;               // nodes below
    std::size_t second = 0;
  };

  [[nodiscard]] Truth evaluate(std::size_t node, std::span<const Cell> cells) const;
  [[nodiscard]] static Truth compare(const Operand& left, Order order, const Operand& right,
                                     std::span<const Cell> cells);

  std::string text_;
  std::vector<Column> columns_;
  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace bootfold::data
