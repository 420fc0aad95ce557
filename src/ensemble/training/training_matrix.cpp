#include "ensemble/training/training_matrix.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "ensemble/column_tiles.h"
#include "ensemble/input_rows.h"
#include "ensemble/scaling.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

// `data` are rows from row `first` on.
void check_finite(const DataView& data, std::size_t first) {
  for (std::size_t c = 0; c < data.columns(); ++c)
    for_each_tile(
        data.column(c), 0, data.rows(), [&](std::size_t row, std::span<const double> values) {
          for (std::size_t i = 0; i < values.size(); ++i)
            if (!std::isfinite(values[i]))
              throw DataError(text::concat("column ", data.name(c), ", row ", first + row + i + 1,
                                           ": ", values[i], " is not finite; remove such rows"));
        });
}

std::vector<float> read_weights(const ColumnView& column) {
  std::vector<float> weights(column.rows());
  double sum = 0;
  for_each_tile(column, 0, column.rows(), [&](std::size_t row, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(values[i] >= 0) || !std::isfinite(values[i]))
        throw DataError(text::concat("the weight of row ", row + i + 1, " is ", values[i],
                                     " but must be finite and not negative"));
      sum += values[i];
    }
  });
  if (!(sum > 0)) throw DataError("all weights are 0; at least one must be positive");
  const double scale = static_cast<double>(column.rows()) / sum;
  for (std::size_t row = 0; row < weights.size(); ++row)
    weights[row] = static_cast<float>(column[row] * scale);
  return weights;
}

}  // namespace

TrainingMatrix::TrainingMatrix(const Examples& examples, const Scaling& input_scaling,
                               const Scaling& target_scaling, std::size_t repeated)
    : rows(examples.rows()),
      columns(examples.columns()),
      targets_each(examples.classes != nullptr ? 1 : examples.targets.columns()) {
  inputs.resize((rows + repeated) * columns);
  for_each_chunk(examples, [&](std::size_t first, const DataView& some) {
    check_finite(some, first);
    read_rows(some, input_scaling, 0, some.rows(), inputs.data() + first * columns);
  });
  targets.resize((rows + repeated) * targets_each);
  if (examples.classes != nullptr) {
    std::copy(examples.classes->codes.begin(), examples.classes->codes.end(), targets.begin());
  } else {
    check_finite(examples.targets, 0);
    read_rows(examples.targets, target_scaling, 0, rows, targets.data());
  }
  for (std::size_t i = 0; i < repeated * columns; ++i)
    inputs[rows * columns + i] = inputs[i % (rows * columns)];
  for (std::size_t i = 0; i < repeated * targets_each; ++i)
    targets[rows * targets_each + i] = targets[i % (rows * targets_each)];
  if (examples.weights) weights = read_weights(*examples.weights);
}

}  // namespace bootfold::ensemble
