// bootfold/execution.h: threads, instruction sets, memory, cancelling and progress.
//
// Nothing here changes a result: it only changes how fast it is computed and what is reported on
// the way.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
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

/// The default memory limit in bytes: a quarter of the memory that this process may use, and at
/// least 64 MiB. The process may use the smallest of physical memory, the memory limits of its
/// control groups (versions 1 and 2) and RLIMIT_AS. It is determined once per process.
[[nodiscard]] BOOTFOLD_API std::size_t default_memory();

/// The memory limit that an option means: `asked` bytes, or default_memory() if that is 0.
[[nodiscard]] BOOTFOLD_API std::size_t memory_limit(std::size_t asked);

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

}  // namespace bootfold
