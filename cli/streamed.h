// cli/streamed.h: files larger than the memory limit.
#pragma once

#include <memory>

#include "arguments.h"
#include "bootfold/source.h"

namespace bootfold::cli {

/// The files as a source, if they are larger than half of the memory limit and a bootstrap can add
/// up their rows piece by piece; otherwise null, and they are read as a table.
[[nodiscard]] std::unique_ptr<data::Source> streamed(const Request& request);

}  // namespace bootfold::cli
