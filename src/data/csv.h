// data/csv.h: numbers from delimited text.
#pragma once

#include <optional>
#include <string>

#include "bootfold/data.h"

namespace bootfold::data {

/// Reads delimited text, plain or gzip; `path` "-" is standard input. `usual` is the delimiter of
/// files of its kind, if they have one; options.delimiter goes before it.
///
/// Quotes follow RFC 4180. Blank lines at the end are ignored; elsewhere they are ignored if there
/// are several columns, and a missing value if there is one.
[[nodiscard]] Table read_csv(const std::string& path, std::optional<char> usual,
                             const ReadOptions& options);

}  // namespace bootfold::data
