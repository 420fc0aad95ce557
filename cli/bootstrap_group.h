// cli/bootstrap_group.h: `mpirun -n 4 bootfold bootstrap FILE ...`.
#pragma once

#include "arguments.h"
#include "bootfold/distributed/group.h"
#include "interrupt.h"
#include "report.h"

namespace bootfold::cli {

/// The work of one of several processes. Rank 0 prints the result and writes the files. Throws
/// DistributedError on all processes for mistakes that all of them see, and otherwise on one of
/// them.
void bootstrap_in_group(const Arguments& arguments, Interrupt& interrupt,
                        const distributed::Group& group);

/// What is left to do once the replicates are made: writes the files and prints. In bootstrap.cpp.
void report(const Run& run, const Request& request);
/// The whole of it in one process. In bootstrap.cpp.
void run_bootstrap(const Arguments& arguments, Interrupt& interrupt);
/// Throws DataError if the files that a run writes cannot be written. In bootstrap.cpp.
void check_files(const Request& request);

}  // namespace bootfold::cli
