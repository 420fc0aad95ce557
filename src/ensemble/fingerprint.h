// A fingerprint of training rows, to check that rows are those that an ensemble was trained on.
#pragma once

#include <cstdint>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// A 64-bit checksum of the values, row by row. Other values, or another order of rows or columns,
/// change it.
[[nodiscard]] std::uint64_t fingerprint_of(const DataView& inputs);

/// Throws InvalidArgument unless the inputs are those of the training rows, in the same order.
void check_training_rows(const Ensemble::Frame& frame, std::uint64_t fingerprint,
                         const DataView& inputs);
void check_training_rows(const Ensemble& ensemble, const DataView& inputs);

}  // namespace bootfold::ensemble
