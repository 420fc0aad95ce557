// bootfold/data.h: views of numeric columns, and reading and writing of files.
//
//     auto table = data::read("prices.csv", {.columns = {"price"}});
//     auto result = bootstrap(table.view(), statistic::mean());
//
// A view does not own its values. The engine reads a view tile by tile and converts each tile to
// double, so float32 and integer columns, strided columns of a matrix and memory-mapped files are
// used without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/execution.h"
#include "bootfold/field_codes.h"
#include "bootfold/labels.h"
#include "bootfold/texts.h"

namespace bootfold {

namespace data {

/// Numeric types of a column.
enum class Type {
  float64,
  float32,
  int64,
  int32,
  int16,
  int8,
  uint64,
  uint32,
  uint16,
  uint8,
  boolean
};

/// "float64", "float32", ...
[[nodiscard]] BOOTFOLD_API std::string_view name(Type type) noexcept;

/// Size of one value in bytes.
[[nodiscard]] BOOTFOLD_API std::size_t size_of(Type type) noexcept;

/// A column whose values are fetched or computed when they are read. read() is called from several
/// threads at once, and every read of a row must give the same value.
///
///     struct Squares final : data::ColumnSource {
///       std::size_t rows() const noexcept override { return 1'000'000; }
///       void read(std::size_t first, std::span<double> out) const noexcept override {
///         for (std::size_t i = 0; i < out.size(); ++i) out[i] = double(first + i) * (first + i);
///       }
///     };
///     Squares squares;
///     bootstrap(ColumnView(squares), statistic::mean());
class BOOTFOLD_API ColumnSource {
 public:
  virtual ~ColumnSource() = default;
  [[nodiscard]] virtual std::size_t rows() const noexcept = 0;
  /// Fills `out` with the rows first .. first + out.size() - 1.
  virtual void read(std::size_t first, std::span<double> out) const noexcept = 0;

  /// The type of the values before they became double. Default: float64.
  [[nodiscard]] virtual Type type() const noexcept;
  /// Fills `out` without rounding, for integer types only. Default: what read() gives.
  virtual void read_integers(std::size_t first, std::span<std::int64_t> out) const noexcept;
  /// Fills `out` with the rows first + rows[0], first + rows[1], ... Default: one read() for each
  /// row.
  virtual void gather(std::size_t first, std::span<const std::uint64_t> rows,
                      std::span<double> out) const noexcept;
  virtual void gather(std::size_t first, std::span<const std::uint32_t> rows,
                      std::span<double> out) const noexcept;
  /// The rows first .. first + rows - 1 in memory, if they are contiguous doubles there. Default:
  /// an empty span.
  [[nodiscard]] virtual std::span<const double> doubles(std::size_t first,
                                                        std::size_t rows) const noexcept;
};

class Chunked;

}  // namespace data

/// A non-owning view of one numeric column. Values are read as double; integers beyond 2^53 are
/// rounded to the nearest double.
///
///     std::vector<float> prices = ...;
///     ColumnView column(prices);            // no copy
///     double tile[256];
///     column.read(1000, tile);              // rows 1000 .. 1255
class BOOTFOLD_API ColumnView {
 public:
  ColumnView() = default;
  ColumnView(std::span<const double> values);     // NOLINT(google-explicit-constructor)
  ColumnView(std::span<const float> values);      // NOLINT(google-explicit-constructor)
  ColumnView(const std::vector<double>& values);  // NOLINT(google-explicit-constructor)
  ColumnView(const std::vector<float>& values);   // NOLINT(google-explicit-constructor)
  /// Values of any type. `stride` is the distance between consecutive rows in bytes; it may be
  /// negative.
  ColumnView(const void* first, data::Type type, std::size_t rows, std::ptrdiff_t stride);
  /// Values that `source` provides when they are read. The source must outlive the view.
  explicit ColumnView(const data::ColumnSource& source);

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] data::Type type() const noexcept { return type_; }

  /// The value of one row.
  [[nodiscard]] double operator[](std::size_t row) const noexcept;

  /// Converts rows first .. first + out.size() - 1 into `out`.
  void read(std::size_t first, std::span<double> out) const noexcept;
  /// Reads the same rows without rounding, for integer columns only. uint64 values keep their 64
  /// bits.
  void read_integers(std::size_t first, std::span<std::int64_t> out) const noexcept;

  /// Converts the given rows into `out`, in that order.
  void gather(std::span<const std::uint64_t> rows, std::span<double> out) const noexcept;
  void gather(std::span<const std::uint32_t> rows, std::span<double> out) const noexcept;

  /// A view of rows first .. first + rows - 1, which must exist.
  [[nodiscard]] ColumnView slice(std::size_t first, std::size_t rows) const noexcept;

  /// The values, if they are contiguous doubles in memory; otherwise an empty span.
  [[nodiscard]] std::span<const double> doubles() const noexcept { return doubles(0, rows_); }
  /// The same for rows first .. first + rows - 1, which must exist.
  [[nodiscard]] std::span<const double> doubles(std::size_t first, std::size_t rows) const noexcept;

