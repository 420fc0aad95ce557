// Mistakes in the texts of statistics.
#include "bootfold/mistakes.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "bootfold/error.h"
#include "expression/marked.h"
#include "expression/parser.h"
#include "expression/tokens.h"
#include "expression/tree.h"
#include "statistic/aggregates.h"

namespace bootfold::statistic {

namespace {

constexpr const char* kStatistic = "statistic";

using expression::Node;
using Operation = expression::Operation;

/// The expression of a row by which a statistic calls its column, or null.
const Node* find_row(const Node& node, const std::string& column) {
  if (node.operation == Operation::aggregate) {
    for (const Node& child : node.children)
      if ((child.operation == Operation::column ? child.name : expression::canonical(child)) ==
          column)
        return &child;
    return nullptr;
  }
  for (const Node& child : node.children)
    if (const Node* found = find_row(child, column)) return found;
  return nullptr;
}

/// The node of `row` that is at the place of characters at .. end - 1 of its own text.
const Node& node_at(const Node& row, const expression::Marked::Words& mistake) {
  if (row.operation == Operation::column) return row;
  std::size_t count = 0;
  std::optional<std::size_t> place;
  expression::for_each(expression::parse_row(mistake.text, kStatistic), [&](const Node& node) {
    if (!place && node.at == mistake.at && node.end == mistake.end) place = count;
    ++count;
  });
  const Node* found = &row;
  count = 0;
  expression::for_each(row, [&](const Node& node) {
    if (place && count == *place) found = &node;
    ++count;
  });
  return *found;
}

/// The mistake in the text of the first statistic that has this expression of a row, or this
/// column; none if no text has it.
std::optional<expression::Marked::Words> find_mistake(std::span<const std::string> texts,
                                                      const expression::Marked::Words& mistake) {
  for (const std::string& text : texts) {
    if (text.find('(') == text.npos) continue;
    const expression::Formula formula = expression::parse_statistic(text, kStatistic, aggregates());
    const Node* const row = find_row(formula.root, mistake.text);
    if (row == nullptr) continue;
    const Node& node = node_at(*row, mistake);
    return expression::Marked::Words{text, node.at, node.end, mistake.problem};
  }
  return std::nullopt;
}

/// "mean(COLUMN)" with columns that were chosen, if they are as many.
std::string with_columns(const std::string& call, const std::vector<std::string>& columns) {
  constexpr std::string_view kColumn = "COLUMN";
  std::string named = call;
  std::size_t at = 0;
  for (const std::string& column : columns) {
    at = named.find(kColumn, at);
    if (at == named.npos) return call;
    named.replace(at, kColumn.size(), column);
    at += column.size();
  }
  return named.find(kColumn, at) == named.npos ? named : call;
}

/// What is wrong with a word outside of all functions.
std::string problem_of(const expression::BareWord::Reading& word, const KnownColumns& columns) {
  const std::string as_function =
      expression::BareWord::as_function(with_columns(word.call, columns.chosen));
  if (!columns.find) return word.call.empty() ? word.as_column : as_function;
  try {
    columns.find(word.name);
  } catch (const UnknownColumn& error) {
    return word.call.empty() ? error.problem() : as_function;
  }
  return word.as_column;
}

}  // namespace

Statistic parse(std::string_view text, const KnownColumns& columns) {
  try {
    return parse(text);
  } catch (const expression::BareWord& error) {
    throw InvalidArgument(expression::complaint(kStatistic, text, error.words().at,
                                                error.words().end,
                                                problem_of(error.reading(), columns)));
  }
}

void throw_marked(std::span<const std::string> texts) {
  try {
    throw;
  } catch (const UnknownColumn& error) {
    const std::string marked = mark_column(texts, error.column(), error.problem());
    if (marked == error.problem()) throw;  // of a condition: it marks its own text
    throw InvalidArgument(marked);
  } catch (const expression::MarkedArgument& error) {
    const auto found = find_mistake(texts, error.words());
    if (!found) throw;
    throw InvalidArgument(
        expression::complaint(kStatistic, found->text, found->at, found->end, found->problem));
  } catch (const expression::MarkedError& error) {
    const auto found = find_mistake(texts, error.words());
    if (!found) throw;
    throw DataError(found->problem + expression::mark(found->text, found->at, found->end));
  }
}

std::string mark_column(std::span<const std::string> texts, const std::string& column,
                        const std::string& problem) {
  for (const std::string& text : texts) {
    if (text.find('(') == text.npos) continue;
    const expression::Formula formula = expression::parse_statistic(text, kStatistic, aggregates());
    const Node* found = nullptr;
    expression::for_each(formula.root, [&](const Node& node) {
      if (found == nullptr && node.operation == Operation::column && node.name == column)
        found = &node;
    });
    if (found != nullptr)
      return expression::complaint(kStatistic, text, found->at, found->end, problem);
  }
  return problem;
}

}  // namespace bootfold::statistic
