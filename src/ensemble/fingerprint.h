// A number that tells whether rows are those that an ensemble learned from.
#pragma once

#include <cstdint>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Of the values, row by row: other values, or another order of rows or columns, make another
/// number, but for one case in 2^64.
[[nodiscard]] std::uint64_t fingerprint_of(const DataView& inputs);

/// Throws InvalidArgument unless these are the rows that the ensemble learned from, as many and in
/// the same order, as far as their inputs tell.
void check_learned_from(const Ensemble::Frame& frame, const DataView& inputs);

}  // namespace bootfold::ensemble
