// data/format.h: the formats of files, chosen by the ending of the name.
#pragma once

#include <string>

#include "bootfold/data.h"

namespace bootfold::data {

enum class Format { csv, tsv, npy, parquet };

/// The format of an existing file, or of "-". Throws DataError if there is no such file, it is a
/// folder, or its ending is unknown.
[[nodiscard]] Format find_format(const std::string& path, const ReadOptions& options);

/// Whether it can be read once only: standard input or a pipe.
[[nodiscard]] bool read_once(const std::string& path);

/// Whether the name ends in .parquet, in any case of the letters.
[[nodiscard]] bool is_parquet(const std::string& path);

}  // namespace bootfold::data
