// cli/grouped.h: `bootfold bootstrap FILE --by COLUMN ...`, an interval for every group.
#pragma once

#include "arguments.h"
#include "interrupt.h"

namespace bootfold::cli {

/// Reads, bootstraps every group and prints. Throws InvalidArgument for options that are not for
/// groups.
void run_grouped(const Arguments& arguments, Request request, Interrupt& interrupt);

}  // namespace bootfold::cli
