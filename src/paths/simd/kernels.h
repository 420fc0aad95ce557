// The inner loops over counts in the order of scores, once for each instruction set.
//
// Eight replicates are walked over side by side: counts[row][lane] is one word for each row, so
// that a row that is looked up serves all of them. Areas are integers; precisions are single IEEE
// operations in a fixed order. So every level gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bootfold/execution.h"

namespace bootfold::paths::simd {

/// Replicates side by side.
inline constexpr std::size_t kLanes = 8;

/// Sums over the rows with the lowest scores.
struct alignas(64) Area {
  std::uint64_t beaten[kLanes];  ///< twice the pairs in which a positive row has the higher score;
                                 ///< equal scores count 1
  std::uint64_t negatives[kLanes];
  std::uint64_t positives[kLanes];
};

/// Sums over the rows with the highest scores.
struct alignas(64) Precision {
  double sum[kLanes];  ///< of the precision at the score of each positive row
  double negatives[kLanes];
  double positives[kLanes];
};

struct Kernels {
  /// out[row][lane] = counts[lane][row], for a multiple of 8 rows.
  void (*interleave)(const std::uint8_t* counts, std::size_t stride, std::size_t rows,
                     std::uint8_t* out) noexcept;

  // Places are 2 * row + (1 if the row is positive), in the order of scores.

  /// Adds places whose scores rise, or are equal and of one class.
  void (*add_area)(const std::uint8_t* counts, const std::uint32_t* places, std::size_t size,
                   Area& area) noexcept;
  /// Adds places whose scores are equal.
  void (*tie_area)(const std::uint8_t* counts, const std::uint32_t* places, std::size_t size,
                   Area& area) noexcept;

  /// Adds places, from the last to the first, whose scores differ, but for those of negative rows.
  void (*add_precision)(const std::uint8_t* counts, const std::uint32_t* places, std::size_t size,
                        Precision& precision) noexcept;
  /// Adds places whose scores are equal.
  void (*tie_precision)(const std::uint8_t* counts, const std::uint32_t* places, std::size_t size,
                        Precision& precision) noexcept;
};

/// The kernels of a level; it must be available.
[[nodiscard]] const Kernels& kernels(execution::Level level) noexcept;

// One definition in each file of this folder; all but portable only where they are built.
extern const Kernels kPortable;
extern const Kernels kAvx2;
extern const Kernels kAvx512;
extern const Kernels kNeon;

}  // namespace bootfold::paths::simd