 private:
  friend class data::Chunked;

  const std::byte* first_ = nullptr;
  std::size_t rows_ = 0;
  std::ptrdiff_t stride_ = 0;
  data::Type type_ = data::Type::float64;
  const data::ColumnSource* source_ = nullptr;  // in place of memory
  std::size_t source_first_ = 0;                // the row of the source that is row 0 here
};

/// A non-owning view of several columns of equal length. A row is one observation.
class BOOTFOLD_API DataView {
 public:
  DataView() = default;
  DataView(ColumnView column);                  // NOLINT(google-explicit-constructor)
  DataView(std::span<const double> values);     // NOLINT(google-explicit-constructor)
  DataView(std::span<const float> values);      // NOLINT(google-explicit-constructor)
  DataView(const std::vector<double>& values);  // NOLINT(google-explicit-constructor)
  DataView(const std::vector<float>& values);   // NOLINT(google-explicit-constructor)
  /// Throws InvalidArgument when the lengths differ.
  DataView(std::vector<ColumnView> columns);  // NOLINT(google-explicit-constructor)
  /// Columns with names, which label the results.
  DataView(std::vector<ColumnView> columns, std::vector<std::string> names);

  [[nodiscard]] std::size_t rows() const noexcept {
    return columns_.empty() ? 0 : columns_[0].rows();
  }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_.size(); }
  [[nodiscard]] const ColumnView& column(std::size_t index) const { return columns_.at(index); }
  /// The name of a column, or its number, counted from 1, if it has no name.
  [[nodiscard]] std::string name(std::size_t index) const {
    return index < names_.size() ? names_[index] : std::to_string(index + 1);
  }
  /// The column of this name among the first `columns`; none if there is no such column. Throws
  /// InvalidArgument if several have the name.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name, std::size_t columns) const;
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    return find(name, columns_.size());
  }

 private:
  std::vector<ColumnView> columns_;
  std::vector<std::string> names_;
};

namespace data {

/// How to handle rows that contain NaN in a selected column.
enum class NanPolicy {
  error,  ///< throw DataError, which names the first position
  omit,   ///< omit the row, and its labels; Table::omitted_rows() lists omitted rows
};

/// For ReadOptions::thousands: numbers have no separator of thousands.
inline constexpr char kNoSeparator = '\0';

/// Options of read().
struct ReadOptions {
  /// Columns to read, by header name, by number from 1 ("2"), or expressions of a row. A number in
  /// backticks ("`2`") is that of a column, unless one has it as its name, and the column is called
  /// by it in the table. Empty: the only column that is not a label column; if there are several,
  /// an error lists them.
  std::vector<std::string> columns = {};
  /// Columns to read as labels (groups, strata, clusters), selected in the same way. Blanks around
  /// a label are ignored. A label is missing if it is empty, or unquoted and one of `missing`;
  /// missing labels are handled by `nan`, as is NaN in .npy files.
  std::vector<std::string> labels = {};
  /// If given, all columns of the file are read after `columns`, in the order of the file, except
  /// `columns`, `labels` and the columns listed here.
  std::optional<std::vector<std::string>> all_but = std::nullopt;
  /// Columns to read as text, selected in the same way; they may be among the others too. They have
  /// all rows of the file, also those that are omitted. Numbers of .npy files become the shortest
  /// text that converts back.
  std::vector<std::string> texts = {};
  NanPolicy nan = NanPolicy::error;
  /// Whether a CSV file has a header line. Default: the first line is a header if one of its fields
  /// is text. Where both are likely, an error asks for this option: text that could be a label of
  /// the first row, and numbers that look like years or column numbers (docs/files.md).
  std::optional<bool> header = std::nullopt;
  /// Character between the fields of a CSV file. A space stands for any number of spaces and tabs.
  /// Default: a tab in .tsv files; in other files the comma, semicolon, tab, pipe or space that the
  /// first lines agree on (docs/files.md). If given, the file may have any ending.
  std::optional<char> delimiter = std::nullopt;
  /// Decimal separator of numbers: a point or a comma. With a comma the delimiter is another
  /// character. Default: a point, or a comma if the first rows can be read only so.
  std::optional<char> decimal = std::nullopt;
  /// Separator between groups of three digits: a comma, point, space, apostrophe or underscore.
  /// Numbers without it are allowed; in other positions it is an error. kNoSeparator: there is
  /// none. Default: none, or the one without which the first rows cannot be read. Where the first
  /// rows could be read in two ways, as with 1,234, an error asks.
  std::optional<char> thousands = std::nullopt;
  /// Fields that stand for missing values, as they are written in the file; the empty field always
  /// does. One that is a number stands for all spellings of it: -999 for -999.0. Default: NA, N/A,
  /// NaN and null in upper and lower case. `nan` says what is done with missing values.
  std::optional<std::vector<std::string>> missing = std::nullopt;
  /// A condition on columns of the file: "origin == 'JFK' and dep_delay > 0". Only rows for which
  /// it is true are read; a comparison with a missing value is not true. docs/files.md has the
  /// language. Columns that only the condition uses are not read otherwise.
  std::string where = {};
  /// Whether files without any row are allowed, as shards are.
  bool may_be_empty = false;
  /// Called by read() with the bytes that were read of text files, and the bytes that they have,
  /// several times a second. Not called for pipes, whose length is not known, and binary files.
  std::function<void(execution::Progress)> progress = {};
  /// Numbers for text in `columns`, and whether missing values stay (bootfold/field_codes.h).
  /// Default: text is an error.
  std::shared_ptr<FieldCodes> codes = nullptr;
};

struct Storage;     // buffers or a memory-mapped file; internal
struct TableParts;  // makes tables; internal

/// Columns read from a file, owned or memory-mapped. Copies share the values. Views are valid as
/// long as the table or a copy of it exists, also after a move.
class BOOTFOLD_API Table {
 public:
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] const DataView& view() const noexcept { return view_; }
  /// The labels of the rows of view(), one set per entry of ReadOptions::labels.
  [[nodiscard]] const Labels& labels(std::size_t index = 0) const { return labels_.at(index); }
  /// The text of all rows of the file that fulfil ReadOptions::where, one column per entry of
  /// ReadOptions::texts.
  [[nodiscard]] const Texts& texts(std::size_t index = 0) const { return texts_.at(index); }
  /// Number of omitted rows.
  [[nodiscard]] std::size_t omitted() const noexcept { return omitted_rows_.size(); }
  /// The omitted rows in ascending order, counted from 0 among all rows of the file that fulfil
  /// ReadOptions::where. The header and blank lines are not rows; in a file with one column a blank
  /// line between rows is one.
  [[nodiscard]] const std::vector<std::size_t>& omitted_rows() const noexcept {
    return omitted_rows_;
  }
  /// Number of rows that ReadOptions::where left out.
  [[nodiscard]] std::size_t filtered() const noexcept { return filtered_; }
  /// What read() found out by the rows alone: the dialect of a text file if it is not the usual
  /// one, and that a first line of several numbers was read as a row. Empty if nothing.
  [[nodiscard]] const std::string& note() const noexcept { return note_; }
  /// Bytes of the values and label codes, mapped or owned.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Throws DataError if the file is mapped and was changed since read(), by its size and the time
  /// of its last change: what was computed from it is then of no use. A mapped file that becomes
  /// shorter may also end the process by the signal SIGBUS.
  void check_unchanged() const;

