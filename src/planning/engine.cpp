#include "planning/engine.h"

#include <algorithm>
#include <chrono>

#include "bootfold/map_reduce.h"

namespace bootfold::planning {

namespace {

/// A group that takes about a tenth of a second at most, by the time of one replicate.
std::uint64_t brief_group(const Engine& engine, double seconds) {
  constexpr double kMostSeconds = 0.1;
  const double fit = kMostSeconds / std::max(seconds, 1e-9);
  if (fit >= static_cast<double>(engine.group())) return engine.group();
  return std::max(engine.smallest_group(), static_cast<std::uint64_t>(fit));
}

/// Groups of `group` replicates, in any order; `made` is told in order.
void make_in_groups(const Engine& engine, std::uint64_t group, std::uint64_t first,
                    std::uint64_t replicates, std::size_t outputs, std::span<double> values,
                    const Execution& execution, const Made& made) {
  struct Done {  // values go straight to their place: there is nothing else to merge
    std::uint64_t last = 0;
  };
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

}  // namespace

void make_replicates(const Engine& engine, std::uint64_t first, std::uint64_t replicates,
                     std::size_t outputs, std::span<double> values, const Execution& execution,
                     const Made& made) {
  if (!made || engine.smallest_group() == engine.group() || replicates == 1)
    return make_in_groups(engine, engine.group(), first, replicates, outputs, values, execution,
                          made);
  // Somebody wants to know what is made, and a replicate may take long: a user's function, or a
  // bootstrap of the resample. The first one tells how long.
  Execution quiet = execution;
  quiet.progress = {};
  quiet.threads = 1;
  const auto begin = std::chrono::steady_clock::now();
  make_in_groups(engine, 1, first, 1, outputs, values.first(outputs), quiet, {});
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  made(1);
  make_in_groups(engine, brief_group(engine, time.count()), first + 1, replicates - 1, outputs,
                 values.subspan(outputs), execution, [&](std::uint64_t count) { made(count + 1); });
}

}  // namespace bootfold::planning
