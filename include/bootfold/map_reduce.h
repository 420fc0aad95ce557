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

namespace execution::detail {

// How the indices of a range are cut, which depends on the range alone.
class Chunks {
 public:
  explicit Chunks(const IndexRange& range) : first_(range.first) {
    constexpr std::size_t kMost = 256;
    length_ = range.last > range.first ? range.last - range.first : 0;
    grain_ = range.grain != 0 ? range.grain : 1 + (length_ - 1) / kMost;
    count_ = length_ == 0 ? 0 : 1 + (length_ - 1) / grain_;
  }

  [[nodiscard]] std::size_t length() const noexcept { return length_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  // The first index of a chunk; of chunk count(), the end of the range.
  [[nodiscard]] std::size_t begin(std::size_t chunk) const noexcept {
    return chunk < count_ ? first_ + chunk * grain_ : first_ + length_;
  }

  // Adds the indices of a chunk to a state. `counts`: progress counts indices.
  template <class State, class Body>
  void add(std::size_t chunk, State& state, Body& body, const Worker& worker, bool counts) const {
    const std::size_t end = begin(chunk + 1);
    for (std::size_t index = begin(chunk); index < end; ++index) {
      if constexpr (std::invocable<Body&, State&, std::size_t, const Worker&>) {
        body(state, index, worker);
      } else {
        body(state, index);
      }
      worker.check();
      if (counts) worker.advance(1);
    }
  }

 private:
  std::size_t first_;
  std::size_t length_ = 0;
  std::size_t grain_ = 1;
  std::size_t count_ = 0;
};

}  // namespace execution::detail

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
  const execution::detail::Chunks chunks(range);
  const std::size_t ahead = range.under_way != 0
                                ? range.under_way - 1
                                : 4 * std::size_t{execution::thread_count(execution)};

  State result = init;
  std::size_t merged = 0;              // chunks 0 .. merged-1 are in result
  std::map<std::size_t, State> early;  // finished, but an earlier chunk is not merged yet
  std::mutex mutex;
  std::condition_variable turn;
  execution::detail::run_chunks(
      chunks.count(), total > 0 ? total : static_cast<double>(chunks.length()), execution,
      [&](const execution::Worker& worker, std::size_t chunk) {
        {  // No worker runs far ahead of a slow chunk, because states would accumulate.
          std::unique_lock lock(mutex);
          while (chunk > merged + ahead) {
            turn.wait_for(lock, std::chrono::milliseconds(20));
            worker.check();
          }
        }
        State state = init;
        chunks.add(chunk, state, body, worker, total <= 0);
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
