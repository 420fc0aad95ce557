// bootfold/data.h: columns of numbers, and the files they come from.
//
// A view never owns. The engine reads a view tile by tile and converts on the way, so float32,
// integers, strided columns of a matrix and memory-mapped files are used where they lie.
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
#include "bootfold/labels.h"

namespace bootfold {

namespace data {

/// The number types a column can hold.
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

/// Bytes of one value.
[[nodiscard]] BOOTFOLD_API std::size_t size_of(Type type) noexcept;

/// A column of numbers that are fetched or computed when they are read. Called from several threads
/// at once; every read of a row must give the same value.
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
};

}  // namespace data

/// One column of numbers that somebody else owns. Values are read as double (integers beyond 2^53
/// are rounded to the nearest double).
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
  /// Any type and stride (in bytes between neighbouring rows; may be negative).
  ColumnView(const void* first, data::Type type, std::size_t rows, std::ptrdiff_t stride);
  /// Values that a source makes when they are read; it must outlive the view.
  explicit ColumnView(const data::ColumnSource& source);

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] data::Type type() const noexcept { return type_; }

  /// The value of one row.
  [[nodiscard]] double operator[](std::size_t row) const noexcept;

  /// Converts rows first .. first + out.size() - 1 into `out`.
  void read(std::size_t first, std::span<double> out) const noexcept;
  /// The same without rounding, for columns of integers only; uint64 keeps its 64 bits.
  void read_integers(std::size_t first, std::span<std::int64_t> out) const noexcept;

  /// Converts the given rows into `out`, in that order.
  void gather(std::span<const std::uint64_t> rows, std::span<double> out) const noexcept;
  void gather(std::span<const std::uint32_t> rows, std::span<double> out) const noexcept;

  /// Rows first .. first + rows - 1 as a column of their own; they must be there.
  [[nodiscard]] ColumnView slice(std::size_t first, std::size_t rows) const noexcept;

  /// The values themselves if they are contiguous doubles, else an empty span.
  [[nodiscard]] std::span<const double> doubles() const noexcept;

 private:
  const std::byte* first_ = nullptr;
  std::size_t rows_ = 0;
  std::ptrdiff_t stride_ = 0;
  data::Type type_ = data::Type::float64;
  const data::ColumnSource* source_ = nullptr;  // in place of memory
  std::size_t source_first_ = 0;                // the row of the source that is row 0 here
};

/// Several columns of equal length, row by row the same observation.
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
  /// With a name for each column; results are labelled with them.
  DataView(std::vector<ColumnView> columns, std::vector<std::string> names);

  [[nodiscard]] std::size_t rows() const noexcept {
    return columns_.empty() ? 0 : columns_[0].rows();
  }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_.size(); }
  [[nodiscard]] const ColumnView& column(std::size_t index) const { return columns_.at(index); }
  /// The name of a column; its number from 1 if it was given none.
  [[nodiscard]] std::string name(std::size_t index) const {
    return index < names_.size() ? names_[index] : std::to_string(index + 1);
  }

 private:
  std::vector<ColumnView> columns_;
  std::vector<std::string> names_;
};

namespace data {

/// What to do with rows that hold NaN in a chosen column.
enum class NanPolicy {
  error,  ///< throw DataError that names the first position
  omit,   ///< leave the row out, of the labels too; Table::omitted counts them
};

/// What to read from a file.
struct ReadOptions {
  /// Names from the header, or numbers from 1 ("2"). Empty: the only column there is beside the
  /// labels, else an error that lists the columns.
  std::vector<std::string> columns = {};
  /// Columns to read as labels (groups, strata, clusters), named the same way. Blanks round a
  /// label do not count; a field that is empty, or NA, N/A, NaN or null without quotes, is missing
  /// and follows `nan`, as NaN does in .npy files.
  std::vector<std::string> labels = {};
  /// If given: behind `columns`, every other column in the order of the file, but not the labels
  /// nor these.
  std::optional<std::vector<std::string>> all_but = std::nullopt;
  NanPolicy nan = NanPolicy::error;
  /// CSV: has a header line. Unless given, the first line is one if a field of it is text; where
  /// that may be a label of the first row, an error asks.
  std::optional<bool> header = std::nullopt;
};

/// Columns read from a file, owned or memory-mapped. Movable, not copyable; views stay valid while
/// it lives, also after a move.
class BOOTFOLD_API Table {
 public:
  struct Storage;  // private: buffers or a mapping

  Table(std::vector<std::string> names, DataView view, std::size_t omitted,
        std::shared_ptr<const Storage> storage, std::size_t bytes, std::vector<Labels> labels = {});

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] const DataView& view() const noexcept { return view_; }
  /// Row by row those of view(), in the order of ReadOptions::labels.
  [[nodiscard]] const Labels& labels(std::size_t index = 0) const { return labels_.at(index); }
  [[nodiscard]] std::size_t omitted() const noexcept { return omitted_; }
  /// Memory of the values and codes, mapped or owned.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::string> names_;
  DataView view_;
  std::size_t omitted_ = 0;
  std::shared_ptr<const Storage> storage_;
  std::size_t bytes_ = 0;
  std::vector<Labels> labels_;
};

/// Reads .csv, .tsv (also .gz) or .npy, by the ending of the name; "-" is CSV on standard input.
///
///     auto table = data::read("prices.csv", {.columns = {"price"}});
///     auto result = bootstrap(table.view(), statistic::mean());
///
/// Throws DataError with file:line:column for what is wrong in the file, InvalidArgument for an
/// unknown column (the message lists those there are). Infinite values are errors under both
/// policies. .npy files are mapped, not copied, unless rows have to be left out.
[[nodiscard]] BOOTFOLD_API Table read(const std::string& path, const ReadOptions& options = {});

/// Writes a float64 .npy array of `shape` in C order. The file appears whole or not at all: it is
/// written under a temporary name in the same folder and renamed. Throws DataError.
BOOTFOLD_API void write_npy(const std::string& path, std::span<const double> values,
                            std::span<const std::size_t> shape);
/// The same piece by piece, until `next` returns an empty one.
BOOTFOLD_API void write_npy(const std::string& path,
                            const std::function<std::vector<double>()>& next,
                            std::span<const std::size_t> shape);

/// Writes bytes as they are, in the same way; or piece by piece, until `next` returns an empty one.
BOOTFOLD_API void write_file(const std::string& path, std::string_view bytes);
BOOTFOLD_API void write_file(const std::string& path, const std::function<std::string()>& next);

/// Throws DataError now if write_npy(path, ...) could not create its file later.
BOOTFOLD_API void check_writable(const std::string& path);

}  // namespace data
}  // namespace bootfold
