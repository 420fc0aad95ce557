// Columns of a table in memory that are computed from others.
#include <algorithm>
#include <utility>

#include "bootfold/computed.h"
#include "bootfold/error.h"
#include "data/computed.h"
#include "expression/parser.h"
#include "expression/tokens.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {

namespace {

constexpr std::size_t kComputedRows = 4096;

/// The columns of numbers, and behind them those of text.
class MixedTable {
 public:
  MixedTable(const DataView& numbers, std::span<const Labels> texts,
             std::span<const std::string> times)
      : numbers_(numbers), texts_(texts), times_(times) {
    for (std::size_t c = 0; c < numbers.columns(); ++c) names_.push_back(numbers.name(c));
    for (const Labels& each : texts) names_.push_back(each.column);
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool is_text(std::size_t column) const { return column >= numbers_.columns(); }
  [[nodiscard]] bool is_time(std::size_t column) const {
    return is_text(column) && std::ranges::find(times_, names_[column]) != times_.end();
  }
  [[nodiscard]] std::size_t rows() const {
    return numbers_.columns() > 0 ? numbers_.rows() : texts_[0].rows();
  }

  /// The values of an expression on all rows.
  [[nodiscard]] std::vector<double> compute(const Computed& column) const {
    const auto& uses = column.program.columns();
    const auto kind_of = [&](std::size_t from) {
      return is_time(from) ? "of dates or times" : is_text(from) ? "text" : "of numbers";
    };
    for (const expression::Pair& pair : column.program.pairs()) {
      const std::size_t left = column.inputs[pair.left];
      const std::size_t right = column.inputs[pair.right];
      if (is_text(left) != is_text(right) || is_time(left) != is_time(right))
        throw InvalidArgument(
            expression::complaint("columns", column.name, pair.at, pair.end,
                                  unlike_columns(uses[pair.left].name, kind_of(left),
                                                 uses[pair.right].name, kind_of(right))));
    }
    for (std::size_t c = 0; c < uses.size(); ++c) {
      if (is_time(column.inputs[c]) && uses[c].no_time)
        throw InvalidArgument(expression::complaint(
            "columns", column.name, uses[c].no_time->at, uses[c].no_time->end,
            text::concat("column ", text::quoted(uses[c].name),
                         " is of dates or times; compare it with '2024-01-28' or "
                         "'2024-01-28 13:05'")));
      const bool text = is_text(column.inputs[c]);
      if (text ? !uses[c].as_number : !uses[c].as_text) continue;
      throw InvalidArgument(expression::complaint(
          "columns", column.name, uses[c].at, uses[c].end,
          text::concat("column ", text::quoted(uses[c].name),
                       text ? " is text; compare it with text in quotes"
                            : " is a column of numbers; compare it with a number, without "
                              "quotes")));
    }
    std::vector<double> values(rows());
    std::vector<std::vector<double>> numbers(uses.size());
    std::vector<std::vector<std::string_view>> texts(uses.size());
    std::vector<std::vector<char>> missing(uses.size());
    expression::Scratch scratch;
    for (std::size_t first = 0; first < values.size(); first += kComputedRows) {
      const std::size_t size = std::min(kComputedRows, values.size() - first);
      std::vector<expression::Input> inputs(uses.size());
      for (std::size_t c = 0; c < uses.size(); ++c) {
        const std::size_t from = column.inputs[c];
        if (!is_text(from)) {
          numbers[c].resize(size);
          numbers_.column(from).read(first, numbers[c]);
          inputs[c].numbers = numbers[c];
          continue;
        }
        const Labels& labels = texts_[from - numbers_.columns()];
        texts[c].assign(size, {});
        missing[c].assign(size, 0);
        for (std::size_t i = 0; i < size; ++i) {
          const std::uint32_t code = labels.codes[first + i];
          if (code < labels.names.size())
            texts[c][i] = labels.names[code];
          else
            missing[c][i] = 1;
        }
        inputs[c] = {{}, texts[c], missing[c], is_time(from), true};
      }
      column.program.run(inputs, std::span(values).subspan(first, size), scratch);
    }
    return values;
  }

 private:
  const DataView& numbers_;
  std::span<const Labels> texts_;
  std::span<const std::string> times_;
  std::vector<std::string> names_;
};

}  // namespace

WithComputed::WithComputed(const DataView& table, const std::vector<std::string>& columns,
                           std::span<const Labels> texts, std::span<const std::string> times) {
  const MixedTable all(table, texts, times);
  const ColumnNames names(all.names());
  ReadOptions options;
  options.columns = columns;
  const ColumnChoice choice = choose_columns(names, options, "the table", {});
  auto values = std::make_shared<std::vector<std::vector<double>>>();
  values->reserve(choice.computed.size());
  std::vector<ColumnView> views;
  choice.visit(
      [&](std::size_t column) {
        if (all.is_text(column))
          throw InvalidArgument(
              text::concat("column ", text::quoted(names[column]),
                           " is text, which only comparisons with text in quotes can use"));
        views.push_back(table.column(column));
      },
      [&](const Computed& column) {
        values->push_back(all.compute(column));
        views.emplace_back(values->back());
      });
  view_ = DataView(std::move(views), columns);
  values_ = std::move(values);
}

std::vector<ColumnUse> columns_used(const std::vector<std::string>& columns,
                                    std::span<const std::string> existing) {
  std::vector<ColumnUse> found;
  const auto add = [&](const std::string& name, bool as_text, bool as_number,
                       const std::optional<expression::Literal>& no_time = std::nullopt) {
    auto known = std::find_if(found.begin(), found.end(),
                              [&](const ColumnUse& each) { return each.name == name; });
    if (known == found.end()) known = found.insert(found.end(), {name});
    known->as_text = known->as_text || as_text;
    known->as_number = known->as_number || as_number;
    if (no_time && !known->no_time) known->no_time = no_time->text;
  };
  for (const std::string& column : columns) {
    const bool exists = std::find(existing.begin(), existing.end(), column) != existing.end();
    if (exists || !is_expression(column)) {
      add(column, false, true);
      continue;
    }
    const expression::Program program(expression::parse_row(column, "columns"));
    for (const expression::Column& each : program.columns())
      add(each.name, each.as_text, each.as_number, each.no_time);
  }
  return found;
}

std::string mark_input(const std::vector<std::string>& columns, const std::string& input,
                       const std::string& problem) {
  for (const std::string& text : columns) {
    if (!is_expression(text)) continue;
    const expression::Program program(expression::parse_row(text, "columns"));
    for (const expression::Column& each : program.columns())
      if (each.name == input)
        return expression::complaint("columns", text, each.at, each.end, problem);
  }
  return problem;
}

}  // namespace bootfold::data
