// data/where.h: conditions on rows, such as "origin == 'JFK' and dep_delay > 0".
//
// The language is that of expression/parser.h. A row is kept only if the condition is true, and not
// if it is undefined because a value is missing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expression/program.h"

namespace bootfold::data {

/// A parsed condition.
class Where {
 public:
  /// No condition: every row is kept.
  Where() = default;
  /// Throws InvalidArgument that points at the place of the mistake.
  explicit Where(std::string_view text);

  /// Whether there is no condition.
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  /// As it was written.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// The columns, each once, in the order of their first use.
  [[nodiscard]] const std::vector<expression::Column>& columns() const noexcept {
    return program_.columns();
  }
  [[nodiscard]] const expression::Program& program() const noexcept { return program_; }
  /// Their names.
  [[nodiscard]] std::vector<std::string> names() const;

  /// For each row 1 if the condition is true, 0 if it is false, and NaN if it is undefined; inputs
  /// belong to columns().
  void run(std::span<const expression::Input> inputs, std::span<double> values,
           expression::Scratch& scratch) const {
    program_.run(inputs, values, scratch);
  }

 private:
  std::string text_;
  expression::Program program_;
};

}  // namespace bootfold::data
