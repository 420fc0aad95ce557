#include "data/csv.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "data/columns.h"
#include "data/dialect.h"
#include "data/first_line.h"
#include "data/label_builder.h"
#include "data/number.h"
#include "data/records.h"
#include "data/shortest.h"
#include "data/storage.h"
#include "text/concat.h"
#include "text/quoted.h"
#include "text/separator.h"

namespace bootfold::data {
namespace {

constexpr std::size_t kMostColumns = std::size_t{1} << 20;
constexpr std::size_t kRowsOfRange = 2;  // fewer rows say too little about the values of a column

class CsvReader {
 public:
  CsvReader(const std::string& path, std::optional<char> usual, const ReadOptions& options)
      : label_(path == "-" ? "standard input" : path),
        options_(options),
        dialect_(options),
        records_(path, label_) {
    if (options.delimiter) usual = options.delimiter;
    delimiter_ = usual ? *usual : find_delimiter(records_.start(), options.decimal);
    records_.set_delimiter(delimiter_);
  }

  Table read() {
    Record record;
    do {
      if (!records_.next(record)) throw DataError(text::concat(label_, " is empty"));
    } while (blank(record));
    start(record);
    bool more = !has_header_ || records_.next(record);
    for (; more; more = records_.next(record)) add_row(record);
    return finish();
  }

 private:
  // A column that is parsed. Chosen twice, it is parsed once.
  struct Source {
    std::size_t field;
    double value = 0;
    Buffer values;
  };

  // A column of labels. A label counts only if the rest of its row is complete.
  struct LabelSource {
    std::size_t field;
    LabelBuilder builder;
    std::string_view text = {};  // of this row
    std::string scratch = {};
  };

  // A column that is kept as text, for every row.
  struct TextSource {
    std::size_t field;
    Texts texts;
  };

  static bool blank(const Record& record) {
    return record.text.find_first_not_of(' ') == std::string_view::npos;
  }

  [[noreturn]] void fail(const Record& record, std::size_t field,
                         const std::string& message) const {
    throw DataError(text::concat(label_, ":", record.line, ":", field + 1, ": ", message));
  }

  void check_quotes(const Record& record, const Fields& fields) const {
    if (fields.malformed())
      fail(record, fields.index(),
           "text after a closing quote; double the quotes that belong to the field");
  }

  // Looks at the first record: is it a header, how many columns are there, which are meant?
  void start(const Record& record) {
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
    if (!has_header_ && !options_.header) check_no_names(names);
    if (has_header_ && names.size() == 1 && !record.has_quotes) check_one_column(names[0]);
    if (has_header_ && !options_.header && !record.has_quotes) check_semicolons(names);
    columns_ = has_header_ ? ColumnNames(std::move(names)) : ColumnNames(names.size());
    std::vector<std::size_t> labels;
    if (!options_.labels.empty()) labels = find_columns(columns_, options_.labels, label_);
    chosen_ = choose_columns(columns_, options_, label_, labels);
    const std::vector<std::size_t> texts = find_columns(columns_, options_.texts, label_);
    if (labels.size() + texts.size() > 0 && has_header_ && !options_.header) check_header(record);
    for (const std::size_t field : labels)
      labels_.push_back({field, LabelBuilder(columns_[field])});
    for (const std::size_t field : texts) texts_.push_back({field, Texts(columns_[field])});
    std::vector<std::size_t> needed = chosen_;
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    for (const std::size_t field : needed) sources_.push_back({field, 0, {}});
    short_rows_ = columns_.size() == 1 && labels_.empty() && texts_.empty() && dialect_.usual();
  }

