// bootfold/resample.h: which rows a replicate draws.
//
// The engine never builds these lists for a whole run; they are here so that a person can look at
// one replicate: which rows it drew, how often, which it left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/execution.h"

namespace bootfold::resample {

/// Which replicate of which run.
struct ReplicateId {
  std::uint64_t seed = 0;
  std::uint64_t replicate = 0;
};

/// How often each of `rows` rows is drawn in this replicate under path `stream`: exactly
/// multinomial(rows; 1/rows, ...), so the counts add up to `rows`.
///
///     auto counts = resample::counts(1000, {.seed = 7, .replicate = 41});
///     bool out_of_bag = counts[17] == 0;
[[nodiscard]] BOOTFOLD_API std::vector<std::uint32_t> counts(
    std::size_t rows, const ReplicateId& id, execution::Level level = execution::default_level());

/// The row numbers drawn in this replicate under path `gather`, in the order of drawing. At most
/// 2^32 rows.
[[nodiscard]] BOOTFOLD_API std::vector<std::uint32_t> indices(
    std::size_t rows, const ReplicateId& id, execution::Level level = execution::default_level());

}  // namespace bootfold::resample
