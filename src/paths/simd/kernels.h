// The inner loops over counts in the order of scores or values, once for each instruction set.
//
// Eight replicates are walked over side by side: counts[row][lane] is one word for each row, so
// that a row that is looked up serves all of them. Areas are integers; all else is single IEEE
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

/// Sums over the gaps between the values of neighbouring places, of values that are not negative.
/// A gap counts once for each row drawn above it, so that no term is negative and nothing cancels.
struct alignas(64) GapSums {
  double draws[kLanes];   ///< of all rows
  double limit[kLanes];   ///< rows that `top` takes, at most
  double below[kLanes];   ///< draws of the places so far
  double sum[kLanes];     ///< of the values, above the smallest
  double spread[kLanes];  ///< of the differences of all pairs
  double top[kLanes];     ///< as `sum`, of the `limit` largest
};

/// Sums over ranks, of which twice the value less the draws less 1 is taken: whole numbers whose
/// mean is 0.
struct alignas(64) RankSums {
  std::uint32_t draws[kLanes];  ///< of all rows, below 2^31
  std::uint32_t below[kLanes];  ///< draws of the places so far
  double squares[kLanes];
  double products[kLanes];  ///< with the ranks of the records
};

/// Bytes of a record of a place: its ranks in 32 bits with a sign, and its counts, [lane] each.
inline constexpr std::size_t kRecord = 5 * kLanes;

/// Places between two running counts.
inline constexpr std::size_t kRunning = 16;

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

  // Rows are numbers of rows, in the order of values.

  /// Adds the rows and the gaps behind them to `below` and `sum`, and to `spread` or to `top`.
  void (*add_spread)(const std::uint8_t* counts, const std::uint32_t* rows, const double* gaps,
                     std::size_t size, GapSums& sums) noexcept;
  void (*add_top)(const std::uint8_t* counts, const std::uint32_t* rows, const double* gaps,
                  std::size_t size, GapSums& sums) noexcept;

  /// running[i / kRunning][lane] = below[lane] + the draws of the first i rows, for every i that is
  /// a multiple of kRunning; then adds the draws of all rows to below[lane].
  void (*add_running)(const std::uint8_t* counts, const std::uint32_t* rows, std::size_t size,
                      std::uint32_t* below, std::uint32_t* running) noexcept;

  /// Writes the records of rows whose values rise, and adds the squares of their ranks; `tie` the
  /// same of rows whose values are equal.
  void (*first_ranks)(const std::uint8_t* counts, const std::uint32_t* rows, std::size_t size,
                      std::uint8_t* records, RankSums& sums) noexcept;
  void (*tie_first_ranks)(const std::uint8_t* counts, const std::uint32_t* rows, std::size_t size,
                          std::uint8_t* records, RankSums& sums) noexcept;
  /// Adds the squares of ranks in another order, and their products with the ranks of the records.
  void (*second_ranks)(const std::uint8_t* records, const std::uint32_t* places, std::size_t size,
                       RankSums& sums) noexcept;
  void (*tie_second_ranks)(const std::uint8_t* records, const std::uint32_t* places,
                           std::size_t size, RankSums& sums) noexcept;
};

/// The kernels of a level; it must be available.
[[nodiscard]] const Kernels& kernels(execution::Level level) noexcept;

// One definition in each file of this folder; all but portable only where they are built.
extern const Kernels kPortable;
extern const Kernels kAvx2;
extern const Kernels kAvx512;
extern const Kernels kNeon;

}  // namespace bootfold::paths::simd
