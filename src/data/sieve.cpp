#include "data/sieve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {
namespace {

constexpr std::size_t kSieveTile = 1024;

bool is_floating(Type type) { return type == Type::float64 || type == Type::float32; }

// Whether the columns of a file have numbers in place of names.
std::string column_words(const std::string& name) {
  const bool number = name.find_first_not_of("0123456789") == name.npos;
  return number ? text::concat("column ", name, " (counted from 1)")
                : text::concat("column ", text::quoted(name));
}

void check_condition_types(const Where& where, const Batch& batch, const std::string& label) {
  for (std::size_t c = 0; c < batch.condition.size(); ++c) {
    const Where::Column& column = where.columns()[c];
    if (batch.condition[c].is_text && column.as_number)
      throw InvalidArgument(text::concat("where is ", text::quoted(where.text()), " but column ",
                                         text::quoted(column.name), " of ", label,
                                         " is text; put the value it is compared with in quotes"));
    if (!batch.condition[c].is_text && column.as_text)
      throw InvalidArgument(text::concat("where is ", text::quoted(where.text()), " but column ",
                                         text::quoted(column.name), " of ", label,
                                         " is a column of numbers; compare it with a number, "
                                         "without quotes"));
  }
}

}  // namespace

Selection select(const ColumnNames& columns, const ReadOptions& options, const Where& where,
                 const std::string& file) {
  Selection selection;
  selection.labels = find_columns(columns, options.labels, file);
  selection.numbers = choose_columns(columns, options, file, selection.labels);
  selection.texts = find_columns(columns, options.texts, file);
  selection.condition = find_columns(columns, where.names(), file);
  return selection;
}

std::string row_of_all(std::optional<std::uint64_t> rows_before, std::uint64_t row) {
  return rows_before ? text::concat(", row ", *rows_before + row + 1, " of all files") : "";
}

std::string no_rows_left(const std::string& label, std::uint64_t omitted, std::uint64_t filtered,
                         bool has_header) {
  if (filtered > 0 && omitted == 0)
    return text::concat(label, ": the condition is true for none of its ", filtered,
                        " rows, so none is left; check where=CONDITION");
  if (filtered > 0)
    return text::concat(label, ": each of the ", omitted,
                        " rows that fulfil the condition holds NaN in a chosen column, so none is "
                        "left");
  if (omitted > 0)
    return text::concat(label, ": each of its ", omitted,
                        " rows holds NaN in a chosen column, so none is left");
  return text::concat(label, has_header ? " has a header but no rows" : " has no rows");
}

Sieve::Sieve(const ColumnFile& file, const Where& where, NanPolicy nan,
             std::optional<std::uint64_t> rows_before, std::uint64_t first)
    : file_(file),
      where_(where),
      nan_(nan),
      rows_before_(rows_before),
      rows_read_(first),
      condition_numbers_(where.columns().size()) {}

void Sieve::look(const Batch& batch) {
  first_ = rows_read_;
  batch_rows_ = batch.rows;
  fates_.clear();
  choose(batch);
  for (std::size_t c = 0; c < batch.numbers.size(); ++c) check_numbers(batch.numbers[c], c);
  for (std::size_t c = 0; c < batch.labels.size(); ++c) check_label(batch.labels[c], c);
  rows_read_ += batch.rows;
  for (const Fate fate : fates_) {
    omitted_ += fate == Fate::incomplete ? 1 : 0;
    filtered_ += fate == Fate::filtered ? 1 : 0;
  }
}

void Sieve::drop(std::size_t row, Fate fate) {
  if (fates_.empty()) fates_.resize(batch_rows_, Fate::kept);
  fates_[row] = fate;
}

std::vector<std::uint32_t> Sieve::rows_below(Fate fate) const {
  std::vector<std::uint32_t> rows;
  rows.reserve(batch_rows_);
  for (std::uint32_t row = 0; row < batch_rows_; ++row)
    if (fates_.empty() || fates_[row] < fate) rows.push_back(row);
  return rows;
}

void Sieve::choose(const Batch& batch) {
  if (where_.empty()) return;
  check_condition_types(where_, batch, file_.label());
  for (std::size_t c = 0; c < batch.condition.size(); ++c) {
    if (batch.condition[c].is_text) continue;
    condition_numbers_[c].resize(batch.rows);
    batch.condition[c].numbers.read(0, condition_numbers_[c]);
  }
  std::vector<Where::Cell> cells(batch.condition.size());
  for (std::size_t row = 0; row < batch.rows; ++row) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const Cells& column = batch.condition[c];
      if (column.is_text) {
        cells[c].text = column.texts[row];
        cells[c].missing = !column.missing.empty() && column.missing[row] != 0;
      } else {
        cells[c].number = condition_numbers_[c][row];
        cells[c].missing = std::isnan(cells[c].number);
      }
    }
    if (!where_.holds(cells)) drop(row, Fate::filtered);
  }
}

void Sieve::check_numbers(const ColumnView& column, std::size_t number) {
  if (!is_floating(column.type())) return;
  const bool keeps_missing = file_.codes() != nullptr && file_.codes()->keeps_missing(number);
  std::array<double, kSieveTile> tile;
  for (std::size_t first = 0; first < column.rows(); first += kSieveTile) {
    const std::span<double> values(tile.data(), std::min(kSieveTile, column.rows() - first));
    column.read(first, values);
    bool finite = true;
    for (const double value : values)
      finite &= std::abs(value) <= std::numeric_limits<double>::max();
    if (finite) continue;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t row = first + i;
      if (std::isfinite(values[i]) || is_filtered(row)) continue;
      if (std::isinf(values[i]))
        fail(row, file_.names()[number], "infinite",
             "values must be finite, so store NaN for unknown values");
      if (keeps_missing) continue;
      if (nan_ == NanPolicy::error)
        fail(row, file_.names()[number], file_.missing_word(), "nan=omit leaves such rows out");
      drop(row, Fate::incomplete);
    }
  }
}

void Sieve::check_label(const Cells& cells, std::size_t number) {
  if (cells.is_text ? cells.missing.empty() : !is_floating(cells.numbers.type())) return;
  for (std::size_t row = 0; row < batch_rows_; ++row) {
    const bool missing = cells.is_text ? cells.missing[row] != 0 : std::isnan(cells.numbers[row]);
    if (!missing || is_filtered(row)) continue;
    if (nan_ == NanPolicy::error)
      fail(row, file_.label_names()[number], "missing", "nan=omit leaves such rows out");
    drop(row, Fate::incomplete);
  }
}

void Sieve::fail(std::size_t row, const std::string& column, const char* problem,
                 const char* remedy) const {
  throw DataError(text::concat(file_.label(), ": row ", first_ + row + 1,
                               row_of_all(rows_before_, first_ + row), ", ", column_words(column),
                               " is ", problem, "; ", remedy));
}

}  // namespace bootfold::data
