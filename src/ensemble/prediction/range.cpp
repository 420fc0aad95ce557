#include "ensemble/prediction/range.h"

#include <algorithm>
#include <limits>

#include "bootfold/ensemble/range.h"
#include "bootfold/error.h"
#include "ensemble/column_tiles.h"
#include "text/concat.h"

namespace bootfold::ensemble {

Range empty_range(std::size_t columns) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {std::vector<double>(columns, kInfinity), std::vector<double>(columns, -kInfinity)};
}

void widen(Range& range, const Examples& examples, std::size_t first, const DataView& rows) {
  for (std::size_t c = 0; c < rows.columns(); ++c)
    for_each_tile(rows.column(c), 0, rows.rows(),
                  [&](std::size_t row, std::span<const double> tile) {
                    for (std::size_t i = 0; i < tile.size(); ++i) {
                      if (examples.weights && (*examples.weights)[first + row + i] == 0) continue;
                      range.low[c] = std::min(range.low[c], tile[i]);
                      range.high[c] = std::max(range.high[c], tile[i]);
                    }
                  });
}

void count_outside(const Range& range, const DataView& inputs, std::size_t first, std::size_t rows,
                   std::uint32_t* out) {
  std::fill_n(out, rows, 0U);
  for (std::size_t c = 0; c < inputs.columns(); ++c)
    for_each_tile(inputs.column(c), first, rows,
                  [&, low = range.low[c], high = range.high[c]](std::size_t row,
                                                                std::span<const double> tile) {
                    for (std::size_t i = 0; i < tile.size(); ++i)  // NaN is outside
                      out[row - first + i] += !(tile[i] >= low && tile[i] <= high);
                  });
}

std::vector<std::uint32_t> outside_range(const Range& range, const DataView& inputs) {
  if (inputs.columns() != range.low.size() || inputs.columns() != range.high.size())
    throw InvalidArgument(text::concat("the rows have ", inputs.columns(),
                                       " columns but the range has ", range.low.size(),
                                       "; give the same columns"));
  std::vector<std::uint32_t> outside(inputs.rows());
  count_outside(range, inputs, 0, inputs.rows(), outside.data());
  return outside;
}

}  // namespace bootfold::ensemble
