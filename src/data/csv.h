// data/csv.h: numbers from delimited text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bootfold/data.h"
#include "data/file_source.h"
#include "data/where.h"

namespace bootfold::data {

/// Reads delimited text, plain or gzip; `path` "-" is standard input. `usual` is the delimiter of
/// files of its kind, if they have one; options.delimiter goes before it. `rows_before` are those
/// of the files before this one, if there are several.
///
/// Quotes follow RFC 4180. Blank lines at the end are ignored; elsewhere they are ignored if there
/// are several columns, and a missing value if there is one.
[[nodiscard]] Table read_csv(const std::string& path, std::optional<char> usual,
                             const ReadOptions& options, const Where& where,
                             std::optional<std::uint64_t> rows_before);

/// The same rows in chunks. The file may have a header and no rows.
[[nodiscard]] std::unique_ptr<FileSource> csv_source(const std::string& path,
                                                     std::optional<char> usual,
                                                     const ReadOptions& options, const Where& where,
                                                     std::size_t chunk_bytes);

}  // namespace bootfold::data