  // "1,5;2,5": a row of a file with decimal commas and without a header, not names of columns.
  void check_semicolons(const std::vector<std::string>& names) const {
    if (options_.decimal != '.' || options_.delimiter || delimiter_ != ',') return;
    bool semicolon = false;
    for (const std::string& name : names) {
      if (name.find_first_not_of("0123456789+-.; ") != name.npos) return;
      semicolon = semicolon || name.find(';') != name.npos;
    }
    if (!semicolon) return;
    throw InvalidArgument(text::concat(
        label_, ":", first_line_number_,
        ": this line looks like numbers between semicolons, with decimal commas: say "
        "decimal=comma; if commas are between the fields, say header=yes or header=no"));
  }

  // "a,b" above 1,2 with a decimal comma: one column, or two of a file that has no decimal commas.
  void check_one_column(const std::string& name) const {
    if (options_.decimal != ',' || options_.delimiter || delimiter_ == '\t') return;
    if (name.find(',') == name.npos) return;
    throw InvalidArgument(text::concat(
        label_, ":", first_line_number_, ": ", text::quoted(name), " may be one name or several: ",
        "with decimal=comma no comma separates fields; say delimiter=semicolon if it is one name, ",
        "or leave decimal out"));
  }

  // Text in the first line may be a label or a text of the first row. It is a header if a column
  // was asked for by a name in it (not by a number, which a value may equal) or if one that must
  // hold numbers does not.
  void check_header(const Record& record) {
    const std::vector<std::string>& names = columns_.names();
    double number = 0;
    for (const auto* wanted : {&options_.columns, &options_.labels, &options_.texts})
      for (const std::string& word : *wanted)
        if (std::find(names.begin(), names.end(), word) != names.end() &&
            !(parse_plain(word, number) && number <= static_cast<double>(names.size())))
          return;
    for (const std::size_t field : chosen_)
      if (!dialect_.parse(names[field], number)) return;
    throw InvalidArgument(
        text::concat(label_, ":", record.line, ": this line may be a header or a row (",
                     text::quoted(names[chosen_[0]]), " in column ", chosen_[0] + 1,
                     " is a number); say which with header=yes or header=no"));
  }

  // A column that is asked for by a number in the first line, and is no number of a column: the
  // line may be a header.
  void check_no_names(const std::vector<std::string>& fields) const {
    double number = 0;
    for (const auto* wanted : {&options_.columns, &options_.labels, &options_.texts})
      for (const std::string& word : *wanted)
        if (std::find(fields.begin(), fields.end(), word) != fields.end() &&
            parse_plain(word, number) && number > static_cast<double>(fields.size()))
          throw InvalidArgument(text::concat(
              label_, " has no column ", text::quoted(word), ", but line ", first_line_number_,
              " holds ", text::quoted(word), "; if that line is a header, say header=yes"));
  }

  // Throws if the first line, which was read as a row, looks like a header of numbers and every
  // number is outside the values below it; a label must not occur below.
  void check_first_line(const std::vector<Labels>& labels) const {
    const std::size_t below = !omitted_rows_.empty() && omitted_rows_[0] == 0 ? 0 : 1;
    if (rows() < below + kRowsOfRange || !first_line_.looks_like_header()) return;
    for (std::size_t l = 0; l < labels.size(); ++l) {
      const double number = first_line_.number(labels_[l].field);
      if (std::isnan(number)) continue;
      const std::vector<std::uint32_t>& codes = labels[l].codes;
      const std::optional<std::uint32_t> code =
          below == 1 ? codes[0] : labels[l].find(shortest(number));
      const auto first = codes.begin() + static_cast<std::ptrdiff_t>(below);
      if (code && std::find(first, codes.end(), *code) != codes.end()) return;
    }
    std::string evidence;
    for (const Source& source : sources_) {
      const double number = first_line_.number(source.field);
      if (std::isnan(number)) continue;
      const Range range = range_of(source, below);
      if (range.contains(number)) return;
      if (evidence.empty())
        evidence = text::concat(", and it is ", shortest(number), " in column ", source.field + 1,
                                " where the values below are ", shortest(range.low), " to ",
                                shortest(range.high));
    }
    throw InvalidArgument(text::concat(
        label_, ":", first_line_number_, ": this line may be a header or a row: it looks like ",
        "years or column numbers", evidence, "; say which with header=yes or header=no"));
  }

