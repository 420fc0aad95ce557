// Loops over rows or columns on threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "bootfold/data.h"
#include "bootfold/execution.h"

namespace bootfold::ensemble {

/// Calls body(first, last) for ranges of `each` items of 0 .. count - 1, on the threads of
/// `execution`, in any order and without progress. `values` is the number of values that all of
/// them look at: too few are not worth the start of a thread.
template <class Body>
void for_each_range(std::size_t count, std::size_t each, std::size_t values, Execution execution,
                    Body&& body) {
  constexpr std::size_t kWorthAThread = 1'000'000;
  if (values < kWorthAThread) execution.threads = 1;
  execution.progress = {};
  execution::detail::run_chunks((count + each - 1) / each, 0, execution,
                                [&](const execution::Worker&, std::size_t part) {
                                  body(part * each, std::min((part + 1) * each, count));
                                });
}

/// Calls body(first, last, row, tile) for tiles of rows from `row` on, in order, and for groups of
/// up to kTogether columns first .. last - 1: tile[k] has the values of column first + k.
/// Neighbouring columns go together, so that memory is read well whether rows or columns are
/// contiguous.
template <std::size_t kTogether, class Body>
void for_each_tile_of(const DataView& rows, const Execution& execution, Body&& body) {
  constexpr std::size_t kTileRows = 512;
  constexpr std::size_t kNeighbours = 16;  // columns whose values share lines of the cache
  for_each_range(rows.columns(), kNeighbours, rows.rows() * rows.columns(), execution,
                 [&](std::size_t begin, std::size_t end) {
                   double values[kTogether][kTileRows] = {};
                   std::span<double> tile[kTogether];
                   for (std::size_t row = 0; row < rows.rows(); row += kTileRows) {
                     const std::size_t some = std::min(kTileRows, rows.rows() - row);
                     for (std::size_t k = 0; k < kTogether; ++k) tile[k] = {values[k], some};
                     for (std::size_t first = begin; first < end; first += kTogether) {
                       const std::size_t last = std::min(first + kTogether, end);
                       for (std::size_t c = first; c < last; ++c)
                         rows.column(c).read(row, tile[c - first]);
                       body(first, last, row, tile);
                     }
                   }
                 });
}

/// The same for one column at a time: body(column, first row, values).
template <class Body>
void for_each_column_tile(const DataView& rows, const Execution& execution, Body&& body) {
  for_each_tile_of<1>(
      rows, execution,
      [&](std::size_t column, std::size_t, std::size_t row, const std::span<double>* tile) {
        body(column, row, std::span<const double>(tile[0]));
      });
}

}  // namespace bootfold::ensemble
