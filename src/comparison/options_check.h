// The options of a comparison that do not depend on its rows.
#pragma once

#include "bootfold/compare.h"

namespace bootfold::comparison {

/// Throws InvalidArgument for options that no comparison takes.
void check(const Options& options);

}  // namespace bootfold::comparison
