// Inputs in memory that are all numbers, standardized: the usual case, in one pass over the memory.
#pragma once

#include <cstdint>

#include "bootfold/data.h"
#include "bootfold/ensemble/ensemble.h"
#include "execution/large_array.h"

namespace bootfold::ensemble {

/// What a training needs of them. The values are those that Means, Deviations, widen(),
/// Fingerprint, and InputEncoder give in passes of their own, to the bit.
struct NumberInputs {
  /// The array has room for `repeated` more rows.
  NumberInputs(const DataView& data, std::size_t repeated, const Execution& execution);

  /// Whether the values are finite; otherwise check_inputs() says which.
  [[nodiscard]] bool all_numbers() const;

  execution::LargeArray<float> values;  ///< [row][column], standardized
  Scaling scaling;
  Range range;
  std::uint64_t fingerprint = 0;
};

}  // namespace bootfold::ensemble
