// bootfold/execution.h: who does the work: threads, instruction sets, and one way to spread it.
//
// `map_reduce` is the seam through which every long computation of bootfold runs. A worker loops
// over its share of the indices and folds what it finds into a state; the states are merged in
// one fixed order. Inputs are captured by reference and shared, so memory does not multiply with
// workers, and the result does not depend on how many there are. Processes on other machines and
// other devices are further kinds of worker behind the same call.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "bootfold/api.h"

namespace bootfold::execution {

/// Instruction sets the kernels were written for, slowest first. All give the same bits.
enum class Level { portable, avx2, avx512 };

/// "portable", "avx2" or "avx512".
[[nodiscard]] BOOTFOLD_API std::string_view name(Level level) noexcept;

/// The levels that this build has and this processor can run, slowest first.
[[nodiscard]] BOOTFOLD_API std::vector<Level> available_levels();

/// The level used when none is asked for: the environment variable BOOTFOLD_SIMD if it is set, else
/// the fastest available. Throws InvalidArgument when the variable names none that can run here.
[[nodiscard]] BOOTFOLD_API Level default_level();

/// Throws InvalidArgument unless this machine can run `level`.
BOOTFOLD_API void check_available(Level level);

/// The number of processors this process may use, at least 1.
[[nodiscard]] BOOTFOLD_API unsigned hardware_threads() noexcept;

/// How far the work is. Units are the caller's (the bootstrap counts rows x replicates).
struct Progress {
  double done = 0;
  double total = 0;
};

}  // namespace bootfold::execution

namespace bootfold {

/// How to run: never changes a result, only its speed and what is told on the way.
struct Execution {
  unsigned threads = 0;                                  ///< 0: all that the machine has
  std::optional<execution::Level> level = std::nullopt;  ///< instruction set; default_level()
  std::stop_token stop = {};                             ///< cancels within a fraction of a second
  std::function<void(execution::Progress)> progress = {};  ///< called now and then, one at a time
};

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

namespace execution {

class Monitor;  // counts progress and notices cancelling; private

/// What a body may know of the worker that runs it.
class BOOTFOLD_API Worker {
 public:
  Worker(unsigned index, Monitor& monitor) : index_(index), monitor_(&monitor) {}

  /// 0 to threads - 1: names a scratch buffer that no other worker touches meanwhile.
  [[nodiscard]] unsigned index() const noexcept { return index_; }

  /// Throws Cancelled if the caller asked to stop. Long bodies call it every few milliseconds.
  void check() const;

  /// Adds to Progress::done.
  void advance(double units) const;

 private:
  unsigned index_;
  Monitor* monitor_;
};

/// Number of workers that `execution` means: at least 1, at most 1024.
[[nodiscard]] BOOTFOLD_API unsigned thread_count(const Execution& execution);

/// Runs body(worker, chunk) for chunk = 0 .. chunks-1 on the workers, handing chunks out in
/// order. The first exception stops the rest and reaches the caller; `total` is for progress.
BOOTFOLD_API void run_chunks(std::size_t chunks, double total, const Execution& execution,
                             const std::function<void(const Worker&, std::size_t)>& body);

}  // namespace execution

/// Folds body over the indices of `range` on all workers and merges the parts in index order.
///
///     // sum of the squares of all rows of a shared 8 x 10 matrix
///     double total = bootfold::map_reduce(
///         {0, 8}, 0.0,
///         [&](double& sum, std::size_t row) { for (double x : matrix.row(row)) sum += x * x; },
///         [](double& sum, double part) { sum += part; });
///
/// `init` must be neutral (merging it changes nothing); it is copied once per chunk of indices; `body(State&, index)` or `body(State&, index,
/// const execution::Worker&)` folds one index into it; `merge(State&, State&&)` joins the states of
/// neighbouring chunks. The chunks depend on the range alone, so the result is the same for every
/// number of workers even where merging rounds. Memory: a few states per worker; captured inputs
/// are never copied. An exception in a body ends the work and is rethrown here.
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
