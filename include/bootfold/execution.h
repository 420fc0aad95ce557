// bootfold/execution.h: threads, instruction sets, memory, cancellation and progress.
//
//     std::stop_source stop;
//     Execution execution = {.threads = 4, .stop = stop.get_token()};
//     bootstrap(prices, statistic::mean(), {.execution = execution});
//
// These settings never change a result. They affect only the speed of the computation and what is
// reported while it runs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/api.h"

namespace bootfold::execution {

/// Instruction sets for which there are kernels. All give the same bits. Those of x86-64 are avx2
/// and avx512, those of ARM (aarch64) neon and dotprod, slowest first.
enum class Level {
  portable,  ///< plain C++, for every processor
  avx2,      ///< AVX2 with fused multiply-add
  avx512,    ///< AVX-512 with byte permutes (VBMI) and byte dot products (VNNI)
  neon,      ///< NEON, which every aarch64 processor has
  dotprod,   ///< NEON with the dot product extension of ARMv8.2
};

/// "portable", "avx2", "avx512", "neon" or "dotprod".
[[nodiscard]] BOOTFOLD_API std::string_view name(Level level) noexcept;

/// The levels that this build contains and this processor can run, slowest first.
[[nodiscard]] BOOTFOLD_API std::vector<Level> available_levels();

/// The default level: the value of the environment variable BOOTFOLD_SIMD if it is set, otherwise
/// the fastest available level. Throws InvalidArgument if the variable does not name an available
/// level.
[[nodiscard]] BOOTFOLD_API Level default_level();

/// Throws InvalidArgument unless this machine can run `level`.
BOOTFOLD_API void check_available(Level level);

/// The number of processors that this process may use, at least 1.
[[nodiscard]] BOOTFOLD_API unsigned hardware_threads() noexcept;

/// The default memory limit in bytes: a quarter of the memory that this process may use, and at
/// least 64 MiB. The process may use the smallest of physical memory, the memory limits of its
/// control groups (versions 1 and 2) and RLIMIT_AS. It is determined once per process.
[[nodiscard]] BOOTFOLD_API std::size_t default_memory();

/// The effective memory limit: `asked` bytes, or default_memory() if `asked` is 0.
[[nodiscard]] BOOTFOLD_API std::size_t memory_limit(std::size_t asked);

/// Progress of a computation. The unit depends on the computation; the bootstrap counts rows x
/// replicates.
struct Progress {
  double done = 0;
  double total = 0;
};

/// A message to a person while a computation runs.
struct Note {
  bool warning = false;  ///< something is wrong, but the computation continues
  std::string text;
};

}  // namespace bootfold::execution

namespace bootfold {

/// How to run a computation. Never changes a result.
struct Execution {
  unsigned threads = 0;  ///< number of threads; 0: all processors that the process may use
  std::optional<execution::Level> level = std::nullopt;  ///< instruction set; default_level()
  std::stop_token stop = {};                             ///< cancels within a fraction of a second
  /// Progress callback, called at most ten times per second; calls never overlap.
  std::function<void(execution::Progress)> progress = {};
  /// Callback for notes about checkpoints: one that is resumed, or that cannot be used or written.
  /// Calls come from any thread, one at a time.
  std::function<void(const execution::Note&)> note = {};
};

namespace execution {

namespace detail {
class Monitor;  // counts progress and detects cancellation
}

/// The worker thread that runs the body of a parallel loop.
class BOOTFOLD_API Worker {
 public:
  Worker(unsigned index, detail::Monitor& monitor) : index_(index), monitor_(&monitor) {}

  /// Number of the worker, from 0 to threads - 1. A scratch buffer with this number is not used by
  /// any other worker at the same time.
  [[nodiscard]] unsigned index() const noexcept { return index_; }

  /// Throws Cancelled if cancellation was requested. Long bodies call it every few milliseconds.
  void check() const;

  /// Adds to Progress::done.
  void advance(double units) const;

 private:
  unsigned index_;
  detail::Monitor* monitor_;
};

/// Number of workers that `execution` specifies: from 1 to 1024. Throws InvalidArgument if more are
/// requested.
[[nodiscard]] BOOTFOLD_API unsigned thread_count(const Execution& execution);

// Not part of the public interface: the template map_reduce() needs it.
namespace detail {
// Runs body(worker, chunk) for chunk = 0 .. chunks - 1 on the workers, which take chunks in order.
// The first exception ends the work and is rethrown to the caller. `total` is Progress::total.
BOOTFOLD_API void run_chunks(std::size_t chunks, double total, const Execution& execution,
                             const std::function<void(const Worker&, std::size_t)>& body);
}  // namespace detail

}  // namespace execution

}  // namespace bootfold
