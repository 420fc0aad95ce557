#include "ensemble/scaling.h"

#include <cmath>
#include <utility>

#include "ensemble/column_tiles.h"

namespace bootfold::ensemble {

Scaling no_scaling(std::size_t columns) {
  return {std::vector<double>(columns, 0.0), std::vector<double>(columns, 1.0)};
}

Means::Means(std::size_t rows, std::size_t columns)
    : rows_(static_cast<double>(rows)), mean_(columns) {}

void Means::add(const DataView& rows) {
  for (std::size_t c = 0; c < mean_.size(); ++c) {
    double sum = mean_[c];
    for_each_tile(rows.column(c), 0, rows.rows(), [&](std::size_t, std::span<const double> tile) {
      for (const double value : tile) sum += value / rows_;
    });
    mean_[c] = sum;
  }
}

Deviations::Deviations(std::size_t rows, std::vector<double> mean)
    : rows_(static_cast<double>(rows)), mean_(std::move(mean)), squares_(mean_.size()) {}

void Deviations::add(const DataView& rows) {
  for (std::size_t c = 0; c < mean_.size(); ++c) {
    const double mean = mean_[c];
    double squares = squares_[c];
    for_each_tile(rows.column(c), 0, rows.rows(), [&](std::size_t, std::span<const double> tile) {
      for (const double value : tile) squares += (value - mean) * (value - mean) / rows_;
    });
    squares_[c] = squares;
  }
}

Scaling Deviations::scaling() const {
  Scaling scaling = no_scaling(mean_.size());
  scaling.mean = mean_;
  for (std::size_t c = 0; c < mean_.size(); ++c) {
    // The rounding errors of a constant column are not variation.
    const double deviation = std::sqrt(squares_[c]);
    if (deviation > 1e-12 * std::abs(mean_[c])) scaling.scale[c] = deviation;
  }
  return scaling;
}

Scaling scaling_of(const DataView& data) {
  Means means(data.rows(), data.columns());
  means.add(data);
  Deviations deviations(data.rows(), means.mean());
  deviations.add(data);
  return deviations.scaling();
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
