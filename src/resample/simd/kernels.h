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

/// Where 16 random bits decide a Poisson count, and where they need more (src/resample/poisson.h).
///
/// A count is the number of thresholds below the 16-bit number u = high * 256 + low. A cell is all
/// u with the same high byte, a wide cell all u with the same first 6 bits. No cell but the last
/// (255), and no wide cell but the last (63), holds more than one threshold; those of the last wide
/// cell but its first are in the last cell. This holds for every mean in (0, 1].
struct PoissonTable {
  struct Top {
    std::uint8_t second;  ///< low byte of the second threshold
    std::uint8_t open;    ///< from this low byte on, look closer
  };
  alignas(64) std::uint8_t wide_count[64];  ///< thresholds in the wide cells before this one
  alignas(64) std::uint8_t wide_high[64];   ///< the wide cell's first threshold, or 65535
  alignas(64) std::uint8_t wide_low[64];
  Top wide_top;                 ///< of the last wide cell
  std::uint8_t cells;           ///< number of cells before the last that hold a threshold
  std::uint8_t cell[16];        ///< which cells those are
  std::uint8_t cell_split[16];  ///< and the low bytes of their thresholds
  std::uint8_t top_first;       ///< low byte of the last cell's first threshold
  Top top;                      ///< of the last cell
  const std::uint8_t* lookup;   ///< count for each of the 65536 u; kOpen: needs more bits
};

inline constexpr std::uint8_t kOpen = 255;

/// A row whose count 16 bits could not decide.
struct OpenRow {
  std::uint32_t row;
  std::uint32_t bits;  ///< the 16 bits
};

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
  /// Draws counts for `rows` rows, 64 rows a step; the counts behind `rows` up to the next multiple
  /// of 64 are 0. Undecided rows get 0 and are listed in `open` (room for `rows`). Returns the
  /// total.
  std::uint64_t (*counts)(LaneState& lanes, const PoissonTable& table, std::size_t rows,
                          std::uint8_t* counts, OpenRow* open, std::size_t& open_rows) noexcept;

  /// Draws row numbers, 16 a step, in order; the positions of rejected draws are listed in
  /// `rejected` (room for all draws). Room for a whole last step is needed behind `rows`.
  void (*rows)(LaneState& lanes, const RowDraw& draw, std::size_t draws, std::uint32_t* rows,
               std::uint32_t* rejected, std::size_t& rejections) noexcept;

  /// Draws blocks, a word each, 8 a step; `blocks` is a multiple of 8. Those that need more bits
  /// are listed in `open` (room for `blocks`), and what stands in their place means nothing.
  void (*blocks)(LaneState& lanes, const BlockDraw& draw, std::size_t blocks, std::uint32_t* starts,
                 std::uint32_t* lengths, OpenBlock* open, std::size_t& open_blocks) noexcept;
};

/// The kernels of a level; it must be available.
[[nodiscard]] const Kernels& kernels(execution::Level level) noexcept;

// One definition in each file of this folder; avx2 and avx512 only where they are built.
extern const Kernels kPortable;
extern const Kernels kAvx2;
extern const Kernels kAvx512;

}  // namespace bootfold::resample::simd
