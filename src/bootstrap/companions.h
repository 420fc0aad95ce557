// A bootstrap with what intervals may need beside the replicates.
#pragma once

#include <span>

#include "bootfold/bootstrap.h"

namespace bootfold::paths {

/// bootstrap() for options that ask for influences or standard errors.
[[nodiscard]] Result bootstrap_accompanied(const DataView& data,
                                           std::span<const Statistic> statistics,
                                           const Options& options);

}  // namespace bootfold::paths
