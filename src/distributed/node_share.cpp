#include "distributed/node_share.h"

#include <algorithm>
#include <string>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace bootfold::distributed {
namespace {

/// The processors that this process may use, one character each: '1' or '0'.
std::string allowed_processors() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    std::string all(CPU_SETSIZE, '0');
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &allowed)) all[static_cast<std::size_t>(cpu)] = '1';
    return all;
  }
#endif
  return std::string(execution::hardware_threads(), '1');
}

/// Each processor is divided among those that may use it.
unsigned own_threads(const std::string& own, const std::vector<std::string>& all) {
  double share = 0;
  for (std::size_t cpu = 0; cpu < own.size(); ++cpu) {
    if (own[cpu] != '1') continue;
    const auto users = std::count_if(all.begin(), all.end(), [&](const std::string& one) {
      return cpu < one.size() && one[cpu] == '1';
    });
    share += 1 / static_cast<double>(std::max<std::ptrdiff_t>(users, 1));
  }
  return static_cast<unsigned>(std::max(1.0, share + 1e-6));
}

}  // namespace

Options with_node_share(const Group& group, const Options& options) {
  if (group.size() == 1) return options;
  Options own = options;
  const Group node = group.node();
  const std::string processors = allowed_processors();
  const std::vector<std::string> all = node.all_gather(processors);
  if (own.execution.threads == 0) own.execution.threads = own_threads(processors, all);
  if (own.memory == 0)
    own.memory = execution::default_memory() / static_cast<std::size_t>(node.size());
  return own;
}

}  // namespace bootfold::distributed
