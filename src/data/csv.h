// data/csv.h: numbers from delimited text.
#pragma once

#include <string>

#include "bootfold/data.h"

namespace bootfold::data {

/// Reads comma- or tab-separated text, plain or gzip; `path` "-" is standard input.
///
/// Quotes follow RFC 4180. Blank lines at the end are ignored; elsewhere they are ignored if there
/// are several columns, and a missing value if there is one.
[[nodiscard]] Table read_csv(const std::string& path, char delimiter, const ReadOptions& options);

}  // namespace bootfold::data
