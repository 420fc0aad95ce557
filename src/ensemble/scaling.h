// Standardization of columns.
#pragma once

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Means and standard deviations of the columns.
[[nodiscard]] Scaling scaling_of(const DataView& data);
/// Leaves columns unchanged: mean 0 and scale 1.
[[nodiscard]] Scaling no_scaling(std::size_t columns);

/// Reads and scales rows first .. first + rows - 1 to out[row][column].
void read_rows(const DataView& data, const Scaling& scaling, std::size_t first, std::size_t rows,
               float* out);

}  // namespace bootfold::ensemble
