#include "data/csv_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bootfold/error.h"
#include "data/number.h"
#include "data/shortest.h"
#include "data/sieve.h"
#include "text/concat.h"
#include "text/quoted.h"
#include "text/separator.h"

namespace bootfold::data {
namespace {

constexpr std::size_t kMostColumns = std::size_t{1} << 20;
constexpr std::size_t kRowsOfRange = 2;  // fewer rows say too little about the values of a column

bool is_blank(const Record& record) {
  return record.text.find_first_not_of(' ') == std::string_view::npos;
}

}  // namespace

CsvReader::CsvReader(const std::string& path, std::optional<char> usual, const ReadOptions& options,
                     const Where& where, std::optional<std::uint64_t> rows_before)
    : label_(path == "-" ? "standard input" : path),
      options_(options),
      where_(where),
      rows_before_(rows_before),
      dialect_(options),
      records_(path, label_) {
  if (options.delimiter) usual = options.delimiter;
  delimiter_ = usual ? *usual : find_delimiter(records_.start(), options.decimal);
  records_.set_delimiter(delimiter_);
  do {
    if (!records_.next(first_record_)) throw DataError(text::concat(label_, " is empty"));
  } while (is_blank(first_record_));
  start(first_record_);
  at_first_row_ = !has_header_;
}

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

void CsvReader::fail(const Record& record, std::size_t field, const std::string& message) const {
  throw DataError(text::concat(label_, ":", record.line, ":", field + 1, ": ", message));
}

void CsvReader::check_quotes(const Record& record, const Fields& fields) const {
  if (fields.malformed())
    fail(record, fields.index(),
         "text after a closing quote; double the quotes that belong to the field");
}

// Looks at the first record: is it a header, how many columns are there, which are meant?
void CsvReader::start(const Record& record) {
  std::vector<std::string> names;
  Fields fields(record, delimiter_);
  while (fields.next()) {
    check_quotes(record, fields);
    if (names.size() == kMostColumns)
      throw DataError(text::concat(label_, " has more than ", kMostColumns,
                                   " columns; store a table this wide as .npy"));
    const std::string_view name = trimmed(fields.text(scratch_));
    first_line_.add(name, dialect_);
    names.push_back(name.empty() ? std::to_string(names.size() + 1) : std::string(name));
  }
  first_line_number_ = record.line;
  has_header_ = options_.header.value_or(first_line_.has_text());
  check_names_of(names, record);
  columns_ = has_header_ ? ColumnNames(std::move(names)) : ColumnNames(names.size());
  std::vector<std::size_t> labels;
  if (!options_.labels.empty()) labels = find_columns(columns_, options_.labels, label_);
  chosen_ = choose_columns(columns_, options_, label_, labels);
  const std::vector<std::size_t> texts = find_columns(columns_, options_.texts, label_);
  condition_ = find_columns(columns_, where_.names(), label_);
  cells_.resize(condition_.size());
  cell_scratch_.resize(condition_.size());
  if (labels.size() + texts.size() + condition_.size() > 0 && has_header_ && !options_.header)
    check_header(record);
  for (const std::size_t field : labels) labels_.push_back({field, LabelBuilder(columns_[field])});
  for (const std::size_t field : texts) texts_.push_back({field, Texts(columns_[field])});
  std::vector<std::size_t> needed = chosen_;
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  for (const std::size_t field : needed) parsed_.push_back({field});
  short_rows_ = columns_.size() == 1 && labels_.empty() && texts_.empty() && where_.empty() &&
                dialect_.usual();
}

void CsvReader::check_names_of(const std::vector<std::string>& names, const Record& record) const {
  if (!has_header_ && !options_.header) check_no_names(names);
  if (has_header_ && names.size() == 1 && !record.has_quotes) check_one_column(names[0]);
  if (has_header_ && !options_.header && !record.has_quotes) check_semicolons(names);
}

// "1,5;2,5": a row of a file with decimal commas and without a header, not names of columns.
void CsvReader::check_semicolons(const std::vector<std::string>& names) const {
  if (options_.decimal != '.' || options_.delimiter || delimiter_ != ',') return;
  bool semicolon = false;
  for (const std::string& name : names) {
    if (name.find_first_not_of("0123456789+-.; ") != name.npos) return;
    semicolon = semicolon || name.find(';') != name.npos;
  }
  if (!semicolon) return;
  throw InvalidArgument(
      text::concat(label_, ":", first_line_number_,
                   ": this line looks like numbers between semicolons, with decimal commas: say "
                   "decimal=comma; if commas are between the fields, say header=yes or header=no"));
}

// "a,b" above 1,2 with a decimal comma: one column, or two of a file that has no decimal commas.
void CsvReader::check_one_column(const std::string& name) const {
  if (options_.decimal != ',' || options_.delimiter || delimiter_ == '\t') return;
  if (name.find(',') == name.npos) return;
  throw InvalidArgument(text::concat(
      label_, ":", first_line_number_, ": ", text::quoted(name), " may be one name or several: ",
      "with decimal=comma no comma separates fields; say delimiter=semicolon if it is one name, ",
      "or leave decimal out"));
}

std::vector<const std::vector<std::string>*> CsvReader::wanted_names() const {
  return {&options_.columns, &options_.labels, &options_.texts};
}

// Text in the first line may be a label or a text of the first row. It is a header if a column
// was asked for by a name in it (not by a number, which a value may equal) or if one that must
// hold numbers does not.
void CsvReader::check_header(const Record& record) {
  const std::vector<std::string>& names = columns_.names();
  const std::vector<std::string> of_condition = where_.names();
  double number = 0;
  std::vector<const std::vector<std::string>*> all = wanted_names();
  all.push_back(&of_condition);
  for (const auto* wanted : all)
    for (const std::string& word : *wanted)
      if (std::find(names.begin(), names.end(), word) != names.end() &&
          !(parse_plain(word, number) && number <= static_cast<double>(names.size())))
        return;
  for (const std::size_t field : chosen_)
    if (!dialect_.parse(names[field], number)) return;
  throw InvalidArgument(text::concat(label_, ":", record.line,
                                     ": this line may be a header or a row (",
                                     text::quoted(names[chosen_[0]]), " in column ", chosen_[0] + 1,
                                     " is a number); say which with header=yes or header=no"));
}

// A column that is asked for by a number in the first line, and is no number of a column: the
// line may be a header.
void CsvReader::check_no_names(const std::vector<std::string>& fields) const {
  double number = 0;
  for (const auto* wanted : wanted_names())
    for (const std::string& word : *wanted)
      if (std::find(fields.begin(), fields.end(), word) != fields.end() &&
          parse_plain(word, number) && number > static_cast<double>(fields.size()))
        throw InvalidArgument(text::concat(
            label_, " has no column ", text::quoted(word), ", but line ", first_line_number_,
            " holds ", text::quoted(word), "; if that line is a header, say header=yes"));
}

// Whether a first line of numbers was read as a row without being asked for.
bool CsvReader::may_ask() const {
  return !has_header_ && !options_.header && columns_.size() > 1 && first_line_.looks_like_header();
}

void CsvReader::widen_ranges() {
  if (!may_ask()) return;
  const std::size_t first = rows_taken_ == 0 && first_kept_ ? 1 : 0;
  for (Parsed& column : parsed_) {
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

bool CsvReader::may_be_header(std::size_t line) const {
  return line == first_line_number_ && !has_header_ && !options_.header &&
         first_line_.looks_like_header();
}

// What is told about a first line of numbers that was read as a row.
std::string CsvReader::note() const {
  if (has_header_ || options_.header || columns_.size() == 1) return {};
  return text::concat(label_, ":", first_line_number_,
                      ": this line holds only numbers and was read as a row; header=yes takes it "
                      "as a header, header=no confirms that it is a row");
}

void CsvReader::add_row(const Record& record) {
  // A line that is a number is one field: the short way for files of one column.
  double& first = parsed_[0].value;
  if (short_rows_ && blanks_ == 0 && parse_plain(record.text, first)) {
    ++rows_read_;
    parsed_[0].values.push(first);
    return;
  }
  if (is_blank(record)) {
    if (columns_.size() > 1) return;
    // Whether this is a missing value or the end of the file, the following lines tell.
    if (blanks_++ == 0) first_blank_ = record.line;
    return;
  }
  if (blanks_ > 0) add_blanks();
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
    column->value = value_of(record, fields);
    complete = complete && !std::isnan(column->value);
    ++column;
  }
  if (record.has_quotes) check_quotes(record, fields);
  if (fields.count() != columns_.size()) throw_ragged(record, fields.count());
  ++rows_read_;
  if (!complete) return omit_row();
  for (Parsed& each : parsed_) each.values.push(each.value);
  for (LabelSource& label : labels_) {
    label.recurs = label.recurs || label.text == label.first;
    label.builder.add(label.text);
  }
}

// Whether the condition is true for the row. Values that it does not use are not looked at.
bool CsvReader::fulfils(const Record& record) {
  Fields fields(record, delimiter_);
  while (fields.next()) {
    for (std::size_t c = 0; c < condition_.size(); ++c) {
      if (fields.index() != condition_[c]) continue;
      Where::Cell& cell = cells_[c];
      cell.text = trimmed(fields.text(cell_scratch_[c]));
      cell.missing = cell.text.empty() || (!fields.quoted() && dialect_.is_missing(cell.text));
      cell.not_a_number = false;
      if (cell.missing || !where_.columns()[c].as_number) continue;
      cell.not_a_number = !dialect_.parse(cell.text, cell.number);
      cell.missing = !cell.not_a_number && std::isnan(cell.number);
    }
  }
  if (record.has_quotes) check_quotes(record, fields);
  if (fields.count() != columns_.size()) throw_ragged(record, fields.count());
  try {
    return where_.holds(cells_);
  } catch (const Where::NotANumber& error) {
    fail(record, condition_[error.column],
         text::concat(text::quoted(cells_[error.column].text), " is not a number (column ",
                      quoted_name(condition_[error.column]),
                      "), but the condition compares it with one; put the value in quotes to "
                      "compare text"));
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
  if (!where_.empty()) {
    for (Where::Cell& cell : cells_) cell = {0, {}, true};
    kept = where_.holds(cells_);
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
double CsvReader::value_of(const Record& record, const Fields& fields) {
  const std::string_view text = fields.text(scratch_);
  double value = 0;
  if (!dialect_.parse(text, value)) fail_text(record, fields, text);
  if (std::isfinite(value)) [[likely]]
    return value;
  if (std::isinf(value))
    fail(record, fields.index(),
         text::concat(text::quoted(trimmed(text)), " is infinite (column ",
                      quoted_name(fields.index()), row_of_all(rows_before_, rows_read_),
                      "); values must be finite, write NA if it is unknown"));
  if (options_.nan == NanPolicy::error) fail_missing(record, fields.index());
  return value;
}

std::string CsvReader::quoted_name(std::size_t field) const {
  return text::quoted(columns_[field]);
}

void CsvReader::fail_missing(const Record& record, std::size_t field) const {
  fail(record, field,
       text::concat("missing value (column ", quoted_name(field),
                    row_of_all(rows_before_, rows_read_), "); nan=omit leaves such rows out",
                    may_be_header(record.line) ? ", header=yes takes this line as a header" : ""));
}

void CsvReader::fail_text(const Record& record, const Fields& fields, std::string_view text) const {
  std::string remedy = "; write missing values as an empty field or NA, or say missing=TEXT";
  if (options_.missing)
    remedy = "; if it is missing, leave the field empty or add it to missing=LIST";
  const std::optional<char> other = other_delimiter(text, delimiter_, options_.decimal);
  if (const std::string spelling = dialect_.remedy(text, delimiter_); !spelling.empty())
    remedy = spelling;
  else if (columns_.size() == 1 && other)
    remedy = text::concat("; the delimiter is the ", text::separator_name(delimiter_),
                          " here, and delimiter=", text::separator_name(*other),
                          " splits the line into fields");
  else if (options_.all_but)
    remedy = "; all_but=NAME leaves a column of text out";
  else if (rows_taken_ + rows() + omitted_ == 0 && !has_header_)
    remedy = "; if this line is the header, do not say that there is none";
  fail(record, fields.index(),
       text::concat(text::quoted(trimmed(text)), " is not a number (column ",
                    quoted_name(fields.index()), ")", remedy));
}

void CsvReader::throw_ragged(const Record& record, std::size_t fields) const {
  throw DataError(text::concat(label_, ":", record.line, ": ", fields,
                               fields == 1 ? " field" : " fields", " but the ",
                               has_header_ ? "header" : "first line", " has ", columns_.size(),
                               "; quote fields that hold the delimiter"));
}

std::vector<std::string> CsvReader::names() const {
  std::vector<std::string> names;
  for (const std::size_t field : chosen_) names.push_back(columns_[field]);
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
  if (rows_taken_ == 0 && !rows_before_)
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
