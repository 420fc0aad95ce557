// The rows of a source for which a condition is true.
#include <limits>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "data/column_source.h"
#include "data/columns.h"
#include "data/computed.h"
#include "data/where.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {

struct Filtered::State {
  std::shared_ptr<const Source> source;
  Where where;
  std::vector<std::string> names;
  std::vector<std::size_t> columns;    // of the source, in the order of names
  std::vector<std::size_t> condition;  // of the source, in the order of where.columns()
};

namespace {

class FilteredPass final : public Pass {
 public:
  explicit FilteredPass(std::shared_ptr<const Filtered::State> state)
      : state_(std::move(state)), pass_(state_->source->open()) {}

  std::optional<Chunk> next() override {
    const std::optional<Chunk> chunk = pass_->next();
    if (!chunk) return std::nullopt;
    const std::size_t rows = chunk->view.rows();
    if (rows > std::numeric_limits<std::uint32_t>::max())
      throw InvalidArgument("a chunk has more than 2^32 rows; cut the source into smaller ones");
    std::vector<std::vector<double>> numbers;
    for (const std::size_t column : state_->condition) {
      numbers.emplace_back(rows);
      chunk->view.column(column).read(0, numbers.back());
    }
    std::vector<expression::Input> inputs;
    for (const std::vector<double>& column : numbers) inputs.push_back({column});
    std::vector<double> holds(rows);
    expression::Scratch scratch;
    state_->where.run(inputs, holds, scratch);
    std::vector<std::uint32_t> kept;
    for (std::size_t row = 0; row < rows; ++row)
      if (holds[row] > 0) kept.push_back(static_cast<std::uint32_t>(row));
    std::vector<ColumnView> columns;
    for (const std::size_t column : state_->columns) columns.push_back(chunk->view.column(column));
    if (kept.size() == rows)
      return Chunk{DataView(std::move(columns), state_->names), chunk->owner};
    return copy_rows(columns, state_->names, kept);
  }

 private:
  std::shared_ptr<const Filtered::State> state_;
  std::unique_ptr<Pass> pass_;
};

}  // namespace

Filtered::Filtered(std::shared_ptr<const Source> source, const std::string& where,
                   const std::vector<std::string>& columns) {
  auto state = std::make_shared<State>();
  state->where = Where(where);
  for (const expression::Column& column : state->where.columns())
    if (column.as_text)
      throw InvalidArgument(text::concat("where is ", text::quoted(where), " but column ",
                                         text::quoted(column.name),
                                         " is a column of numbers; compare it with a number, "
                                         "without quotes"));
  const ColumnNames all(source->names());
  state->names = columns.empty() ? source->names() : columns;
  if (columns.empty())
    for (std::size_t c = 0; c < all.size(); ++c) state->columns.push_back(c);
  else
    state->columns = find_columns(all, columns, "the source");
  for (std::size_t c = 0; c < state->columns.size(); ++c) state->names[c] = all[state->columns[c]];
  state->condition = find_inputs(all, state->where.columns(), "where", where, "the source");
  state->source = std::move(source);
  state_ = std::move(state);
}

Filtered::~Filtered() = default;

const std::vector<std::string>& Filtered::names() const noexcept { return state_->names; }

std::optional<std::uint64_t> Filtered::rows() const noexcept { return std::nullopt; }

std::unique_ptr<Pass> Filtered::open() const { return std::make_unique<FilteredPass>(state_); }

}  // namespace bootfold::data
