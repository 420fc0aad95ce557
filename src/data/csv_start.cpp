// The first line of a text file, and what the first rows tell about all.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "bootfold/error.h"
#include "data/csv_reader.h"
#include "data/delimiter.h"
#include "data/number.h"
#include "expression/dates.h"
#include "expression/marked.h"
#include "expression/tokens.h"
#include "text/concat.h"
#include "text/quoted.h"
#include "text/separator.h"

namespace bootfold::data {
namespace {

constexpr std::size_t kMostColumns = std::size_t{1} << 20;
constexpr std::size_t kRowsToLookAt = 10'000;

/// What the values of a column look like.
struct Column {
  std::size_t field;
  Kind* kind;
  bool* holds_text;  // or null
  bool numbers = false;
  bool percentages = false;
  std::size_t truths = 0;         // words for true and false
  bool whole_words = false;       // "yes", not "Y"
  bool both[2] = {false, false};  // words for false, for true
  std::size_t texts = 0;          // none of these

  void see_truth(std::string_view text, double value) {
    ++truths;
    both[value > 0 ? 1 : 0] = true;
    whole_words = whole_words || trimmed(text).size() > 1;
  }

  void decide() const {
    if (numbers || (percentages && truths > 0))
      *kind = Kind::number;
    else if (percentages || truths > 0)
      *kind = percentages ? Kind::percentage : Kind::truth;
    if (holds_text == nullptr || *kind != Kind::truth || texts == 0) return;
    // F beside M, or among other letters, is no word for false.
    *holds_text = texts > truths || !(whole_words || (both[0] && both[1]));
  }
};

/// An ISO date or time, maybe with the zone behind it: "2013-01-01T10:00:00Z".
bool is_time(std::string_view text) {
  if (text.size() > 10) {
    if (text.ends_with('Z')) text.remove_suffix(1);
    const std::size_t zone = text.find_first_of("+-", 10);
    if (zone != text.npos) text = text.substr(0, zone);
  }
  return expression::iso_time(text).has_value();
}

/// What stands between date and time; 0 in a date alone.
char separator_of(std::string_view time) { return time.size() > 10 ? time[10] : '\0'; }

}  // namespace

CsvReader::CsvReader(const std::string& path, std::optional<char> usual, const ReadOptions& options,
                     const Where& where, std::optional<std::uint64_t> rows_before)
    : label_(path == "-" ? "standard input" : path),
      options_(options),
      where_(where),
      rows_before_(rows_before),
      may_be_empty_(options.may_be_empty),
      dialect_(options),
      records_(path, label_) {
  if (options.progress) {
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
    if (!unknown)
      records_.watch([&options, total = static_cast<double>(bytes)](std::uint64_t position) {
        options.progress({static_cast<double>(position), total});
      });
  }
  if (options.delimiter) usual = options.delimiter;
  delimiter_ = usual ? *usual : find_delimiter(records_.start(), records_.start_is_all(), options);
  delimiter_found_ = !usual;
  records_.set_delimiter(delimiter_);
  do {
    if (!records_.next(first_record_)) throw DataError(text::concat(label_, " is empty"));
  } while (first_record_.is_blank());
  start(first_record_);
  at_first_row_ = !has_header_;
}

// Looks at the first record: is it a header, how many columns are there, which are meant?
void CsvReader::start(const Record& record) {
  std::vector<std::string> names;
  NumberForms forms(options_, delimiter_);
  Fields fields(record, delimiter_);
  while (fields.next()) {
    check_quotes(record, fields);
    if (names.size() == kMostColumns)
      throw DataError(text::concat(label_, " has more than ", kMostColumns,
                                   " columns; store a table this wide as .npy"));
    const std::string_view name = trimmed(fields.text(scratch_));
    first_line_.add(name, forms);
    names.push_back(name.empty() ? std::to_string(names.size() + 1) : std::string(name));
  }
  first_line_number_ = record.line;
  has_header_ = options_.header.value_or(first_line_.has_text());
  check_names_of(names, record);
  columns_ = has_header_ ? ColumnNames(std::move(names)) : ColumnNames(names.size());
  check_delimiter();
  std::vector<std::size_t> labels;
  if (!options_.labels.empty()) labels = find_columns(columns_, options_.labels, label_);
  choose(labels);
  const std::vector<std::size_t> texts = find_columns(columns_, options_.texts, label_);
  for (const std::size_t field : labels) labels_.push_back({field, LabelBuilder(columns_[field])});
  for (const std::size_t field : texts) texts_.push_back({field, Texts(columns_[field])});
  std::vector<std::size_t> needed = chosen_;
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  for (const std::size_t field : needed) parsed_.push_back({field});
  set_codes();
  find_numbers();
  find_texts();
  const bool labelled = labels.size() + texts.size() + cells_.size() > 0;
  if (has_header_ && !options_.header && (labelled || !first_line_.has_other_text()))
    check_header(record);
  short_rows_ = columns_.size() == 1 && !labelled && dialect_.usual() &&
                parsed_[0].kind == Kind::number && parsed_[0].use == FieldUse::numbers;
}

// Chooses the columns of numbers, and the fields that the condition and computed columns see.
void CsvReader::choose(const std::vector<std::size_t>& labels) {
  ColumnChoice choice = choose_columns(columns_, options_, label_, labels);
  choice.visit([&](std::size_t field) { chosen_.push_back(field); },
               [&](const Computed& column) {
                 chosen_.push_back(columns_.size() +
                                   static_cast<std::size_t>(&column - choice.computed.data()));
               });
  computed_ = std::move(choice.computed);
  const auto add_cell = [&](std::size_t field, const expression::Column& column,
                            const std::string& text) {
    cells_.push_back({field, column.as_number || column.in_pair, text, {column.at, column.end}});
    cells_.back().in_pair = column.in_pair && !column.as_number;
    cells_.back().bounds = column.bounds;
  };
  const auto add_pairs = [&](const expression::Program& program, std::size_t first) {
    for (const expression::Pair& pair : program.pairs())
      pairs_.push_back({first + pair.left, first + pair.right, pair.at, pair.end});
  };
  const std::vector<std::size_t> fields =
      find_inputs(columns_, where_.columns(), "where", where_.text(), label_);
  for (std::size_t c = 0; c < fields.size(); ++c) {
    add_cell(fields[c], where_.columns()[c], where_.text());
    of_condition_.push_back(c);
  }
  add_pairs(where_.program(), 0);
  for (Computed& each : computed_) {
    add_pairs(each.program, cells_.size());
    for (std::size_t i = 0; i < each.inputs.size(); ++i) {
      add_cell(each.inputs[i], each.program.columns()[i], each.name);
      each.inputs[i] = cells_.size() - 1;
    }
  }
  inputs_.resize(cells_.size());
}

void CsvReader::check_names_of(const std::vector<std::string>& names, const Record& record) const {
  if (!has_header_ && !options_.header) check_no_names(names);
  if (has_header_ && names.size() == 1 && !record.has_quotes) check_one_column(names[0]);
  if (has_header_ && !options_.header && !record.has_quotes) check_semicolons(names);
}

// "1,5;2,5": a row of a file with decimal commas and without a header, not names of columns.
void CsvReader::check_semicolons(const std::vector<std::string>& names) const {
  if (options_.decimal || options_.delimiter || delimiter_ != ',') return;
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
      "or do not say decimal=comma"));
}

