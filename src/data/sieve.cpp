#include "data/sieve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "bootfold/error.h"
#include "data/computed.h"
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

}  // namespace

Selection select(const ColumnNames& columns, const ReadOptions& options, const Where& where,
                 const std::string& file) {
  Selection selection;
  selection.labels = find_columns(columns, options.labels, file);
  ColumnChoice chosen = choose_columns(columns, options, file, selection.labels);
  selection.numbers = std::move(chosen.numbers);
  selection.computed = std::move(chosen.computed);
  selection.texts = find_columns(columns, options.texts, file);
  selection.condition = find_inputs(columns, where.columns(), "where", where.text(), file);
  for (Computed& each : selection.computed)
    for (std::size_t& input : each.inputs) {
      selection.condition.push_back(input);
      input = selection.condition.size() - 1;
    }
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
    : file_(file), where_(where), nan_(nan), rows_before_(rows_before), rows_read_(first) {}

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
  std::vector<std::size_t> columns(where_.columns().size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  check_uses(where_.program(), columns, batch, "where", where_.text(), file_.label());
  Inputs inputs;
  inputs.read(batch);
  std::vector<double> holds(batch.rows);
  where_.run(inputs.all(), holds, scratch_);
  for (std::size_t row = 0; row < batch.rows; ++row)
    if (!(holds[row] > 0)) drop(row, Fate::filtered);
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