  static Range range_of(const Source& source, std::size_t first) {
    Range range;
    const std::size_t rows = source.values.size() / sizeof(double);
    const ColumnView values(source.values.bytes(), Type::float64, rows, sizeof(double));
    for (std::size_t row = first; row < rows; ++row) range.add(values[row]);
    return range;
  }

  [[nodiscard]] bool may_be_header(std::size_t line) const {
    return line == first_line_number_ && !has_header_ && !options_.header &&
           first_line_.looks_like_header();
  }

  // What is told about a first line of numbers that was read as a row.
  [[nodiscard]] std::string note() const {
    if (has_header_ || options_.header || columns_.size() == 1) return {};
    return text::concat(label_, ":", first_line_number_,
                        ": this line holds only numbers and was read as a row; header=yes takes it "
                        "as a header, header=no confirms that it is a row");
  }

  void add_row(const Record& record) {
    // A line that is a number is one field: the short way for files of one column.
    double& first = sources_[0].value;
    if (short_rows_ && blanks_ == 0 && parse_plain(record.text, first)) {
      sources_[0].values.push(first);
      return;
    }
    if (blank(record)) {
      if (columns_.size() > 1) return;
      // Whether this is a missing value or the end of the file, the following lines tell.
      if (blanks_++ == 0) first_blank_ = record.line;
      return;
    }
    if (blanks_ > 0) add_blanks();
    bool complete = true;
    auto source = sources_.begin();
    Fields fields(record, delimiter_);
    while (fields.next()) {
      for (LabelSource& label : labels_)
        if (fields.index() == label.field) complete = take_label(record, fields, label) && complete;
      for (TextSource& each : texts_)
        if (fields.index() == each.field) each.texts.add(fields.text(scratch_));
      if (source == sources_.end() || fields.index() != source->field) continue;
      source->value = value_of(record, fields);
      complete = complete && !std::isnan(source->value);
      ++source;
    }
    if (record.has_quotes) check_quotes(record, fields);
    if (fields.count() != columns_.size()) throw_ragged(record, fields.count());
    if (!complete) return omit_row();
    for (Source& column : sources_) column.values.push(column.value);
    for (LabelSource& label : labels_) label.builder.add(label.text);
  }

  // Returns false if the label is missing and its row to be left out.
  bool take_label(const Record& record, const Fields& fields, LabelSource& label) const {
    label.text = trimmed(fields.text(label.scratch));
    if (!label.text.empty() && (fields.quoted() || !dialect_.is_missing(label.text))) return true;
    if (options_.nan == NanPolicy::error)
      fail(record, fields.index(),
           text::concat("missing label (column ", quoted_name(fields.index()),
                        "); nan=omit leaves such rows out",
                        label.text.empty() ? "" : ", quotes make it a label"));
    return false;
  }

  void add_blanks() {
    if (options_.nan == NanPolicy::error) fail_missing({{}, first_blank_, false}, 0);
    for (; blanks_ > 0; --blanks_) {
      omit_row();
      for (TextSource& each : texts_) each.texts.add({});
    }
  }

  void omit_row() { omitted_rows_.push_back(rows() + omitted_rows_.size()); }

  // The value of a chosen field; NaN only if rows with NaN are to be left out.
  double value_of(const Record& record, const Fields& fields) {
    const std::string_view text = fields.text(scratch_);
    double value = 0;
    if (!dialect_.parse(text, value)) fail_text(record, fields, text);
    if (std::isfinite(value)) [[likely]]
      return value;
    if (std::isinf(value))
      fail(record, fields.index(),
           text::concat(text::quoted(trimmed(text)), " is infinite (column ",
                        quoted_name(fields.index()),
                        "); values must be finite, write NA if it is unknown"));
    if (options_.nan == NanPolicy::error) fail_missing(record, fields.index());
    return value;
  }

