// The rows of the data as the kernels read them: 32-bit, scaled, row by row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Means and standard deviations of columns.
[[nodiscard]] Scaling scaling_of(const DataView& data);
/// Leaves columns as they are.
[[nodiscard]] Scaling no_scaling(std::size_t columns);

/// Rows of `data`, scaled: [row][column], at `out`.
void read_rows(const DataView& data, const Scaling& scaling, std::size_t first, std::size_t rows,
               float* out);

/// Examples in memory. The first `again` rows are repeated at the end, so that a batch that goes
/// round is in one piece.
struct Table {
  Table(const Examples& examples, const Scaling& inputs_by, const Scaling& targets_by,
        std::size_t again);

  std::size_t rows;
  std::size_t columns;
  std::size_t targets_each;    // 1 for classes
  std::vector<float> inputs;   // [row][column]
  std::vector<float> targets;  // [row][target]
  std::vector<float> weights;  // [row], of mean 1; empty: all 1
};

}  // namespace bootfold::ensemble
