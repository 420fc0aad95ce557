// data/parquet.h: Parquet files, through Arrow C++.
//
// Two sources define it, and a build has one of them: parquet.cpp, and no_parquet.cpp for builds
// without Arrow C++ (BOOTFOLD_ARROW).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/write.h"
#include "data/batch.h"
#include "data/where.h"

namespace bootfold::data {

/// Reads the schema; rows are read a row group at a time, and of these only the columns that are
/// used. Throws DataError and InvalidArgument as read() does.
[[nodiscard]] std::shared_ptr<const ColumnFile> open_parquet(const std::string& path,
                                                             const ReadOptions& options,
                                                             const Where& where,
                                                             std::size_t chunk_bytes);

/// Columns of several types; their lengths must be equal. Throws DataError.
void write_parquet(const std::string& path, const std::vector<NamedColumn>& columns);

}  // namespace bootfold::data
