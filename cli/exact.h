// cli/exact.h: `--replicates exact`: laws in place of replicates.
#pragma once

#include <string>

#include "arguments.h"
#include "bootfold/data.h"
#include "interrupt.h"

namespace bootfold::cli {

/// Throws InvalidArgument for options that need replicates; of --interval all, leaves out the
/// methods that need them.
void check_exact(const Arguments& arguments, Request& request);

/// Finds the laws and reports them as `bootstrap` reports replicates, as text or JSON.
[[nodiscard]] std::string exact_report(const data::Table& table, const Request& request,
                                       double read_seconds, const Interrupt& interrupt);

/// Which methods would be used, and why.
[[nodiscard]] std::string exact_forecast(const data::Table& table, const Request& request);

}  // namespace bootfold::cli
