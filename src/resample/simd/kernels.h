// The inner loops of resampling, once for each instruction set.
//
// A kernel works on plain memory, is noexcept, and gives the same bits at every level, because
// counts, row numbers and blocks are integers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bootfold/execution.h"
#include "random/simd/kernels.h"

namespace bootfold::resample::simd {

using random::simd::LaneState;

/// Rows of a tile of counts. They share a draw of how many of them are replaced, so this is part of
/// the definition of a count.
inline constexpr std::size_t kCountTile = 4096;

/// Counts are at most this, so that four products of a pair of counts with digits fit 16 bits.
inline constexpr std::size_t kMostCount = 31;

/// Counts that 16 bits of the third layer can give.
inline constexpr std::size_t kRareSteps = 9;

/// A random number from 128 bits: how many of the ascending thresholds they reach.
struct NumberTable {
  /// Entries behind the last threshold that no bits exceed, so that four can be compared at once.
  static constexpr std::size_t kPadding = 4;

  const std::uint64_t* high;  ///< first 64 bits of each threshold, and of the padding
  const std::uint64_t* low;   ///< last 64 bits of each threshold
  std::uint32_t thresholds;
  std::uint16_t guide[256];  ///< [first byte of the bits]: thresholds that all such bits reach

  [[nodiscard]] std::uint32_t operator()(std::uint64_t bits, std::uint64_t more) const noexcept {
    // How far the number lies behind the guide is random, so comparing one by one would be a branch
    // that no processor predicts.
    std::uint32_t number = guide[bits >> 56];
    std::uint32_t reached = 0;
    for (std::size_t k = 0; k < kPadding; ++k)
      reached += static_cast<std::uint32_t>(high[number + k] < bits);
    number += reached;
    if (reached == kPadding) [[unlikely]] {
      while (high[number] < bits) ++number;
    }
    while (number < thresholds && high[number] == bits && low[number] <= more) [[unlikely]] {
        ++number;
      }
    return number;
  }
};

/// How random bits become the counts of a tile, in three layers (src/resample/count_law.h).
struct LayerTable {
  alignas(16) std::uint8_t dense[16];   ///< the count of every row, by four bits
  alignas(16) std::uint8_t sparse[16];  ///< the count of the few rows that are replaced
  NumberTable sparse_rows;              ///< how many those are
  NumberTable rare_rows;                ///< how many are replaced after them
  std::uint32_t positions;              ///< a power of two, at least the rows of the tile
  std::uint8_t rare_first;              ///< the smallest count of the third layer
  /// 16 bits give the count rare_first + the number of those that they reach (65536: never) ...
  std::uint32_t rare_end[kRareSteps];
  std::uint32_t rare_open;  ///< ... and from here on they do not decide
};

/// Rows of a tile that are replaced, in order: a later one stands.
struct Replaced {
  static constexpr std::size_t kMost = 2 * kCountTile;
  std::uint32_t first_rare;  ///< number of rows that the second layer replaces
  std::uint32_t rows;        ///< and of both
  alignas(64) std::uint16_t row[kMost + 64];
  alignas(64) std::uint8_t count[kMost + 64];  ///< kOpen: 16 bits did not decide
};

inline constexpr std::uint8_t kOpen = 255;

/// Random bits to row numbers: row = high half of bits * rows, drawn again elsewhere if the low
/// half is below `reject`, so that every row is equally likely.
struct RowDraw {
  std::uint32_t rows;
  std::uint32_t reject;  ///< 2^32 mod rows
};

/// Random bits to blocks of neighbouring rows: the high half of a word gives the start as in
/// RowDraw, the low half the length.
struct BlockDraw {
  RowDraw start;
  std::uint32_t length;  ///< of every block, if there is no table
  const std::uint32_t*
      table;  ///< [first 12 bits]: length in the first 12 bits, then the last 20 bits
              ///< from which on it is one more; null: lengths are all the same
};

/// In the table: the last 20 bits do not decide.
inline constexpr std::uint32_t kUndecided = 0xFFF00000U;

/// A block that its word did not decide: the start was rejected, or the length needs more bits.
struct OpenBlock {
  std::uint64_t word;
  std::uint32_t block;
};

struct Kernels {
  /// Draws the counts of a tile of `rows` rows; `counts` has room for kCountTile + 64. The counts
  /// behind `rows` up to the next multiple of 128 are 0. Returns whether some entry of
  /// `replaced.count` is kOpen: then the caller has to decide and replace those rows again.
  bool (*counts)(LaneState& lanes, const LayerTable& table, std::size_t rows, std::uint8_t* counts,
                 Replaced& replaced) noexcept;

  /// The sum of `rows` counts; those behind them up to the next multiple of 64 are 0.
  std::uint64_t (*total)(const std::uint8_t* counts, std::size_t rows) noexcept;

  /// Draws row numbers, 16 a step, and skips rejected ones. Room for 16 more is needed behind
  /// `rows`.
  void (*top_up)(LaneState& lanes, const RowDraw& draw, std::size_t draws,
                 std::uint32_t* rows) noexcept;

  /// Draws row numbers, 16 a step, in order; the positions of rejected draws are listed in
  /// `rejected` (room for all draws). Room for a whole last step is needed behind `rows`.
  void (*rows)(LaneState& lanes, const RowDraw& draw, std::size_t draws, std::uint32_t* rows,
               std::uint32_t* rejected, std::size_t& rejections) noexcept;

  /// Draws blocks, a word each, 8 a step; `blocks` is a multiple of 8. Those that need more bits
  /// are listed in `open` (room for `blocks`), and what stands in their place means nothing.
  void (*blocks)(LaneState& lanes, const BlockDraw& draw, std::size_t blocks, std::uint32_t* starts,
                 std::uint32_t* lengths, OpenBlock* open, std::size_t& open_blocks) noexcept;

  /// drawn[i] = first[i] + high half of bits[i] * rows[i]. Returns whether some low half is below
  /// rows[i], so that the draw may be one to reject.
  bool (*stratum_rows)(const std::uint32_t* bits, const std::uint32_t* first,
                       const std::uint32_t* rows, std::size_t draws, std::uint32_t* drawn) noexcept;
};

/// The kernels of a level; it must be available.
[[nodiscard]] const Kernels& kernels(execution::Level level) noexcept;

// One definition in each file of this folder; all but portable only where they are built.
extern const Kernels kPortable;
extern const Kernels kAvx2;
extern const Kernels kAvx512;
extern const Kernels kNeon;

}  // namespace bootfold::resample::simd
