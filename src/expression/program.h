// expression/program.h: expressions of one row, computed for many rows at a time.
//
//     const Program program(parse_row("log(price) > 2", "columns"));
//     program.run({{.numbers = prices}}, values);
//
// True is 1, false 0, and a missing or undefined value NaN. Arithmetic and comparisons with a
// missing value are missing. "and", "or", "not" and "if" follow the logic of three values (Kleene,
// as in SQL): false and missing is false. Text is compared byte by byte, and dates and times in the
// order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expression/tree.h"

namespace bootfold::expression {

/// Text in quotes that a column is compared with, and its place in the expression.
struct Literal {
  std::string text;
  std::size_t at = 0;
  std::size_t end = 0;
};

/// A column that an expression uses, and how.
struct Column {
  std::string name;
  bool as_number = false;
  bool as_text = false;
  bool in_pair = false;  ///< compared with another column, as numbers or text, whichever both are
  std::size_t at = 0;    ///< its first place in the text
  std::size_t end = 0;   ///< behind it
  std::vector<Literal> bounds = {};               ///< it is < <= > or >= than these texts
  std::optional<Literal> no_time = std::nullopt;  ///< the first text that is no ISO date or time
};

/// A comparison of two columns by == or !=.
struct Pair {
  std::uint32_t left = 0;  ///< places in Program::columns()
  std::uint32_t right = 0;
  std::size_t at = 0;
  std::size_t end = 0;
};

/// The values of a column in some rows. Only what Column says is read.
struct Input {
  std::span<const double> numbers = {};          ///< NaN: missing, or not a number
  std::span<const std::string_view> texts = {};  ///< if it is used as text
  std::span<const char> missing = {};            ///< of texts; empty if none is missing
  bool are_times = false;  ///< texts are dates or times, and compared as iso_time() writes them
  bool is_text = false;    ///< a column of text, of which texts are compared with another column
};

/// What run() computes in; one for each thread.
using Scratch = std::vector<double>;

class Program {
 public:
  /// Computes a constant 0.
  Program() = default;
  /// `root` has no aggregates.
  explicit Program(const Node& root);

  /// Each once, in the order of their first use.
  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }
  [[nodiscard]] Type type() const noexcept { return type_; }
  /// The columns that are compared with each other; both are text, or none.
  [[nodiscard]] const std::vector<Pair>& pairs() const noexcept { return pairs_; }

  /// Computes values[i] from row i of the inputs, which belong to columns().
  void run(std::span<const Input> inputs, std::span<double> values, Scratch& scratch) const;

 private:
  struct Step {
    Operation operation = Operation::number;
    bool text = false;           // compares text
    bool pair = false;           // compares columns
    std::uint32_t column = 0;    // of Operation::column, missing and comparisons of text
    std::uint32_t other = 0;     // the second column of a pair
    std::uint32_t operands = 0;  // taken from the stack
    double number = 0;
    std::vector<double> numbers = {};     // of "in"
    std::vector<std::string> texts = {};  // of "in" and comparisons
    std::vector<std::string> times = {};  // the same for a column of times
  };

  void compile(const Node& node);
  bool compile_text(const Node& node);
  bool compile_pair(const Node& node);
  void push(Step step);
  std::uint32_t column(const Node& node);
  void compute(const Step& step, std::span<const Input> inputs, std::size_t first, std::size_t rows,
               double* stack) const;

  std::vector<Column> columns_;
  std::vector<Pair> pairs_;
  std::vector<Step> steps_;
  std::size_t depth_ = 0;
  std::size_t deepest_ = 0;
  Type type_ = Type::number;
};

}  // namespace bootfold::expression
