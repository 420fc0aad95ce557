// data/slice.h: what all sources that can be cut check.
#pragma once

#include <cstdint>

#include "bootfold/source.h"

namespace bootfold::data {

/// Throws InvalidArgument unless the source can be cut and has these rows.
void check_slice(const Source& source, std::uint64_t first, std::uint64_t count);

}  // namespace bootfold::data
