// Columns read in tiles of a fixed number of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "bootfold/data.h"

namespace bootfold::ensemble {

/// Calls see(first row, values) for the tiles of rows first .. first + rows - 1 of a column.
template <class See>
void for_each_tile(const ColumnView& column, std::size_t first, std::size_t rows, See&& see) {
  constexpr std::size_t kTileRows = 1024;
  double tile[kTileRows];
  for (std::size_t row = first; row < first + rows; row += kTileRows) {
    const std::size_t size = std::min(kTileRows, first + rows - row);
    column.read(row, {tile, size});
    see(row, std::span<const double>(tile, size));
  }
}

}  // namespace bootfold::ensemble
