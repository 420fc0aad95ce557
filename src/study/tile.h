// Reading columns a tile at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/statistic.h"

namespace bootfold::study {

/// Rows read at a time wherever nothing speaks for another number.
inline constexpr std::size_t kTileRows = 4096;

/// Rows of a chunk: what a worker takes at a time in a pass over all rows.
inline constexpr std::uint64_t kChunkRows = 64 * kTileRows;

/// Fewer where a row has many features, so that a tile of them stays below 2 MiB. The result of a
/// pass may depend on it, so it depends on nothing else.
[[nodiscard]] inline std::size_t feature_tile_rows(std::size_t features) {
  std::size_t rows = kTileRows;
  while (rows > 64 && rows * features > 64 * kTileRows) rows /= 2;
  return rows;
}

/// A window on the columns: columns of contiguous doubles are used where they lie, others are
/// converted into a buffer.
class TileReader {
 public:
  TileReader(const DataView& data, std::size_t most_rows);

  /// Rows first .. first + rows - 1. The tile is valid until the next call.
  [[nodiscard]] statistic::Tile read(std::uint64_t first, std::size_t rows);

  /// The given rows, in that order.
  [[nodiscard]] statistic::Tile gather(std::span<const std::uint64_t> rows);
  [[nodiscard]] statistic::Tile gather(std::span<const std::uint32_t> rows);

 private:
  template <class Row>
  statistic::Tile gather_rows(std::span<const Row> rows);

  const DataView& data_;
  std::vector<std::vector<double>> buffers_;
  std::vector<const double*> columns_;
  std::size_t most_rows_;
};

}  // namespace bootfold::study
