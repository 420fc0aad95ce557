// bootfold/sources.h: memory, files and Arrow streams as sources of rows.
//
//     auto sales = data::open("sales/*.parquet", {.columns = {"price"}, .where = "year >= 2020"});
//     data::Table table = data::load(*sales);   // if the rows fit in memory
//
// A source of files reads chunk by chunk: its memory is a few chunks, whatever the size of the
// files. Every pass reads the files again, and throws DataError if one of them changed since the
// source was opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/arrow_c.h"
#include "bootfold/data.h"
#include "bootfold/source.h"

namespace bootfold::data {

/// Bytes of a chunk unless another number is given.
inline constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

/// What reading assumed and left out.
struct ReadNotes {
  std::string note = {};       ///< as Table::note()
  std::uint64_t omitted = 0;   ///< rows with NaN that nan=omit left out
  std::uint64_t filtered = 0;  ///< rows that `where` left out
};

/// Rows in memory, in chunks.
///
///     std::vector<double> prices = ...;
///     data::MemorySource source(prices, 1000);
class BOOTFOLD_API MemorySource final : public Source {
 public:
  /// `view` must outlive the source, unless `owner` keeps its values alive. Throws InvalidArgument
  /// if `chunk_rows` is 0 or there is no column.
  MemorySource(DataView view, std::size_t chunk_rows, std::shared_ptr<const void> owner = {});

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override { return view_.rows(); }
  [[nodiscard]] std::unique_ptr<Pass> open() const override;
  [[nodiscard]] std::optional<std::uint64_t> stored_rows() const noexcept override {
    return rows();
  }
  [[nodiscard]] std::unique_ptr<Source> slice(std::uint64_t first,
                                              std::uint64_t count) const override;

 private:
  DataView view_;
  std::vector<std::string> names_;
  std::size_t chunk_rows_;
  std::shared_ptr<const void> owner_;
};

/// Several sources, one after the other.
class BOOTFOLD_API Concatenated final : public Source {
 public:
  /// A source, and what messages call it: the path of a file.
  struct Part {
    std::string name;
    std::shared_ptr<const Source> source;
  };

  /// Throws DataError that names the part if its columns are not those of the first part, in the
  /// same order, or if they are known to be of other types. A pass over parts that have no rows at
  /// all throws DataError unless `may_be_empty`.
  explicit Concatenated(std::vector<Part> parts, bool may_be_empty = false);
  ~Concatenated() override;

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override;
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override;
  [[nodiscard]] std::unique_ptr<Pass> open() const override;
  /// Known if all parts can be cut.
  [[nodiscard]] std::optional<std::uint64_t> stored_rows() const noexcept override;
  [[nodiscard]] std::unique_ptr<Source> slice(std::uint64_t first,
                                              std::uint64_t count) const override;

  /// Of those parts that are files; the numbers are those of the last complete pass.
  [[nodiscard]] ReadNotes notes() const;

  struct State;  ///< shared with the passes; internal

 private:
  explicit Concatenated(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// The rows of a source for which a condition is true.
///
///     data::Filtered late(flights, "dep_delay > 0", {"arr_delay"});
class BOOTFOLD_API Filtered final : public Source {
 public:
  /// `where` is written as ReadOptions::where; it compares numbers. `columns` are the columns of
  /// this source; all of them if there are none. Throws InvalidArgument for a condition that cannot
  /// be read and for columns that `source` does not have.
  Filtered(std::shared_ptr<const Source> source, const std::string& where,
           const std::vector<std::string>& columns = {});
  ~Filtered() override;

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override;
  /// Not known before the rows are read.
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override;
  [[nodiscard]] std::unique_ptr<Pass> open() const override;

  struct State;  ///< shared with the passes; internal

 private:
  std::shared_ptr<const State> state_;
};

/// A stream of record batches of the Arrow C stream interface: pyarrow, polars, DuckDB, ...
///
///     data::ArrowSource source([&](ArrowArrayStream* stream) { table.export_to(stream); });
///
/// Columns of numbers without nulls are used where they lie. Booleans are unpacked to bytes. A null
/// is NaN; a batch of integers with nulls is converted to double for that.
class BOOTFOLD_API ArrowSource final : public Source {
 public:
  /// `open` starts the stream anew, and is called once now, for the schema, and once for every
  /// pass. `options` choose columns, the condition and what is done about NaN. Throws DataError.
  explicit ArrowSource(std::function<void(ArrowArrayStream*)> open,
                       const ReadOptions& options = {});
  ~ArrowSource() override;

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override;
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override;
  [[nodiscard]] std::unique_ptr<Pass> open() const override;
  /// The numbers are those of the last complete pass.
  [[nodiscard]] ReadNotes notes() const;

 private:
  Concatenated source_;
};

/// Opens one file or several, which are read one after the other: paths, globs ("sales/*.csv"), and
/// folders of .parquet files, which are searched with their subfolders. Files that a glob or folder
/// stands for are in the order of their names.
///
/// Options are those of read(), but without labels and texts. `chunk_bytes` is the size of a chunk.
/// All files must have the columns, of the same types. Standard input and pipes can be read once
/// only, so they are read into memory. Throws DataError and InvalidArgument as read() does.
[[nodiscard]] BOOTFOLD_API std::unique_ptr<Source> open(const std::string& path,
                                                        const ReadOptions& options = {},
                                                        std::size_t chunk_bytes = kChunkBytes);
[[nodiscard]] BOOTFOLD_API std::unique_ptr<Source> open(const std::vector<std::string>& paths,
                                                        const ReadOptions& options = {},
                                                        std::size_t chunk_bytes = kChunkBytes);

/// Binary files without a header: values of one type in the byte order of the processor, row by
/// row, behind `offset` bytes.
struct RawFormat {
  Type type = Type::float64;
  std::size_t columns = 1;
  std::uint64_t offset = 0;
};

/// Opens a file of that format. Columns are named by number from 1. Throws DataError if the values
/// do not end with a complete row.
[[nodiscard]] BOOTFOLD_API std::unique_ptr<Source> open_raw(const std::string& path,
                                                            const RawFormat& format,
                                                            const ReadOptions& options = {},
                                                            std::size_t chunk_bytes = kChunkBytes);

/// The files that paths, globs and folders stand for, in the order of open(). Throws DataError for
/// a glob that matches nothing and for a folder without .parquet files.
[[nodiscard]] BOOTFOLD_API std::vector<std::string> expand(const std::vector<std::string>& paths);

/// All rows of a source in memory, each column in its type. A column whose chunks differ in type is
/// converted to double. Throws DataError if there are no rows.
[[nodiscard]] BOOTFOLD_API Table load(const Source& source);

/// The notes of a source that open() made, or of another source that has notes(); others have none.
[[nodiscard]] BOOTFOLD_API ReadNotes notes(const Source& source);

}  // namespace bootfold::data
