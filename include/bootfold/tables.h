// bootfold/tables.h: files larger than memory as a row of tables, with labels and texts.
//
//     data::Tables visits({"visits.csv"}, {.columns = {"revenue"}, .labels = {"variant"}});
//     auto pass = visits.open();
//     while (auto table = pass->next()) add_up(table->view(), table->labels(0));
//
// A source (bootfold/sources.h) has numbers alone, which is what the engine adds up. Tables have
// all that read() gives, some rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"
#include "bootfold/sources.h"

namespace bootfold::data {

/// One pass over the rows of files, from the first to the last. Used by one thread at a time.
class BOOTFOLD_API TablePass {
 public:
  virtual ~TablePass() = default;
  /// The next rows; std::nullopt after the last. A table may have no rows. Codes of labels,
  /// omitted_rows() and filtered() are those of this table alone. Throws DataError.
  [[nodiscard]] virtual std::optional<Table> next() = 0;
};

/// Files that are read some rows at a time, as often as needed. Tables put together have the rows
/// of read() with the same options.
class BOOTFOLD_API Tables {
 public:
  /// Paths are those of read(). `chunk_bytes` are the bytes of numbers of a table, about. Standard
  /// input and pipes can be read once only, so they are read into memory. Throws DataError and
  /// InvalidArgument as read() does.
  explicit Tables(const std::vector<std::string>& paths, const ReadOptions& options = {},
                  std::size_t chunk_bytes = kChunkBytes);
  ~Tables();
  Tables(Tables&&) noexcept;
  Tables& operator=(Tables&&) noexcept;

  /// The names of the columns of numbers.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept;
  /// The number of rows, if it is known before they are read.
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept;
  /// As Table::note().
  [[nodiscard]] const std::string& note() const noexcept;
  /// Starts a pass. A pass throws DataError if no row is left, and if a file changed since the
  /// tables were made.
  [[nodiscard]] std::unique_ptr<TablePass> open() const;

  struct State;  ///< shared with the passes; internal

 private:
  std::shared_ptr<const State> state_;
};

}  // namespace bootfold::data
