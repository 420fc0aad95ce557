#include "data/csv_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bootfold/error.h"
#include "data/number.h"
#include "data/shortest.h"
#include "data/sieve.h"
#include "expression/tokens.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {
namespace {

constexpr std::size_t kRowsOfRange = 2;  // fewer rows say too little about the values of a column

}  // namespace

bool CsvReader::fill(std::size_t wanted) {
  if (at_first_row_) {
    at_first_row_ = false;
    add_row(first_record_);
    first_kept_ = rows() == 1;
    for (LabelSource& label : labels_)
      label.first =
          first_kept_ ? std::string(label.text) : shortest(first_line_.number(label.field));
  }
  Record record;
  while (rows() + omitted_rows_.size() < wanted) {
    if (!records_.next(record)) return false;
    add_row(record);
  }
  return true;
}

void CsvReader::check_quotes(const Record& record, const Fields& fields) const {
  if (fields.malformed())
    fail(record, fields.index(),
         "text after a closing quote; double the quotes that belong to the field");
}

// Whether a first line of numbers was read as a row without being asked for.
bool CsvReader::may_ask() const {
  return !has_header_ && !options_.header && columns_.size() > 1 && first_line_.looks_like_header();
}

void CsvReader::widen_ranges() {
  if (!may_ask()) return;
  const std::size_t first = rows_taken_ == 0 && first_kept_ ? 1 : 0;
  for (Parsed& column : parsed_) {
    if (is_computed(column)) continue;
    const ColumnView values(column.values.bytes(), Type::float64, rows(), sizeof(double));
    for (std::size_t row = first; row < values.rows(); ++row) column.below.add(values[row]);
  }
}

// Throws if the first line, which was read as a row, looks like a header of numbers and every
// number is outside the values below it; a label must not occur below.
void CsvReader::check_first_line() const {
  const std::size_t below = first_kept_ ? 1 : 0;
  if (!may_ask() || rows_taken_ < below + kRowsOfRange) return;
  for (const LabelSource& label : labels_)
    if (label.recurs && !std::isnan(first_line_.number(label.field))) return;
  std::string evidence;
  for (const Parsed& column : parsed_) {
    if (is_computed(column)) continue;
    const double number = first_line_.number(column.field);
    if (std::isnan(number)) continue;
    if (column.below.contains(number)) return;
    if (evidence.empty())
      evidence = text::concat(", and it is ", shortest(number), " in column ", column.field + 1,
                              " where the values below are ", shortest(column.below.low), " to ",
                              shortest(column.below.high));
  }
  throw InvalidArgument(text::concat(
      label_, ":", first_line_number_, ": this line may be a header or a row: it looks like ",
      "years or column numbers", evidence, "; say which with header=yes or header=no"));
}

void CsvReader::add_row(const Record& record) {
  // A line that is a number is one field: the short way for files of one column.
  double& first = parsed_[0].value;
  if (short_rows_ && blanks_ == 0 && parse_plain(record.text, first)) {
    ++rows_read_;
    parsed_[0].values.push(first);
    return;
  }
  if (record.is_blank()) {
    if (columns_.size() > 1) return;
    // Whether this is a missing value or the end of the file, the following lines tell.
    if (blanks_++ == 0) first_blank_ = record.line;
    return;
  }
  if (blanks_ > 0) add_blanks();
  if (!cells_.empty()) read_cells(record);
  if (!where_.empty() && !fulfils(record)) {
    ++rows_read_;
    ++filtered_;
    return;
  }
  bool complete = true;
  auto column = parsed_.begin();
  Fields fields(record, delimiter_);
  while (fields.next()) {
    for (LabelSource& label : labels_)
      if (fields.index() == label.field) complete = take_label(record, fields, label) && complete;
    for (TextSource& each : texts_)
      if (fields.index() == each.field) each.texts.add(fields.text(scratch_));
    if (column == parsed_.end() || fields.index() != column->field) continue;
    column->value = column->use == FieldUse::numbers ? value_of(record, fields, *column)
                                                     : code_of(record, fields, *column);
    complete = complete && (column->keeps_missing || !std::isnan(column->value));
    ++column;
  }
  if (record.has_quotes) check_quotes(record, fields);
  if (fields.count() != columns_.size()) throw_ragged(record, fields.count());
  if (!computed_.empty()) add_computed(record, complete);
  ++rows_read_;
  if (!complete) return omit_row();
  for (Parsed& each : parsed_) each.values.push(each.value);
  for (LabelSource& label : labels_) {
    label.recurs = label.recurs || label.text == label.first;
    label.builder.add(label.text);
  }
}

