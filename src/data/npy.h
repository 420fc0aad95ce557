// data/npy.h: NumPy's array files, used where they lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bootfold/data.h"

namespace bootfold::data {

/// Maps the file. Floating point columns are checked in one pass; only if rows have to be left out
/// are the chosen columns copied, in their own type. Columns are numbered from 1. `rows_before` are
/// those of the files before this one, if there are several; the array may then have no rows.
[[nodiscard]] Table read_npy(const std::string& path, const ReadOptions& options,
                             std::optional<std::uint64_t> rows_before);

}  // namespace bootfold::data
