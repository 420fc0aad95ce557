// data/npy.h: NumPy's array files, used where they lie.
#pragma once

#include <string>

#include "bootfold/data.h"

namespace bootfold::data {

/// Maps the file. Floating point columns are checked in one pass; only if rows have to be left out
/// are the chosen columns copied, in their own type. Columns are numbered from 1.
[[nodiscard]] Table read_npy(const std::string& path, const ReadOptions& options);

}  // namespace bootfold::data