// The fields that the condition and computed columns use.
void CsvReader::read_cells(const Record& record) {
  Fields fields(record, delimiter_);
  while (fields.next()) {
    for (Cell& cell : cells_) {
      if (fields.index() != cell.field) continue;
      cell.text = trimmed(fields.text(cell.scratch));
      cell.missing = cell.text.empty() || (!fields.quoted() && dialect_.is_missing(cell.text));
      cell.not_a_number = false;
      cell.number = std::numeric_limits<double>::quiet_NaN();
      if (cell.missing == 0 && cell.bound) check_bounds(record, fields, cell);
      if (cell.missing != 0 || !cell.as_number) continue;
      cell.not_a_number = !parse_as(cell.text, dialect_, cell.kind, cell.number);
      if (cell.not_a_number) cell.number = std::numeric_limits<double>::quiet_NaN();
      cell.missing = !cell.not_a_number && std::isnan(cell.number);
    }
  }
  if (record.has_quotes) check_quotes(record, fields);
  if (fields.count() != columns_.size()) throw_ragged(record, fields.count());
  show_cells();
}

// The cells as inputs of expressions.
void CsvReader::show_cells() {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const Cell& cell = cells_[c];
    inputs_[c] = {{&cell.number, 1}, {&cell.text, 1}, {&cell.missing, 1}, false, cell.is_text};
  }
}

// Throws if a number would be compared with text byte by byte: 10 is less than '9'.
void CsvReader::check_bounds(const Record& record, const Fields& fields, const Cell& cell) {
  double number = 0;
  if (!dialect_.parse(cell.text, number) || std::isnan(number)) return;
  fail_marked(
      record, cell, cell.bound->at, cell.bound->end,
      text::concat(text::quoted(cell.text), " is a number (column ", quoted_name(fields.index()),
                   "), but an expression compares it with text; compare it with a number, "
                   "without quotes"));
}

// Throws if a value is undefined because text stands where a number is used.
void CsvReader::check_numbers(const Record& record, std::span<const expression::Column> columns,
                              std::span<const std::size_t> inputs) const {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Cell& cell = cells_[inputs[c]];
    if (!(columns[c].as_number || columns[c].in_pair) || !cell.not_a_number) continue;
    fail_marked(
        record, cell, cell.place.first, cell.place.second,
        text::concat(text::quoted(cell.text), " is not a number (column ", quoted_name(cell.field),
                     "), but an expression uses it as one; text is compared with text in "
                     "quotes, or by == and != with another column of text"));
  }
}

// Whether the condition is true for the row whose cells were read.
bool CsvReader::fulfils(const Record& record) {
  double holds = 0;
  where_.run(inputs_, {&holds, 1}, expression_scratch_);
  if (std::isnan(holds)) check_numbers(record, where_.columns(), of_condition_);
  return holds > 0;
}

void CsvReader::add_computed(const Record& record, bool& complete) {
  Parsed* column = parsed_.data() + (parsed_.size() - computed_.size());
  std::vector<expression::Input> inputs;
  for (const Computed& each : computed_) {
    inputs.clear();
    for (const std::size_t input : each.inputs) inputs.push_back(inputs_[input]);
    double& value = (column++)->value;
    each.program.run(inputs, {&value, 1}, expression_scratch_);
    if (std::isfinite(value)) [[likely]]
      continue;
    check_numbers(record, each.program.columns(), each.inputs);
    const std::size_t field = cells_[each.inputs[0]].field;
    if (std::isinf(value))
      fail(record, field,
           text::concat(text::quoted(each.name), " is infinite in this row",
                        row_of_all(rows_before_, rows_read_),
                        "; values must be finite, so leave such rows out with where=CONDITION"));
    if (options_.nan == NanPolicy::error)
      fail(record, field,
           text::concat(text::quoted(each.name), " is missing or undefined in this row",
                        row_of_all(rows_before_, rows_read_), "; nan=omit leaves such rows out"));
    complete = false;
  }
}

// Returns false if the label is missing and its row to be left out.
bool CsvReader::take_label(const Record& record, const Fields& fields, LabelSource& label) const {
  label.text = trimmed(fields.text(label.scratch));
  if (!label.text.empty() && (fields.quoted() || !dialect_.is_missing(label.text))) return true;
  if (options_.nan == NanPolicy::error)
    fail(record, fields.index(),
         text::concat("missing label (column ", quoted_name(fields.index()),
                      row_of_all(rows_before_, rows_read_), "); nan=omit leaves such rows out",
                      label.text.empty() ? "" : ", quotes make it a label"));
  return false;
}

// Blank lines of a file with one column are rows without a value.
void CsvReader::add_blanks() {
  bool kept = true;
  if (!cells_.empty()) {
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      cells_[c].number = std::numeric_limits<double>::quiet_NaN();
      cells_[c].text = {};
      cells_[c].missing = 1;
      cells_[c].not_a_number = false;
    }
    show_cells();
    if (!where_.empty()) kept = fulfils({{}, first_blank_, false});
  }
  if (kept && options_.nan == NanPolicy::error) fail_missing({{}, first_blank_, false}, 0);
  for (; blanks_ > 0; --blanks_) {
    ++rows_read_;
    if (!kept) {
      ++filtered_;
      continue;
    }
    omit_row();
    for (TextSource& each : texts_) each.texts.add({});
  }
}

