// bootfold/map_reduce.h: a deterministic parallel loop over indices.
//
// Every long computation of bootfold uses `map_reduce`. A worker loops over its share of the
// indices and accumulates into a state; the states are merged in one fixed order. Inputs are
// captured by reference and shared, so memory does not grow with the number of workers, and the
// result does not depend on it.
#pragma once

#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include "bootfold/execution.h"

namespace bootfold {

/// The indices first, first + 1, ..., last - 1. Workers take chunks of `grain` indices. If `grain`
/// is 0, it is chosen from the number of indices alone, so that the chunks and the order of merging
/// are always the same.
struct IndexRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t grain = 0;
  /// Largest number of chunks that are started but not yet merged; each holds a state. 0: a few per
  /// worker. A smaller number takes less memory. Never changes a result.
  std::size_t under_way = 0;
};

/// Applies `body` to all indices of `range` on several workers and merges the partial states in
/// index order.
///
///     // sum of the squares of all rows of a shared 8 x 10 matrix
///     double total = bootfold::map_reduce(
///         {0, 8}, 0.0,
///         [&](double& sum, std::size_t row) { for (double x : matrix.row(row)) sum += x * x; },
///         [](double& sum, double part) { sum += part; });
///
/// `init` is the identity of `merge` and is copied once per chunk of indices. `body(State&, index)`
/// or `body(State&, index, const execution::Worker&)` adds one index to the state of its chunk.
/// `merge(State&, State&&)` adds the state of the next chunk. The chunks depend on the range alone,
/// so the result is the same for every number of workers even if `merge` rounds. Memory: a few
/// states per worker; captured inputs are not copied. An exception in `body` ends the work and is
/// rethrown to the caller. `total` is Progress::total if the body calls Worker::advance() itself;
/// 0: progress counts indices.
template <std::copy_constructible State, class Body, class Merge>
[[nodiscard]] State map_reduce(IndexRange range, const State& init, Body&& body, Merge&& merge,
                               const Execution& execution = {}, double total = 0) {
  constexpr std::size_t kMostChunks = 256;
  const std::size_t length = range.last > range.first ? range.last - range.first : 0;
  const std::size_t grain = range.grain != 0 ? range.grain : 1 + (length - 1) / kMostChunks;
  const std::size_t chunks = length == 0 ? 0 : 1 + (length - 1) / grain;
  const std::size_t ahead = range.under_way != 0
                                ? range.under_way - 1
                                : 4 * std::size_t{execution::thread_count(execution)};

  State result = init;
  std::size_t merged = 0;              // chunks 0 .. merged-1 are in result
  std::map<std::size_t, State> early;  // finished, but an earlier chunk is not merged yet
  std::mutex mutex;
  std::condition_variable turn;
  execution::detail::run_chunks(
      chunks, total > 0 ? total : static_cast<double>(length), execution,
      [&](const execution::Worker& worker, std::size_t chunk) {
        {  // No worker runs far ahead of a slow chunk, because states would accumulate.
          std::unique_lock lock(mutex);
          while (chunk > merged + ahead) {
            turn.wait_for(lock, std::chrono::milliseconds(20));
            worker.check();
          }
        }
        State state = init;
        const std::size_t begin = range.first + chunk * grain;
        const std::size_t end = range.last - begin > grain ? begin + grain : range.last;
        for (std::size_t index = begin; index < end; ++index) {
          if constexpr (std::invocable<Body&, State&, std::size_t, const execution::Worker&>) {
            body(state, index, worker);
          } else {
            body(state, index);
          }
          worker.check();
          if (total <= 0) worker.advance(1);
        }
        const std::scoped_lock lock(mutex);
        early.emplace(chunk, std::move(state));
        for (auto next = early.find(merged); next != early.end(); next = early.find(merged)) {
          auto part = early.extract(next);
          merge(result, std::move(part.mapped()));
          ++merged;
        }
        turn.notify_all();
      });
  return result;
}

}  // namespace bootfold