std::vector<const std::vector<std::string>*> CsvReader::wanted_names() const {
  return {&options_.columns, &options_.labels, &options_.texts};
}

// Text in the first line may be a label or a text of the first row. It is a header if a column
// was asked for by a name in it (not by a number, which a value may equal) or if one that must
// hold numbers does not.
void CsvReader::check_header(const Record& record) {
  const std::vector<std::string>& names = columns_.names();
  std::vector<std::string> of_condition = where_.names();
  for (const Computed& each : computed_)
    for (const expression::Column& column : each.program.columns())
      of_condition.push_back(column.name);
  double number = 0;
  std::vector<const std::vector<std::string>*> all = wanted_names();
  all.push_back(&of_condition);
  for (const auto* wanted : all)
    for (const std::string& word : *wanted)
      if (std::find(names.begin(), names.end(), word) != names.end() &&
          !(parse_plain(word, number) && number <= static_cast<double>(names.size())))
        return;
  for (const Parsed& column : parsed_) {
    if (is_computed(column)) continue;
    Kind kind = column.kind;
    if (!parse_as(names[column.field], dialect_, kind, number)) return;
  }
  for (const Cell& cell : cells_) {
    Kind kind = cell.kind;
    if (cell.as_number && !parse_as(names[cell.field], dialect_, kind, number)) return;
  }
  const bool computed = chosen_[0] >= columns_.size();
  const std::size_t first = computed ? cells_[0].field : chosen_[0];
  throw InvalidArgument(
      text::concat(label_, ":", record.line, ": this line may be a header or a row (",
                   text::quoted(names[first]), " in column ", first + 1,
                   computed                         ? " may be a value of the column"
                   : parsed_[0].kind == Kind::truth ? " is a value of the column below it"
                                                    : " is a number",
                   "); say which with header=yes or header=no"));
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

// "a;b" where column a is asked for: the file has another delimiter than the one it is read with.
void CsvReader::check_delimiter() const {
  if (columns_.size() > 1 || !has_header_) return;
  const std::string& name = columns_[0];
  const std::optional<char> other = other_delimiter(name, delimiter_, options_.decimal);
  if (!other) return;
  for (const auto* wanted : wanted_names())
    for (const std::string& word : *wanted)
      if (word != name && word != "1")
        throw InvalidArgument(
            text::concat(label_, " has no column ", text::quoted(word), " but only ",
                         text::quoted(name), ": is it separated by ", text::separator_name(*other),
                         "s? delimiter=", text::separator_name(*other), " reads it so"));
}

// Shows the fields of the first rows, as far as they are in memory.
template <class See>
void CsvReader::peek_fields(const See& see) {
  std::size_t rows = 0;
  const auto see_record = [&](const Record& record) {
    for (Fields fields(record, delimiter_); fields.next();) see(fields);
    return ++rows < kRowsToLookAt;
  };
  if (!has_header_) see_record(first_record_);
  records_.peek(see_record);
}

// Looks at the first rows: how are numbers spelled?
void CsvReader::find_numbers() {
  std::vector<Column> columns;
  for (Parsed& column : parsed_)
    if (!is_computed(column)) columns.push_back({column.field, &column.kind, &column.holds_text});
  for (Cell& cell : cells_)
    if (cell.as_number) columns.push_back({cell.field, &cell.kind, nullptr});
  const auto see_fields = [&](const auto& see) {
    peek_fields([&](const Fields& fields) {
      for (Column& column : columns)
        if (column.field == fields.index()) see(column, fields.text(scratch_));
    });
  };
  bool all_read = true;
  const auto sort_out = [&](Column& column, std::string_view text) {
    double value = 0;
    if (dialect_.parse(text, value))
      column.numbers = column.numbers || !std::isnan(value);
    else if (dialect_.parse_percentage(text, value))
      column.percentages = true;
    else if (const auto truth = parse_truth(text))
      column.see_truth(text, *truth);
    else
      ++column.texts;
    all_read = all_read && column.texts == 0;
  };
  see_fields(sort_out);
  if (!all_read) {
    NumberForms forms(options_, columns_.size() > 1 ? delimiter_ : kNoSeparator);
    see_fields([&](const Column&, std::string_view text) { forms.add(text); });
    if (const Spelling found = forms.found(); found != dialect_.spelling()) {
      dialect_.set_spelling(found);
      for (Column& column : columns) column = {column.field, column.kind, column.holds_text};
      see_fields(sort_out);
    }
  }
  for (const Column& column : columns) column.decide();
}

bool CsvReader::is_number(std::string_view text) {
  double value = 0;
  return (dialect_.parse(text, value) && !std::isnan(value)) ||
         dialect_.parse_percentage(text, value);
}

// Looks at the first rows of columns that expressions may take for text: which are columns of
// numbers? They have no order as text, and are not compared with columns of text. Dates and times
// are ordered against others alone.
void CsvReader::find_texts() {
  struct Seen {
    bool numbers = false;
    bool texts = false;
    bool times = false;
    bool others = false;    // no times
    char separator = '\0';  // of the first time
  };
  std::vector<Seen> seen(cells_.size());
  const bool asked = std::ranges::any_of(
      cells_, [](const Cell& cell) { return cell.in_pair || !cell.bounds.empty(); });
  if (!asked) return;
  peek_fields([&](const Fields& fields) {
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (cells_[c].field != fields.index()) continue;
      const std::string_view text = trimmed(fields.text(scratch_));
      if (text.empty() || (!fields.quoted() && dialect_.is_missing(text))) continue;
      if (is_number(text))
        seen[c].numbers = true;
      else  // words for true and false are either
        seen[c].texts = seen[c].texts || !parse_truth(text);
      const bool time = !cells_[c].bounds.empty() && is_time(text);
      (time ? seen[c].times : seen[c].others) = true;
      if (time && seen[c].separator == '\0') seen[c].separator = separator_of(text);
    }
  });
  for (std::size_t c = 0; c < cells_.size(); ++c)
    for (const expression::Literal& bound : cells_[c].bounds) {
      if (is_number(bound.text) || (seen[c].numbers && !seen[c].texts)) cells_[c].bound = bound;
      if (!seen[c].times || seen[c].others) continue;
      const char own = separator_of(bound.text);
      const bool alike = own == '\0' || seen[c].separator == '\0' || own == seen[c].separator;
      if (!is_time(bound.text) || !alike) fail_time(cells_[c], bound, seen[c].separator);
    }
  for (const CellPair& pair : pairs_) {
    Cell& left = cells_[pair.left];
    Cell& right = cells_[pair.right];
    const auto [a, b] = std::pair(seen[pair.left], seen[pair.right]);
    if (!a.texts && !b.texts) continue;
    if ((a.numbers && !a.texts) || (b.numbers && !b.texts)) {
      const auto kind = [](const Seen& each) { return each.texts ? "text" : "of numbers"; };
      const std::string problem = text::concat(
          label_, ": ",
          unlike_columns(columns_[left.field], kind(a), columns_[right.field], kind(b)));
      throw expression::MarkedError(problem + expression::mark(left.expression, pair.at, pair.end),
                                    {left.expression, pair.at, pair.end, problem});
    }
    for (Cell* cell : {&left, &right}) {
      cell->is_text = true;
      cell->as_number = cell->as_number && !cell->in_pair;
    }
  }
}

