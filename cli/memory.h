// cli/memory.h: how much memory this process has used.
#pragma once

#include <cstddef>

namespace bootfold::cli {

/// The most memory this process has held so far, in bytes: data, result and working memory, shared
/// libraries too. 0 where the system does not tell.
[[nodiscard]] std::size_t peak_memory();

}  // namespace bootfold::cli
