#include "ensemble/training/number_inputs.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "ensemble/encoding/input_encoder.h"
#include "ensemble/fingerprint.h"
#include "ensemble/prediction/range.h"
#include "ensemble/ranges.h"
#include "ensemble/scaling.h"
#include "ensemble/simd/kernels.h"

namespace bootfold::ensemble {

using simd::ColumnTile;

namespace {

/// Calls see(first row, tile) for all rows of columns first .. last - 1. They share lines of the
/// cache where rows are contiguous.
template <class See>
void for_each_tile_of_group(const DataView& data, std::size_t first, std::size_t last, See&& see) {
  alignas(64) double values[ColumnTile::kColumns][ColumnTile::kRows] = {};
  for (std::size_t row = 0; row < data.rows(); row += ColumnTile::kRows) {
    const std::size_t rows = std::min(ColumnTile::kRows, data.rows() - row);
    for (std::size_t c = first; c < last; ++c) data.column(c).read(row, {values[c - first], rows});
    see(row, ColumnTile{values, last - first, rows});
  }
}

}  // namespace

NumberInputs::NumberInputs(const DataView& data, std::size_t repeated, const Execution& execution)
    : values((data.rows() + repeated) * data.columns()),
      scaling(no_scaling(data.columns())),
      range(empty_range(data.columns())) {
  const auto level = execution.level.value_or(execution::default_level());
  const simd::ColumnKernels& kernels = simd::kernels(level).columns;
  const auto rows = static_cast<double>(data.rows());
  RowChecksum checksum(data.columns(), level);
  // A group of columns stays in the cache of the processor from the first look to the last.
  for_each_range(
      data.columns(), ColumnTile::kColumns, data.rows() * data.columns(), execution,
      [&](std::size_t first, std::size_t last) {
        double* const mean = &scaling.mean[first];
        for_each_tile_of_group(data, first, last, [&](std::size_t, const ColumnTile& tile) {
          kernels.add_means(tile, rows, mean, &range.low[first], &range.high[first]);
          for (std::size_t c = 0; c < tile.columns; ++c)
            checksum.add(first + c, {tile.values[c], tile.rows});
        });
        double variance[ColumnTile::kColumns] = {};
        for_each_tile_of_group(data, first, last, [&](std::size_t, const ColumnTile& tile) {
          kernels.add_squares(tile, rows, mean, variance);
        });
        double* const scale = &scaling.scale[first];
        for (std::size_t c = 0; c < last - first; ++c) scale[c] = scale_of(mean[c], variance[c]);
        for_each_tile_of_group(data, first, last, [&](std::size_t row, const ColumnTile& tile) {
          kernels.standardize(tile, mean, scale, values.data() + row * data.columns() + first,
                              data.columns());
        });
      });
  close_empty(range);
  Fingerprint all;
  all.add(checksum, data.rows());
  fingerprint = all.value();
}

bool NumberInputs::all_numbers() const {
  for (std::size_t c = 0; c < range.low.size(); ++c)
    if (!std::isfinite(scaling.mean[c]) || !std::isfinite(range.low[c]) ||
        !std::isfinite(range.high[c]))
      return false;
  return true;
}

}  // namespace bootfold::ensemble
