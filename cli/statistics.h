// cli/statistics.h: what --statistic names.
#pragma once

#include <string>
#include <vector>

#include "arguments.h"

namespace bootfold::cli {

/// Sets the statistics of a request, of which the files, columns and how they are read are known.
/// Expressions name their columns, which are read too. Beside them, other statistics are those of
/// the columns of --column alone. Throws InvalidArgument.
void choose_statistics(const std::vector<std::string>& lists, Request& request);

}  // namespace bootfold::cli
