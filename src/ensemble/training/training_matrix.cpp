#include "ensemble/training/training_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bootfold/error.h"
#include "ensemble/column_tiles.h"
#include "ensemble/encoding/input_encoder.h"
#include "ensemble/input_rows.h"
#include "ensemble/scaling.h"
#include "ensemble/training/row_checks.h"
#include "ensemble/transform.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

std::vector<float> read_weights(const ColumnView& column) {
  std::vector<float> weights(column.rows());
  const double scale = static_cast<double>(column.rows()) / total_weight(column);
  for (std::size_t row = 0; row < weights.size(); ++row)
    weights[row] = static_cast<float>(column[row] * scale);
  return weights;
}

}  // namespace

TrainingMatrix::TrainingMatrix(const Examples& examples, const Ensemble::Frame& frame,
                               std::size_t repeated, const Execution& execution,
                               NumberInputs* numbers)
    : rows(examples.rows()),
      columns(frame.encoding.columns(examples.columns())),
      targets_each(examples.classes != nullptr ? 1 : examples.targets.columns()),
      inputs(numbers != nullptr ? std::move(numbers->values)
                                : execution::LargeArray<float>((rows + repeated) * columns)) {
  if (numbers == nullptr) {
    const InputEncoder encoder(frame.encoding, frame.input_scaling, examples.columns());
    for_each_chunk(examples, [&](std::size_t first, const DataView& some) {
      encoder.check_and_encode(some, first, execution, inputs.data() + first * columns);
    });
  } else if (!numbers->all_numbers()) {
    check_inputs(frame.encoding, examples.inputs, 0, execution);
  }
  targets.resize((rows + repeated) * targets_each);
  if (examples.classes != nullptr) {
    std::copy(examples.classes->codes.begin(), examples.classes->codes.end(), targets.begin());
  } else {
    check_inputs({}, examples.targets, 0, execution);
    if (frame.transforms.empty()) {
      if (!read_rows(examples.targets, frame.target_scaling, 0, rows, targets.data(),
                     kMostStandardized))
        check_target_reach(examples, frame.target_scaling);
    } else {
      const std::vector<std::vector<double>> transformed =
          transformed_targets(examples.targets, frame.transforms);
      read_rows(DataView(std::vector<ColumnView>(transformed.begin(), transformed.end())),
                frame.target_scaling, 0, rows, targets.data());
    }
  }
  for (std::size_t i = 0; i < repeated * columns; ++i)
    inputs[rows * columns + i] = inputs[i % (rows * columns)];
  for (std::size_t i = 0; i < repeated * targets_each; ++i)
    targets[rows * targets_each + i] = targets[i % (rows * targets_each)];
  if (examples.weights) weights = read_weights(*examples.weights);
}

}  // namespace bootfold::ensemble