 private:
  friend struct TableParts;
  explicit Table(TableParts parts);

  std::vector<std::string> names_;
  DataView view_;
  std::vector<std::size_t> omitted_rows_;
  std::string note_;
  std::size_t filtered_ = 0;
  std::shared_ptr<const Storage> storage_;
  std::size_t bytes_ = 0;
  std::vector<Labels> labels_;
  std::vector<Texts> texts_;
};

/// Reads a .csv, .tsv, .txt, .data or .dat (also .gz), .npy or .parquet file; the file name
/// extension selects the format. "-" reads CSV from standard input. .parquet needs a build with
/// Arrow C++.
///
///     auto table = data::read("visits.csv", {.columns = {"revenue"}, .labels = {"variant"}});
///
/// Several files are one table: paths, globs ("sales/*.csv") and folders of .parquet files, as
/// open() takes them (bootfold/sources.h). All files must have the columns, of the same types.
///
/// .npy files are memory-mapped, not copied, unless rows are left out. Infinite values are errors
/// under both NaN policies. Throws DataError with file:line:column for errors in the file, and
/// InvalidArgument for an unknown column (the message lists the columns).
[[nodiscard]] BOOTFOLD_API Table read(const std::string& path, const ReadOptions& options = {});
[[nodiscard]] BOOTFOLD_API Table read(const std::vector<std::string>& paths,
                                      const ReadOptions& options = {});

/// One of several pieces of the rows of read(), for processes that share the files: 0, 1, ..., of
/// about as many stored rows each. Pieces follow each other and have every row once; one may have
/// no rows, and Parquet files are cut between row groups. std::nullopt if a file can only be read
/// from its beginning, as text files.
[[nodiscard]] BOOTFOLD_API std::optional<Table> read_piece(const std::vector<std::string>& paths,
                                                           const ReadOptions& options,
                                                           std::uint64_t piece,
                                                           std::uint64_t pieces);

/// Writes a float64 .npy array of `shape` in C order. The write is atomic: the file is written
/// under a temporary name in the same folder and renamed. Throws DataError.
BOOTFOLD_API void write_npy(const std::string& path, std::span<const double> values,
                            std::span<const std::size_t> shape);
/// Writes the array in pieces. Calls `next` for each piece until it returns an empty one.
BOOTFOLD_API void write_npy(const std::string& path,
                            const std::function<std::vector<double>()>& next,
                            std::span<const std::size_t> shape);

}  // namespace data
}  // namespace bootfold
