// A hash of values and their places that adds up over pieces of the rows.
//
// The hash is the sum over rows and columns of key(value) * kPlace^row: to move rows by some places
// is to multiply by a power. So pieces that are hashed anywhere, in any order, have the sum of the
// whole, and rows that change between two reads are noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bootfold/data.h"
#include "bootfold/execution.h"

namespace bootfold::study {

/// Of some values of a column, the first of which is in row `first`. `keys`: ValueSample::key_of()
/// of each value.
[[nodiscard]] std::uint64_t content_hash(std::span<const std::uint64_t> keys, std::size_t column,
                                         std::uint64_t first);

/// Of all columns of a piece, whose first row is row `first` of the data. Throws Cancelled.
[[nodiscard]] std::uint64_t content_hash(const DataView& piece, std::uint64_t first,
                                         const Execution& execution);

/// The factor of rows that lie `rows` further on.
[[nodiscard]] std::uint64_t content_shift(std::uint64_t rows);

}  // namespace bootfold::study
