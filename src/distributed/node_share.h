// distributed/node_share.h: what a process may use of the machine that it shares with others.
#pragma once

#include "bootfold/distributed/group.h"
#include "bootfold/plan.h"

namespace bootfold::distributed {

/// The options with a number of threads and a memory limit, if they have none: the processes of a
/// group that run on one machine divide its processors and the default limit. A processor to which
/// the launcher bound one process is that process's own. All processes of the group call it.
[[nodiscard]] Options with_node_share(const Group& group, const Options& options);

}  // namespace bootfold::distributed
