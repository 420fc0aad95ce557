#include "data/computed.h"

#include <algorithm>
#include <utility>

#include "bootfold/error.h"
#include "data/batch.h"
#include "expression/marked.h"
#include "expression/parser.h"
#include "expression/tokens.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {

bool is_expression(const std::string& name) {
  return expression::looks_like_expression(name) &&
         name.find_first_not_of("+-.0123456789 ") != name.npos;
}

std::vector<std::size_t> find_inputs(const ColumnNames& columns,
                                     std::span<const expression::Column> wanted,
                                     std::string_view what, const std::string& text,
                                     const std::string& file) {
  std::vector<std::size_t> found;
  const auto quotes = [&](const expression::Column& column) -> std::string {  // cut == Ideal
    const std::size_t before = text.find_last_not_of(' ', column.at == 0 ? 0 : column.at - 1);
    const bool compared = column.at > 0 && before != text.npos &&
                          std::string_view("=<>").find(text[before]) != std::string_view::npos;
    return compared ? text::concat("; text goes in quotes: '", column.name, "'") : "";
  };
  for (const expression::Column& column : wanted) {
    try {
      found.push_back(find_columns(columns, {column.name}, file)[0]);
    } catch (const UnknownColumn& error) {
      throw UnknownColumn(
          expression::complaint(what, text, column.at, column.end, error.what() + quotes(column)),
          column.name, error.problem() + quotes(column));
    }
  }
  return found;
}

Computed compute_column(const ColumnNames& columns, const std::string& text,
                        const std::string& file) {
  Computed found{text};
  found.program = expression::Program(expression::parse_row(text, "columns"));
  found.inputs = find_inputs(columns, found.program.columns(), "columns", text, file);
  if (found.inputs.empty())
    throw InvalidArgument(expression::complaint(
        "columns", text, 0, text.size(),
        "there is no column in it; a name with blanks goes in backticks: `a b`"));
  return found;
}

std::string unlike_columns(const std::string& left, const char* left_kind, const std::string& right,
                           const char* right_kind) {
  return text::concat("column ", text::quoted(left), " is ", left_kind, " and column ",
                      text::quoted(right), " is ", right_kind,
                      "; columns that are compared with each other are both numbers or both text");
}

void check_uses(const expression::Program& program, std::span<const std::size_t> inputs,
                const Batch& batch, std::string_view what, const std::string& text,
                const std::string& file) {
  const std::vector<expression::Column>& columns = program.columns();
  const auto fail = [&](std::size_t at, std::size_t end, const std::string& problem) {
    const std::string message = expression::complaint(what, text, at, end, problem);
    if (what != "columns") throw InvalidArgument(message);
    throw expression::MarkedArgument(message, {text, at, end, problem});
  };
  const auto kind_of = [](const Cells& cells) {
    return cells.are_times ? "of dates or times" : cells.is_text ? "text" : "of numbers";
  };
  for (const expression::Pair& pair : program.pairs()) {
    const Cells& left = batch.condition[inputs[pair.left]];
    const Cells& right = batch.condition[inputs[pair.right]];
    if (left.is_text != right.is_text || left.are_times != right.are_times)
      fail(pair.at, pair.end,
           unlike_columns(columns[pair.left].name, kind_of(left), columns[pair.right].name,
                          kind_of(right)));
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const expression::Column& column = columns[c];
    const Cells& cells = batch.condition[inputs[c]];
    if (cells.are_times && column.no_time)
      fail(column.no_time->at, column.no_time->end,
           text::concat("column ", text::quoted(column.name), " of ", file,
                        " is of dates or times; compare it with '2024-01-28' or "
                        "'2024-01-28 13:05'"));
    if (cells.is_text ? !column.as_number : !column.as_text) continue;
    fail(column.at, column.end,
         text::concat("column ", text::quoted(column.name), " of ", file,
                      cells.is_text
                          ? " is text, which is compared with text in quotes, or by == and != with "
                            "another column of text"
                          : " is a column of numbers; compare it with a number, without quotes"));
  }
}

void Inputs::read(const Batch& batch) {
  numbers_.resize(batch.condition.size());
  inputs_.assign(batch.condition.size(), {});
  for (std::size_t c = 0; c < inputs_.size(); ++c) {
    const Cells& cells = batch.condition[c];
    if (cells.is_text) {
      inputs_[c] = {{}, cells.texts, cells.missing, cells.are_times, true};
      continue;
    }
    numbers_[c].resize(batch.rows);
    cells.numbers.read(0, numbers_[c]);
    inputs_[c].numbers = numbers_[c];
  }
}

std::vector<expression::Input> Inputs::some(std::span<const std::size_t> columns) const {
  std::vector<expression::Input> found;
  for (const std::size_t column : columns) found.push_back(inputs_[column]);
  return found;
}

void add_computed(std::span<const Computed> computed, const std::string& file, Batch& batch) {
  if (computed.empty()) return;
  struct Owner {
    std::shared_ptr<const void> before;
    std::vector<std::vector<double>> values;
  };
  auto owner = std::make_shared<Owner>(Owner{std::move(batch.owner), {}});
  Inputs inputs;
  inputs.read(batch);
  expression::Scratch scratch;
  for (const Computed& each : computed) {
    check_uses(each.program, each.inputs, batch, "columns", each.name, file);
    std::vector<double>& values = owner->values.emplace_back(batch.rows);
    each.program.run(inputs.some(each.inputs), values, scratch);
    batch.numbers.insert(batch.numbers.begin() + static_cast<std::ptrdiff_t>(each.place),
                         ColumnView(values));
  }
  batch.owner = std::move(owner);
}

}  // namespace bootfold::data
