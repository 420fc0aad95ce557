// data/binary_file.h: arrays in files (.npy, raw binary), read chunk by chunk and not mapped.
//
// A mapped file counts as address space, and its pages as memory of the process. Chunks are read
// into a few blocks that are used again, so that a pass over any file needs the memory of these.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "bootfold/data.h"
#include "bootfold/sources.h"
#include "data/batch.h"
#include "data/where.h"

namespace bootfold::data {

/// Throws DataError and InvalidArgument as read() does; an array may have no rows.
[[nodiscard]] std::shared_ptr<const ColumnFile> npy_columns(const std::string& path,
                                                            const ReadOptions& options,
                                                            const Where& where,
                                                            std::size_t chunk_bytes);

[[nodiscard]] std::shared_ptr<const ColumnFile> raw_columns(const std::string& path,
                                                            const RawFormat& format,
                                                            const ReadOptions& options,
                                                            const Where& where,
                                                            std::size_t chunk_bytes);

}  // namespace bootfold::data
