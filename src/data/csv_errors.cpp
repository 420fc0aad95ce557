// Errors in the rows of a text file: where, what was found, and what to do.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "data/csv_reader.h"
#include "data/delimiter.h"
#include "data/sieve.h"
#include "expression/marked.h"
#include "expression/tokens.h"
#include "text/concat.h"
#include "text/quoted.h"
#include "text/separator.h"

namespace bootfold::data {
namespace {

constexpr std::size_t kShown = 3;               // further fields that are not numbers
constexpr std::size_t kRowsToSearch = 100'000;  // for them
constexpr std::size_t kNamed = 5;               // columns of numbers

bool listable(const std::string& text) {
  return !text.empty() && text.size() <= 20 && text.find_first_of(",'\"") == text.npos;
}

}  // namespace

void CsvReader::fail(const Record& record, std::size_t field, const std::string& message) const {
  throw DataError(text::concat(label_, ":", record.line, ":", field + 1, ": ", message));
}

bool CsvReader::may_be_header(std::size_t line) const {
  return line == first_line_number_ && !has_header_ && !options_.header &&
         first_line_.looks_like_header();
}

// Of an expression, with a mark below the place.
void CsvReader::fail_marked(const Record& record, const Cell& cell, std::size_t at, std::size_t end,
                            const std::string& message) const {
  const std::string problem =
      text::concat(label_, ":", record.line, ":", cell.field + 1, ": ", message);
  throw expression::MarkedError(problem + expression::mark(cell.expression, at, end),
                                {cell.expression, at, end, problem});
}

void CsvReader::fail_missing(const Record& record, std::size_t field) const {
  fail(record, field,
       text::concat("missing value (column ", quoted_name(field),
                    row_of_all(rows_before_, rows_read_), "); nan=omit leaves such rows out",
                    may_be_header(record.line) ? ", header=yes takes this line as a header" : ""));
}

// The fields below `record` in the same column that are not numbers either.
std::vector<CsvReader::Place> CsvReader::find_more(Parsed& column) {
  std::vector<Place> found;
  Record record;
  try {
    for (std::size_t row = 0; row < kRowsToSearch && records_.next(record); ++row) {
      if (record.is_blank() || !would_be_read(record)) continue;
      for (Fields fields(record, delimiter_); fields.next();) {
        if (fields.index() != column.field) continue;
        const std::string_view text = fields.text(scratch_);
        double value = 0;
        if (!parse_as(text, dialect_, column.kind, value))
          found.push_back({record.line, std::string(trimmed(text))});
      }
      if (found.size() > kShown) break;
    }
  } catch (const DataError&) {  // another error below: the one above is told
  }
  return found;
}

// Whether the caller has named a column of numbers: the target of a model, or weights.
bool CsvReader::is_chosen(std::size_t field) const {
  return std::ranges::any_of(options_.columns, [&](const std::string& name) {
    return name == columns_[field] || name == std::to_string(field + 1);
  });
}

// What to do about text in a column of numbers: `texts` are those that were found.
std::string CsvReader::remedy(const std::vector<std::string>& texts, const Parsed& column) const {
  const std::string& text = texts[0];
  if (const std::string spelling =
          dialect_.remedy(text, columns_.size() > 1 ? delimiter_ : kNoSeparator);
      !spelling.empty())
    return spelling;
  const std::optional<char> other = other_delimiter(text, delimiter_, options_.decimal);
  if (columns_.size() == 1 && other)
    return text::concat("; the delimiter is the ", text::separator_name(delimiter_),
                        " here, and delimiter=", text::separator_name(*other),
                        " splits the line into fields");
  if (options_.all_but && !is_chosen(column.field))
    return "; all_but=NAME leaves a column of text out";
  if (rows_taken_ + rows() + omitted_ == 0 && !has_header_)
    return "; if this line is the header, do not say that there is none";
  if (column.kind == Kind::unknown || (column.kind == Kind::truth && column.holds_text))
    return text::concat("; this column holds text",
                        numeric_neighbours_.empty() ? "" : ", numbers are in ",
                        numeric_neighbours_);
  std::vector<std::string> words = options_.missing.value_or(std::vector<std::string>{"NA"});
  for (const std::string& each : texts)
    if (listable(each) && std::find(words.begin(), words.end(), each) == words.end())
      words.push_back(each);
  std::string list = "LIST";
  if (listable(text)) {
    list.clear();
    for (const std::string& word : words) list += (list.empty() ? "" : ",") + word;
    list = "'" + list + "'";
  }
  return text::concat(
      "; correct the file, or if ", texts.size() == 1 ? "this stands" : "these stand",
      " for missing values, say missing=", list, " (nan=omit leaves such rows out)");
}

void CsvReader::fail_text(const Record& record, Parsed& column, std::string_view text) {
  const std::string first(trimmed(text));
  const std::size_t line = record.line;
  const std::string name = quoted_name(column.field);
  double value = 0;
  std::string mixed;
  if (column.kind == Kind::percentage && dialect_.parse(first, value))
    mixed = " has no percent sign, but values above have one";
  else if (column.kind == Kind::truth && dialect_.parse(first, value))
    mixed = " is a number, but values above are words for true and false";
  else if (column.kind == Kind::number && dialect_.parse_percentage(first, value))
    mixed = " has a percent sign, but other values have none";
  if (!mixed.empty())
    fail({{}, line, false}, column.field,
         text::concat(text::quoted(first), mixed, " (column ", name,
                      "); write all values of a column in one way"));
  numeric_neighbours_ = numeric_fields(record);
  std::vector<std::string> texts = {first};  // the record is gone when others are read
  std::string more;
  const std::vector<Place> places = find_more(column);
  for (std::size_t i = 0; i < std::min(places.size(), kShown); ++i) {
    more += text::concat(i == 0 ? "; also " : ", ", text::quoted(places[i].text), " in line ",
                         places[i].line);
    texts.push_back(places[i].text);
  }
  if (places.size() > kShown) more += " and more";
  const std::string problem =
      text::concat(label_, ":", line, ":", column.field + 1, ": ", text::quoted(first),
                   " is not a number (column ", name, more, ")", remedy(texts, column));
  const std::string& called = columns_[column.field];
  throw expression::MarkedError(problem, {called, 0, called.size(), problem});
}

// The names of the first columns that have a number in this record.
std::string CsvReader::numeric_fields(const Record& record) {
  std::string names;
  std::size_t count = 0;
  std::string scratch;
  for (Fields fields(record, delimiter_); fields.next();) {
    double value = 0;
    const std::string_view text = fields.text(scratch);
    if (fields.index() >= columns_.size() || dialect_.is_missing(trimmed(text)) ||
        !dialect_.parse(text, value))
      continue;
    if (count++ < kNamed) names += (names.empty() ? "" : ", ") + quoted_name(fields.index());
  }
  if (count > kNamed) names += text::concat(" and ", count - kNamed, " more");
  return names;
}

void CsvReader::throw_ragged(const Record& record, std::size_t fields) const {
  throw DataError(text::concat(label_, ":", record.line, ": ", fields,
                               fields == 1 ? " field" : " fields", " but the ",
                               has_header_ ? "header" : "first line", " has ", columns_.size(),
                               columns_.size() == 1 && delimiter_ == ','
                                   ? "; say decimal=comma if these are decimal commas, and "
                                     "quote fields that hold the delimiter"
                                   : "; quote fields that hold the delimiter"));
}

}  // namespace bootfold::data