// Text is compared byte by byte, which is the order of time where both are written alike.
void CsvReader::fail_time(const Cell& cell, const expression::Literal& bound,
                          char separator) const {
  const std::string problem =
      text::concat(label_, ": column ", quoted_name(cell.field),
                   " is of dates or times; compare it with '2024-01-28' or '2024-01-28",
                   separator == 'T' ? "T" : " ", "13:05'");
  throw expression::MarkedError(problem + expression::mark(cell.expression, bound.at, bound.end),
                                {cell.expression, bound.at, bound.end, problem});
}

// What was found out about the file without being told.
std::string CsvReader::note() const {
  std::vector<std::string> parts;
  std::vector<std::string> found;
  if (delimiter_found_ && delimiter_ != ',' && columns_.size() > 1)
    found.push_back("delimiter=" + text::separator_name(delimiter_));
  const Spelling& spelling = dialect_.spelling();
  if (!options_.decimal && spelling.decimal != '.') found.emplace_back("decimal=comma");
  if (!options_.thousands && spelling.thousands)
    found.push_back("thousands=" + text::separator_name(*spelling.thousands));
  std::string options;
  for (std::size_t i = 0; i < found.size(); ++i)
    options += (i == 0 ? "" : i + 1 < found.size() ? ", " : " and ") + found[i];
  if (!found.empty())
    parts.push_back(text::concat("read with ", options, ", as its first rows suggest"));
  for (const Parsed& column : parsed_) {
    if (column.kind == Kind::percentage)
      parts.push_back(text::concat("column ", quoted_name(column.field),
                                   " holds percentages, read as fractions (12 % is 0.12)"));
    if (column.kind == Kind::truth && column.use == FieldUse::numbers)
      parts.push_back(text::concat("column ", quoted_name(column.field),
                                   " holds words for true and false, read as 1 and 0"));
  }
  std::string note;
  for (const std::string& part : parts) note += (note.empty() ? "" : "; ") + part;
  if (!note.empty()) note = text::concat(label_, ": ", note);
  if (has_header_ || options_.header || columns_.size() == 1) return note;
  const std::string row = text::concat(
      label_, ":", first_line_number_,
      ": this line holds only numbers and was read as a row; header=yes takes it as a header, "
      "header=no confirms that it is a row");
  return note.empty() ? row : text::concat(note, "; ", row);
}

}  // namespace bootfold::data