void CsvReader::omit_row() {
  if (list_omitted_) omitted_rows_.push_back(rows() + omitted_rows_.size());
  ++omitted_;
}

// The value of a chosen field; NaN only if rows with NaN are to be left out.
double CsvReader::value_of(const Record& record, const Fields& fields, Parsed& column) {
  const std::string_view text = fields.text(scratch_);
  double value = 0;
  if (!parse_as(text, dialect_, column.kind, value)) fail_text(record, column, text);
  if (std::isfinite(value)) [[likely]]
    return value;
  if (std::isinf(value))
    fail(record, fields.index(),
         text::concat(text::quoted(trimmed(text)), " is infinite (column ",
                      quoted_name(fields.index()), row_of_all(rows_before_, rows_read_),
                      "); values must be finite, write NA if it is unknown"));
  if (options_.nan == NanPolicy::error && !column.keeps_missing)
    fail_missing(record, fields.index());
  return value;
}

// The value of a field of a column that may have text.
double CsvReader::code_of(const Record& record, const Fields& fields, Parsed& column) {
  const std::string_view text = trimmed(fields.text(scratch_));
  double value = 0;
  const bool is_number = parse_as(text, dialect_, column.kind, value);
  const bool is_missing = is_number && std::isnan(value);
  if (is_missing && (text.empty() || !fields.quoted())) {
    if (options_.nan == NanPolicy::error && !column.keeps_missing)
      fail_missing(record, fields.index());
    return value;
  }
  const bool is_word = !is_number || is_missing || parse_truth(text).has_value();
  if (!is_word && column.use != FieldUse::all) return value_of(record, fields, column);
  try {
    return options_.codes->code(column.column, text,
                                is_number && !is_missing ? std::optional(value) : std::nullopt);
  } catch (const InvalidArgument& error) {
    fail(record, fields.index(), text::concat(error.what(), row_of_all(rows_before_, rows_read_)));
  }
}

void CsvReader::set_codes() {
  if (options_.codes == nullptr) return;
  options_.codes->start(names());
  for (Parsed& column : parsed_) {
    const auto at = std::find(chosen_.begin(), chosen_.end(), column.field);
    column.column = static_cast<std::size_t>(at - chosen_.begin());
    column.use = options_.codes->use(column.column);
    column.keeps_missing = options_.codes->keeps_missing(column.column);
  }
}

std::string CsvReader::quoted_name(std::size_t field) const {
  return text::quoted(field < columns_.size() ? columns_[field]
                                              : computed_[field - columns_.size()].name);
}

std::vector<std::string> CsvReader::names() const {
  std::vector<std::string> names;
  for (const std::size_t field : chosen_)
    names.push_back(field < columns_.size() ? columns_[field]
                                            : computed_[field - columns_.size()].name);
  return names;
}

std::vector<Buffer> CsvReader::take_buffers() {
  widen_ranges();
  rows_taken_ += rows();
  std::vector<Buffer> buffers;
  for (Parsed& column : parsed_) {
    column.values.shrink();
    buffers.push_back(std::exchange(column.values, Buffer()));
  }
  return buffers;
}

DataView CsvReader::view_of(const std::vector<Buffer>& buffers, std::size_t count) const {
  std::vector<ColumnView> views;
  for (const std::size_t field : chosen_) {
    const auto column = std::find_if(parsed_.begin(), parsed_.end(),
                                     [&](const Parsed& each) { return each.field == field; });
    const Buffer& values = buffers[static_cast<std::size_t>(column - parsed_.begin())];
    views.emplace_back(values.bytes(), Type::float64, count, sizeof(double));
  }
  return {std::move(views), names()};
}

Chunk CsvReader::take() {
  const std::size_t count = rows();
  auto buffers = std::make_shared<std::vector<Buffer>>(take_buffers());
  DataView view = view_of(*buffers, count);
  return {std::move(view), std::move(buffers)};
}

void CsvReader::check_any_rows() const {
  if (rows_taken_ == 0 && !rows_before_ && !may_be_empty_)
    throw DataError(no_rows_left(label_, omitted_, filtered_, has_header_));
}

Table CsvReader::take_table() {
  const std::size_t count = rows();
  std::vector<Labels> labels;
  for (LabelSource& label : labels_) labels.push_back(label.builder.finish());
  auto storage = std::make_shared<Storage>();
  storage->buffers = take_buffers();
  DataView view = view_of(storage->buffers, count);
  std::vector<Texts> texts;
  for (TextSource& each : texts_)
    texts.push_back(std::exchange(each.texts, Texts(columns_[each.field])));
  const std::uint64_t filtered = filtered_ - std::exchange(filtered_taken_, filtered_);
  return TableParts{names(),
                    std::move(view),
                    std::exchange(omitted_rows_, {}),
                    std::move(storage),
                    parsed_.size() * count * sizeof(double),
                    std::move(labels),
                    std::move(texts),
                    note(),
                    static_cast<std::size_t>(filtered)}
      .table();
}

}  // namespace bootfold::data
