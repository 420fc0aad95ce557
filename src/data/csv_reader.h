// data/csv_reader.h: numbers, labels and texts from delimited text, row by row.
//
// One reader serves both: read_csv() takes all rows of a file, a source takes them chunk by chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/source.h"
#include "data/columns.h"
#include "data/computed.h"
#include "data/dialect.h"
#include "data/first_line.h"
#include "data/label_builder.h"
#include "data/number_forms.h"
#include "data/records.h"
#include "data/storage.h"
#include "data/where.h"

namespace bootfold::data {

class CsvReader {
 public:
  /// Reads the first line and chooses the columns. `usual` is the delimiter of files of this kind,
  /// if they have one. `rows_before` are those of the files before this one, if there are several.
  /// `options` and `where` must outlive the reader.
  CsvReader(const std::string& path, std::optional<char> usual, const ReadOptions& options,
            const Where& where, std::optional<std::uint64_t> rows_before);

  /// Reads until `rows` rows are at hand or the file ends. Returns false at its end.
  bool fill(std::size_t rows);

  /// The rows at hand as a table, which may have none; labels and texts are those of these rows.
  [[nodiscard]] Table take_table();
  /// The rows at hand as a chunk, which may have none.
  [[nodiscard]] Chunk take();
  /// What can be said about the first line only when all rows are known and were taken.
  void check_first_line() const;
  /// Throws DataError if all rows were taken and there were none, unless there are several files.
  void check_any_rows() const;

  /// The names of the chosen columns.
  [[nodiscard]] std::vector<std::string> names() const;
  /// As Table::note().
  [[nodiscard]] std::string note() const;
  /// Rows so far: all, those that hold NaN, those that the condition left out.
  [[nodiscard]] std::uint64_t rows_read() const noexcept { return rows_read_; }
  [[nodiscard]] std::uint64_t omitted() const noexcept { return omitted_; }
  [[nodiscard]] std::uint64_t filtered() const noexcept { return filtered_; }

 private:
  /// A column that is parsed. Chosen twice, it is parsed once.
  struct Parsed {
    std::size_t field;
    double value = 0;
    Kind kind = Kind::unknown;
    std::size_t column = 0;  // among those of names()
    FieldUse use = FieldUse::numbers;
    bool keeps_missing = false;
    bool holds_text = false;  // in the first rows, with letters that could be true or false
    Buffer values = {};
    Range below = {};  // of all values but those of the first line
  };

  /// A column of labels. A label counts only if the rest of its row is complete.
  struct LabelSource {
    std::size_t field;
    LabelBuilder builder;
    std::string_view text = {};  // of this row
    std::string scratch = {};
    std::string first = {};  // of the first line, if it is no header
    bool recurs = false;     // in another row
  };

  /// A column that is kept as text, for every row.
  struct TextSource {
    std::size_t field;
    Texts texts;
  };

  /// A field that is not a number.
  struct Place {
    std::size_t line;
    std::string text;
  };

  /// What conditions and computed columns see of a field of this row.
  struct Cell {
    std::size_t field = 0;
    bool as_number = false;
    std::string expression = {};                     // that uses the column
    std::pair<std::size_t, std::size_t> place = {};  // of the column in it
    bool in_pair = false;                            // compared with another column only
    std::vector<expression::Literal> bounds = {};    // it is > or < than in the expression
    std::optional<expression::Literal> bound = {};   // that numbers are not compared with
    Kind kind = Kind::unknown;
    double number = 0;  // NaN: missing, or not a number
    std::string_view text = {};
    char missing = 0;
    bool not_a_number = false;
    bool is_text = false;  // in comparisons with another column
    std::string scratch = {};
  };

  /// Two columns that are compared with each other.
  struct CellPair {
    std::size_t left = 0;  // places in cells_
    std::size_t right = 0;
    std::size_t at = 0;  // in the expression
    std::size_t end = 0;
  };

  void start(const Record& record);
  void choose(const std::vector<std::size_t>& labels);
  void check_names_of(const std::vector<std::string>& names, const Record& record) const;
  void check_semicolons(const std::vector<std::string>& names) const;
  void check_one_column(const std::string& name) const;
  void check_delimiter() const;
  void find_numbers();
  void find_texts();
  [[noreturn]] void fail_time(const Cell& cell, const expression::Literal& bound,
                              char separator) const;
  template <class See>
  void peek_fields(const See& see);
  void show_cells();
  void check_header(const Record& record);
  void check_no_names(const std::vector<std::string>& fields) const;
  [[nodiscard]] std::vector<const std::vector<std::string>*> wanted_names() const;
  void widen_ranges();

