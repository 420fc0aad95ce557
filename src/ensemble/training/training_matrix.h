// Training examples in memory as the kernels read them: 32-bit, scaled, row by row.
#pragma once

#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/training/number_inputs.h"
#include "execution/large_array.h"

namespace bootfold::ensemble {

/// The first `repeated` rows are stored again at the end, so that a batch that wraps around is
/// contiguous. Throws DataError for values that are not finite.
struct TrainingMatrix {
  /// Takes the inputs of `numbers`, which have room for the repeated rows, if they are given.
  TrainingMatrix(const Examples& examples, const Ensemble::Frame& frame, std::size_t repeated,
                 const Execution& execution = {.threads = 1}, NumberInputs* numbers = nullptr);

  std::size_t rows;
  std::size_t columns;                  // inputs of the networks
  std::size_t targets_each;             // 1 for classes
  execution::LargeArray<float> inputs;  // [row][column]
  std::vector<float> targets;           // [row][target]
  std::vector<float> weights;           // [row], with mean 1; empty: all 1
};

}  // namespace bootfold::ensemble
