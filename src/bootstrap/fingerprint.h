// What defines a replicate, in one number.
#pragma once

#include <cstdint>

#include "planning/path_entry.h"

namespace bootfold {

/// Of data that a look saw, a bound problem, a design and options. `data`: the fingerprint of the
/// look at the columns (of the data that the caller gave).
[[nodiscard]] std::uint64_t fingerprint(const planning::Question& question, std::uint64_t data,
                                        Path path);

}  // namespace bootfold
