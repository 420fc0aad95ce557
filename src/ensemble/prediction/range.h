// The range of the training rows, and rows outside it.
#pragma once

#include <cstdint>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Smallest and largest value of each input, without rows of weight 0, which nothing is learned
/// from.
[[nodiscard]] Range range_of(const Examples& examples);

/// Writes to out[0 .. rows - 1] how many columns of rows first .. first + rows - 1 are outside.
void count_outside(const Range& range, const DataView& inputs, std::size_t first, std::size_t rows,
                   std::uint32_t* out);

}  // namespace bootfold::ensemble
