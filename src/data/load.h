// data/load.h: all rows of a file of columns in memory.
#pragma once

#include <cstdint>
#include <optional>

#include "bootfold/data.h"
#include "data/batch.h"
#include "data/where.h"

namespace bootfold::data {

/// The rows that are kept, each column in its type, with labels and texts. Throws DataError if no
/// row is left, unless `rows_before` says that there are several files.
[[nodiscard]] Table load_columns(const ColumnFile& file, const Where& where, NanPolicy nan,
                                 std::optional<std::uint64_t> rows_before);

}  // namespace bootfold::data
