// cli/streamed.h: files larger than the memory limit.
#pragma once

#include <memory>

#include "arguments.h"
#include "bootfold/source.h"

namespace bootfold::cli {

/// The options for a source. Influences are computed only if an interval needs them: a saved run
/// has none, because they would need all rows.
[[nodiscard]] Options options_for_source(const Request& request);

/// Whether a source has all that is read: no labels, weights, frequencies or
/// probabilities.
[[nodiscard]] bool has_numbers_only(const Request& request);

/// The files as a source, if they are larger than half of the memory limit and a bootstrap can add
/// up their rows piece by piece; otherwise null, and they are read as a table.
[[nodiscard]] std::unique_ptr<data::Source> streamed(const Request& request);

}  // namespace bootfold::cli
