// The range of the training rows, and rows outside it.
#pragma once

#include <cstdint>
#include <span>

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/encoding/input_encoder.h"

namespace bootfold::ensemble {

/// The range of no rows.
[[nodiscard]] Range empty_range(std::size_t columns);
/// Sets the range of columns without a number, such as categories, to 0.
void close_empty(Range& range);
/// Widens the range of a column by numbers; NaN is left out.
void widen(Range& range, std::size_t column, std::span<const double> values);
/// Widens `range` by inputs of the examples, of which `rows` are those from row `first` on. Rows of
/// weight 0, which nothing is learned from, are left out.
void widen(Range& range, const Examples& examples, std::size_t first, const DataView& rows,
           const Execution& execution);

/// Writes to out[0 .. rows - 1] how many columns of rows first .. first + rows - 1 are outside.
void count_outside(const InputEncoder& encoder, const Range& range, const DataView& inputs,
                   std::size_t first, std::size_t rows, std::uint32_t* out);

}  // namespace bootfold::ensemble
