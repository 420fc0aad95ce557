#include "ensemble/scaling.h"

#include <cmath>

#include "ensemble/column_tiles.h"

namespace bootfold::ensemble {

Scaling no_scaling(std::size_t columns) {
  return {std::vector<double>(columns, 0.0), std::vector<double>(columns, 1.0)};
}

Scaling scaling_of(const DataView& data) {
  Scaling scaling = no_scaling(data.columns());
  const auto rows = static_cast<double>(data.rows());
  for (std::size_t c = 0; c < data.columns(); ++c) {
    double sum = 0;
    for_each_tile(data.column(c), 0, data.rows(), [&](std::size_t, std::span<const double> tile) {
      for (const double value : tile) sum += value / rows;
    });
    double squares = 0;
    for_each_tile(data.column(c), 0, data.rows(), [&](std::size_t, std::span<const double> tile) {
      for (const double value : tile) squares += (value - sum) * (value - sum) / rows;
    });
    scaling.mean[c] = sum;
    // The rounding errors of a constant column are not variation.
    const double deviation = std::sqrt(squares);
    if (deviation > 1e-12 * std::abs(sum)) scaling.scale[c] = deviation;
  }
  return scaling;
}

void read_rows(const DataView& data, const Scaling& scaling, std::size_t first, std::size_t rows,
               float* out) {
  const std::size_t columns = data.columns();
  for (std::size_t c = 0; c < columns; ++c)
    for_each_tile(data.column(c), first, rows,
                  [&](std::size_t row, std::span<const double> values) {
                    for (std::size_t i = 0; i < values.size(); ++i)
                      out[(row - first + i) * columns + c] =
                          static_cast<float>((values[i] - scaling.mean[c]) / scaling.scale[c]);
                  });
}

}  // namespace bootfold::ensemble