  [[nodiscard]] bool is_computed(const Parsed& column) const {
    return column.field >= columns_.size();
  }
  void add_computed(const Record& record, bool& complete);
  void add_row(const Record& record);
  void add_blanks();
  void omit_row();
  void read_cells(const Record& record);
  [[nodiscard]] bool would_be_read(const Record& record) {
    if (where_.empty()) return true;
    read_cells(record);
    return fulfils(record);
  }
  [[nodiscard]] bool fulfils(const Record& record);
  void check_bounds(const Record& record, const Fields& fields, const Cell& cell);
  void check_numbers(const Record& record, std::span<const expression::Column> columns,
                     std::span<const std::size_t> inputs) const;
  bool take_label(const Record& record, const Fields& fields, LabelSource& label) const;
  [[nodiscard]] bool is_number(std::string_view text);
  [[nodiscard]] double value_of(const Record& record, const Fields& fields, Parsed& column);
  [[nodiscard]] double code_of(const Record& record, const Fields& fields, Parsed& column);
  void set_codes();
  [[nodiscard]] std::size_t rows() const { return parsed_[0].values.size() / sizeof(double); }
  [[nodiscard]] bool may_ask() const;
  [[nodiscard]] bool may_be_header(std::size_t line) const;
  [[nodiscard]] std::string quoted_name(std::size_t field) const;
  void check_quotes(const Record& record, const Fields& fields) const;
  [[nodiscard]] DataView view_of(const std::vector<Buffer>& buffers, std::size_t count) const;
  [[nodiscard]] std::vector<Buffer> take_buffers();

  [[noreturn]] void fail(const Record& record, std::size_t field, const std::string& message) const;
  [[noreturn]] void fail_marked(const Record& record, const Cell& cell, std::size_t at,
                                std::size_t end, const std::string& message) const;
  [[noreturn]] void fail_missing(const Record& record, std::size_t field) const;
  [[noreturn]] void fail_text(const Record& record, Parsed& column, std::string_view text);
  [[nodiscard]] std::vector<Place> find_more(Parsed& column);
  [[nodiscard]] bool is_chosen(std::size_t field) const;
  [[nodiscard]] std::string remedy(const std::vector<std::string>& texts,
                                   const Parsed& column) const;
  [[nodiscard]] std::string numeric_fields(const Record& record);
  [[noreturn]] void throw_ragged(const Record& record, std::size_t fields) const;

  std::string label_;
  const ReadOptions& options_;
  const Where& where_;
  std::optional<std::uint64_t> rows_before_;
  bool may_be_empty_;
  Dialect dialect_;
  Records records_;
  char delimiter_ = ',';
  bool delimiter_found_ = false;  // by the first lines
  std::string scratch_;
  FirstLine first_line_;
  std::size_t first_line_number_ = 0;
  bool has_header_ = false;
  bool short_rows_ = false;  // a row is one number, without more ado
  bool at_first_row_ = false;
  Record first_record_ = {};
  bool first_kept_ = false;  // the first line is a row, and kept
  ColumnNames columns_{std::size_t{0}};
  std::vector<std::size_t> chosen_;  // fields in the order of options_.columns; computed columns
                                     // are numbered behind the last field
  std::vector<Parsed> parsed_;       // the same fields once each, from left to right
  std::vector<LabelSource> labels_;  // in the order of options_.labels
  std::vector<TextSource> texts_;    // in the order of options_.texts
  std::vector<Computed> computed_;   // the last of parsed_; inputs are places in cells_
  std::vector<Cell> cells_;          // those of where_.columns(), then those of computed columns
  std::vector<CellPair> pairs_;
  std::vector<expression::Input> inputs_;  // the cells as inputs
  std::vector<std::size_t> of_condition_;  // 0, 1, ...: cells of the condition
  expression::Scratch expression_scratch_;
  std::vector<std::size_t> omitted_rows_;
  bool list_omitted_ = true;
  std::uint64_t rows_read_ = 0;
  std::uint64_t rows_taken_ = 0;
  std::uint64_t omitted_ = 0;
  std::uint64_t filtered_ = 0;
  std::uint64_t filtered_taken_ = 0;
  std::size_t blanks_ = 0;  // blank lines since the last row of a file with one column
  std::size_t first_blank_ = 0;
  std::string numeric_neighbours_;  // for the message about a column of text

 public:
  /// A reader of chunks need not remember which rows hold NaN.
  void forget_omitted() noexcept { list_omitted_ = false; }
};

}  // namespace bootfold::data
