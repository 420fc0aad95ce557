#include "planning/engine.h"

#include <algorithm>

#include "bootfold/map_reduce.h"

namespace bootfold::planning {

void make_replicates(const Engine& engine, std::uint64_t first, std::uint64_t replicates,
                     std::size_t outputs, std::span<double> values, const Execution& execution) {
  struct Nothing {};  // values go straight to their place: there is nothing to merge
  const std::uint64_t group = engine.group();
  const std::uint64_t end = first + replicates;
  const double total = static_cast<double>(replicates) * static_cast<double>(engine.steps());
  std::vector<std::unique_ptr<Maker>> makers(execution::thread_count(execution));
  static_cast<void>(map_reduce(
      {first / group, (end - 1) / group + 1, 1}, Nothing{},
      [&](Nothing&, std::size_t index, const execution::Worker& worker) {
        auto& maker = makers[worker.index()];
        if (!maker) maker = engine.maker();
        const std::uint64_t begin = std::max(first, index * group);
        const std::uint64_t last = end - index * group > group ? (index + 1) * group : end;
        maker->make(begin, last,
                    values.subspan((begin - first) * outputs, (last - begin) * outputs), worker);
      },
      [](Nothing&, Nothing&&) {}, execution, total));
}

}  // namespace bootfold::planning
