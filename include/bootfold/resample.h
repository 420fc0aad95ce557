// bootfold/resample.h: the rows of a single replicate.
//
//     auto counts = resample::counts(1000, {.seed = 7, .replicate = 41});
//     bool out_of_bag = counts[17] == 0;
//
// These functions show which rows a replicate drew, how often, and which rows are out of bag. The
// engine does not use them; it never stores the row numbers of a whole run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/execution.h"

namespace bootfold::resample {

/// Identifies a replicate of the runs with a given seed.
struct ReplicateId {
  std::uint64_t seed = 0;
  std::uint64_t replicate = 0;
};

/// Counts of each of `rows` rows in this replicate, under scheme iid and path stream. The counts
/// are exactly multinomial(rows; 1/rows, ...), so they sum to `rows`.
[[nodiscard]] BOOTFOLD_API std::vector<std::uint32_t> counts(
    std::size_t rows, const ReplicateId& id, execution::Level level = execution::default_level());

/// Row numbers drawn in this replicate, under scheme iid and path gather, in the order of drawing.
/// `rows` is at most 2^32.
[[nodiscard]] BOOTFOLD_API std::vector<std::uint32_t> indices(
    std::size_t rows, const ReplicateId& id, execution::Level level = execution::default_level());

}  // namespace bootfold::resample