  [[nodiscard]] std::string quoted_name(std::size_t field) const {
    return text::quoted(columns_[field]);
  }

  [[noreturn]] void fail_missing(const Record& record, std::size_t field) const {
    fail(record, field,
         text::concat(
             "missing value (column ", quoted_name(field), "); nan=omit leaves such rows out",
             may_be_header(record.line) ? ", header=yes takes this line as a header" : ""));
  }

  [[noreturn]] void fail_text(const Record& record, const Fields& fields, std::string_view text) {
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
    else if (rows() == 0 && omitted_rows_.empty() && !has_header_)
      remedy = "; if this line is the header, do not say that there is none";
    fail(record, fields.index(),
         text::concat(text::quoted(trimmed(text)), " is not a number (column ",
                      quoted_name(fields.index()), ")", remedy));
  }

  [[noreturn]] void throw_ragged(const Record& record, std::size_t fields) const {
    throw DataError(text::concat(label_, ":", record.line, ": ", fields,
                                 fields == 1 ? " field" : " fields", " but the ",
                                 has_header_ ? "header" : "first line", " has ", columns_.size(),
                                 "; quote fields that hold the delimiter"));
  }

  [[nodiscard]] std::size_t rows() const { return sources_[0].values.size() / sizeof(double); }

  Table finish() {
    if (rows() == 0 && !omitted_rows_.empty())
      throw DataError(text::concat(label_, ": each of its ", omitted_rows_.size(),
                                   " rows holds NaN in a chosen column, so none is left"));
    if (rows() == 0) throw DataError(text::concat(label_, " has a header but no rows"));
    std::vector<Labels> labels;
    for (LabelSource& label : labels_) labels.push_back(label.builder.finish());
    if (!has_header_ && !options_.header && columns_.size() > 1) check_first_line(labels);
    const std::size_t count = rows();
    auto storage = std::make_shared<Storage>();
    for (Source& source : sources_) {
      source.values.shrink();
      storage->buffers.push_back(std::move(source.values));
    }
    std::vector<std::string> names;
    std::vector<ColumnView> views;
    for (const std::size_t field : chosen_) {
      const auto source = std::find_if(sources_.begin(), sources_.end(),
                                       [&](const Source& s) { return s.field == field; });
      const Buffer& values = storage->buffers[static_cast<std::size_t>(source - sources_.begin())];
      names.push_back(columns_[field]);
      views.emplace_back(values.bytes(), Type::float64, count, sizeof(double));
    }
    const std::size_t bytes = sources_.size() * count * sizeof(double);
    DataView view(std::move(views), names);
    std::vector<Texts> texts;
    for (TextSource& each : texts_) texts.push_back(std::move(each.texts));
    return TableParts{std::move(names),   std::move(view), std::move(omitted_rows_),
                      std::move(storage), bytes,           std::move(labels),
                      std::move(texts),   note()}
        .table();
  }

  std::string label_;
  const ReadOptions& options_;
  Dialect dialect_;
  Records records_;
  char delimiter_ = ',';
  std::string scratch_;
  FirstLine first_line_;
  std::size_t first_line_number_ = 0;
  bool has_header_ = false;
  bool short_rows_ = false;  // a row is one number, without more ado
  ColumnNames columns_{std::size_t{0}};
  std::vector<std::size_t> chosen_;  // fields in the order of options_.columns
  std::vector<Source> sources_;      // the same fields once each, from left to right
  std::vector<LabelSource> labels_;  // in the order of options_.labels
  std::vector<TextSource> texts_;    // in the order of options_.texts
  std::vector<std::size_t> omitted_rows_;
  std::size_t blanks_ = 0;  // blank lines since the last row of a file with one column
  std::size_t first_blank_ = 0;
};

}  // namespace

Table read_csv(const std::string& path, std::optional<char> usual, const ReadOptions& options) {
  return CsvReader(path, usual, options).read();
}

}  // namespace bootfold::data
