// bootfold/map_reduce.h: one loop over indices, spread over threads.
//
// `map_reduce` is how every long computation of bootfold runs. A worker loops over its share of
// the indices and folds what it finds into a state; the states are merged in one fixed order.
// Inputs are captured by reference and shared, so memory does not multiply with workers, and the
// result does not depend on how many there are.
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

/// The indices first, first + 1, ..., last - 1, handed out `grain` at a time (0: chosen from the
/// length alone, so that the chunks, and with them the order of merging, are always the same).
struct IndexRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t grain = 0;
  /// Chunks begun and not yet merged, each with a state: at most so many, for less memory; 0: some
  /// for each worker. Never changes a result.
  std::size_t under_way = 0;
};

/// Folds body over the indices of `range` on all workers and merges the parts in index order.
///
///     // sum of the squares of all rows of a shared 8 x 10 matrix
///     double total = bootfold::map_reduce(
///         {0, 8}, 0.0,
///         [&](double& sum, std::size_t row) { for (double x : matrix.row(row)) sum += x * x; },
///         [](double& sum, double part) { sum += part; });
///
/// `init` must be neutral (merging it changes nothing); it is copied once per chunk of indices;
/// `body(State&, index)` or `body(State&, index, const execution::Worker&)` folds one index into
/// it; `merge(State&, State&&)` joins the states of neighbouring chunks. The chunks depend on the
/// range alone, so the result is the same for every number of workers even where merging rounds.
/// Memory: a few states per worker; captured inputs are never copied. An exception in a body ends
/// the work and is rethrown here.
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
  std::map<std::size_t, State> early;  // finished ahead of their turn
  std::mutex mutex;
  std::condition_variable turn;
  execution::run_chunks(
      chunks, total > 0 ? total : static_cast<double>(length), execution,
      [&](const execution::Worker& worker, std::size_t chunk) {
        {  // Nobody runs far ahead of a slow chunk: that would pile up states.
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
