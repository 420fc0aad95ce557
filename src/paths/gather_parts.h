// Path `gather` for functions of sums, from rows that arrive in pieces.
//
// Every holder of rows draws all row numbers of a replicate and adds up the rows that it has. A
// resample that takes this path is short beside the data, so drawing it several times is cheap.
#pragma once

#include <memory>

#include "paths/entry.h"

namespace bootfold::paths::gather {

[[nodiscard]] std::unique_ptr<planning::PartEngine> prepare_parts(const Question& question,
                                                                  const Resources& resources);

}  // namespace bootfold::paths::gather
