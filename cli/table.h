// cli/table.h: rows of cells under each other.
#pragma once

#include <string>
#include <vector>

namespace bootfold::cli {

/// Rows of cells, as wide as their widest; the first to the left, the others to the right. A blank
/// less between them where that makes it fit the terminal.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows);

/// A name from outside on one line, cut if it is long.
[[nodiscard]] std::string display_name(const std::string& name);

}  // namespace bootfold::cli
