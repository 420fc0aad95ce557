#include "planning/engine.h"

#include <algorithm>

#include "bootfold/map_reduce.h"

namespace bootfold::planning {

void make_replicates(const Engine& engine, std::uint64_t first, std::uint64_t replicates,
                     std::size_t outputs, std::span<double> values, const Execution& execution,
                     const Made& made) {
  struct Done {  // values go straight to their place: there is nothing else to merge
    std::uint64_t last = 0;
  };
  const std::uint64_t group = engine.group();
  const std::uint64_t end = first + replicates;
  const double total = static_cast<double>(replicates) * static_cast<double>(engine.steps());
  std::vector<std::unique_ptr<Maker>> makers(execution::thread_count(execution));
  static_cast<void>(map_reduce(
      {first / group, (end - 1) / group + 1, 1}, Done{},
      [&](Done& done, std::size_t index, const execution::Worker& worker) {
        auto& maker = makers[worker.index()];
        if (!maker) maker = engine.maker();
        const std::uint64_t begin = std::max(first, index * group);
        const std::uint64_t last = end - index * group > group ? (index + 1) * group : end;
        maker->make(begin, last,
                    values.subspan((begin - first) * outputs, (last - begin) * outputs), worker);
        done.last = last;
      },
      [&](Done& done, Done&& later) {
        done = later;
        if (made) made(done.last - first);
      },
      execution, total));
}

}  // namespace bootfold::planning
