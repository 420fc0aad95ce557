// bootfold/source.h: rows that are read in chunks, as often as needed.
//
//     struct Days final : data::Source {
//       const std::vector<std::string>& names() const noexcept override { return names_; }
//       std::optional<std::uint64_t> rows() const noexcept override { return std::nullopt; }
//       std::unique_ptr<data::Pass> open() const override { return std::make_unique<DayPass>(); }
//       std::vector<std::string> names_ = {"price"};
//     };
//
// A source stands for data that need not fit in memory: a file larger than that, or rows that
// another library makes. What is computed from a source has the bits of the same rows in memory,
// whatever its chunks are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"

namespace bootfold::data {

/// Rows that arrive together. Copies share the values.
struct Chunk {
  DataView view = {};
  std::shared_ptr<const void> owner = {};  ///< keeps the values of the view alive
};

/// One pass over the rows of a source, from the first to the last. Used by one thread at a time.
class BOOTFOLD_API Pass {
 public:
  virtual ~Pass() = default;
  /// The next rows, with all columns of the source; std::nullopt after the last. A chunk may have
  /// no rows. Throws DataError.
  [[nodiscard]] virtual std::optional<Chunk> next() = 0;
};

/// Rows that can be read again. Every pass gives the same rows in the same order; they may be cut
/// into other chunks.
class BOOTFOLD_API Source {
 public:
  virtual ~Source() = default;
  /// The names of the columns.
  [[nodiscard]] virtual const std::vector<std::string>& names() const noexcept = 0;
  /// The number of rows, if it is known before they are read.
  [[nodiscard]] virtual std::optional<std::uint64_t> rows() const noexcept = 0;
  /// Starts a pass. Several passes may be open at once. Throws DataError.
  [[nodiscard]] virtual std::unique_ptr<Pass> open() const = 0;

  /// The number of rows as they are stored, before conditions and missing values, if slice() can
  /// begin at any of them; std::nullopt if the source can only be read from its beginning.
  [[nodiscard]] virtual std::optional<std::uint64_t> stored_rows() const noexcept {
    return std::nullopt;
  }
  /// What is stored in rows first .. first + count - 1. If rows are stored in groups (Parquet), the
  /// slice has the groups that begin there, so that slices that follow each other have every row
  /// once. A slice may have no rows. Throws InvalidArgument for rows that are not there, and if
  /// stored_rows() is not known.
  [[nodiscard]] virtual std::unique_ptr<Source> slice(std::uint64_t first,
                                                      std::uint64_t count) const;
};

}  // namespace bootfold::data
