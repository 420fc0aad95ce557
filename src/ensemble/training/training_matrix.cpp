#include "ensemble/training/training_matrix.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

constexpr std::size_t kTile = 1024;

/// Calls see(first row, values) for the tiles of a column.
template <class See>
void for_each_tile(const ColumnView& column, std::size_t first, std::size_t rows, See&& see) {
  double tile[kTile];
  for (std::size_t row = first; row < first + rows; row += kTile) {
    const std::size_t size = std::min(kTile, first + rows - row);
    column.read(row, {tile, size});
    see(row, std::span<const double>(tile, size));
  }
}

void check_finite(const DataView& data) {
  for (std::size_t c = 0; c < data.columns(); ++c)
    for_each_tile(
        data.column(c), 0, data.rows(), [&](std::size_t row, std::span<const double> values) {
          for (std::size_t i = 0; i < values.size(); ++i)
            if (!std::isfinite(values[i]))
              throw DataError(text::concat("column ", data.name(c), ", row ", row + i + 1, ": ",
                                           values[i],
                                           " is no number that can be learned from; leave such "
                                           "rows out"));
        });
}

std::vector<float> read_weights(const ColumnView& column) {
  std::vector<float> weights(column.rows());
  double sum = 0;
  for_each_tile(column, 0, column.rows(), [&](std::size_t row, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(values[i] >= 0) || !std::isfinite(values[i]))
        throw DataError(text::concat("the weight of row ", row + i + 1, " is ", values[i],
                                     " but must be a number that is not negative"));
      sum += values[i];
    }
  });
  if (!(sum > 0)) throw DataError("all weights are 0, so there is nothing to learn from");
  const double scale = static_cast<double>(column.rows()) / sum;
  for (std::size_t row = 0; row < weights.size(); ++row)
    weights[row] = static_cast<float>(column[row] * scale);
  return weights;
}

}  // namespace

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
    // What rounding left of a constant is no variation.
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

Table::Table(const Examples& examples, const Scaling& inputs_by, const Scaling& targets_by,
             std::size_t again)
    : rows(examples.inputs.rows()),
      columns(examples.inputs.columns()),
      targets_each(examples.classes != nullptr ? 1 : examples.targets.columns()) {
  check_finite(examples.inputs);
  inputs.resize((rows + again) * columns);
  read_rows(examples.inputs, inputs_by, 0, rows, inputs.data());
  targets.resize((rows + again) * targets_each);
  if (examples.classes != nullptr) {
    std::copy(examples.classes->codes.begin(), examples.classes->codes.end(), targets.begin());
  } else {
    check_finite(examples.targets);
    read_rows(examples.targets, targets_by, 0, rows, targets.data());
  }
  for (std::size_t i = 0; i < again * columns; ++i)
    inputs[rows * columns + i] = inputs[i % (rows * columns)];
  for (std::size_t i = 0; i < again * targets_each; ++i)
    targets[rows * targets_each + i] = targets[i % (rows * targets_each)];
  if (examples.weights) weights = read_weights(*examples.weights);
}

}  // namespace bootfold::ensemble
