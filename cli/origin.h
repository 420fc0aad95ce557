// cli/origin.h: the arguments of a run, as text that is saved with its result.
#pragma once

#include <string>

#include "arguments.h"

namespace bootfold::cli {

/// The arguments that define a run as JSON, with the whole paths of the files.
[[nodiscard]] std::string origin_of(const Arguments& arguments);

/// The arguments of a saved run. Throws DataError, which names `path`, if there are none.
[[nodiscard]] Arguments arguments_of(const std::string& origin, const std::string& path);

}  // namespace bootfold::cli
