// What defines a replicate, in one number.
#pragma once

#include <cstdint>

#include "planning/path_entry.h"
#include "study/formulas.h"

namespace bootfold {

/// Of the statistics, the design and the options in a question about the data that the caller gave.
/// `data`: the fingerprint of the look at the columns.
[[nodiscard]] std::uint64_t fingerprint(const planning::Question& question,
                                        const study::Formulas& formulas, std::uint64_t data,
                                        std::uint64_t nested_replicates, Path path);

}  // namespace bootfold
