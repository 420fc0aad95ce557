// The inner loops, once for each instruction set.
//
// A kernel works on plain memory, is noexcept, and gives the same bits at every level: counts, row
// numbers and sums are integers, and the few floating point operations are single IEEE operations
// in a fixed order. One table of kernels is chosen per call of the engine, not per element.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bootfold/execution.h"

namespace bootfold::execution::simd {

/// State of xoshiro256++ in eight lanes: word[i][lane].
struct alignas(64) LaneState {
  std::uint64_t word[4][8];
};

/// Key and counter of a Philox4x32-10 call.
struct Counter {
  std::uint32_t key[2];
  std::uint32_t word[4];
};

/// Where 16 random bits decide a Poisson count, and where they need more (src/resample/poisson.h).
///
/// A count is the number of thresholds below the 16-bit number u = high * 256 + low. A cell is all
/// u with the same high byte, a wide cell all u with the same first 6 bits. No cell but the last
/// (255), and no wide cell but the last (63), holds more than one threshold; those of the last wide
/// cell but its first are in the last cell. So it is for every mean in (0, 1].
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

/// Replicates whose dot products can share the loads of the planes.
inline constexpr std::size_t kDotReplicates = 4;

/// A row whose count 16 bits could not decide.
struct OpenRow {
  std::uint32_t row;
  std::uint32_t bits;  ///< the 16 bits
};

/// How a feature is rounded to integers: q = round((f - centre) * scale * rescale). Two factors
/// because one power of two cannot scale denormals up.
struct FixedPoint {
  double centre = 0;
  double scale = 1;
  double rescale = 1;
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
  /// Fills the lanes from the 16 Philox calls at counter, counter + 1, ..., counter + 15.
  void (*seed)(const Counter& counter, LaneState& lanes) noexcept;

  /// The words of `steps` steps, eight each.
  void (*words)(LaneState& lanes, std::size_t steps, std::uint64_t* words) noexcept;

  /// Draws counts for `rows` rows, 64 rows a step; the counts behind `rows` up to the next multiple
  /// of 64 are 0. Undecided rows get 0 and are listed in `open` (room for `rows`). Returns the
  /// total.
  std::uint64_t (*counts)(LaneState& lanes, const PoissonTable& table, std::size_t rows,
                          std::uint8_t* counts, OpenRow* open, std::size_t& open_rows) noexcept;

  /// sums[r * planes + p] += dot(counts of replicate r, plane p) for r < replicates (1 to
  /// kDotReplicates).
  /// `rows` is a multiple of 64, at most 65536; counts are at most 31.
  void (*dot)(const std::uint8_t* counts, std::size_t count_stride, std::size_t replicates,
              const std::int8_t* planes, std::size_t plane_stride, std::size_t plane_count,
              std::size_t rows, std::int64_t* sums) noexcept;

  /// Rounds values to integers below 2^55.
  void (*quantize)(const double* values, std::size_t rows, const FixedPoint& point,
                   std::int64_t* integers) noexcept;

  /// Splits integers into `digits` signed base-256 digits, one plane each, lowest first.
  void (*split)(const std::int64_t* integers, std::size_t rows, std::size_t digits,
                std::int8_t* planes, std::size_t plane_stride) noexcept;

  /// Draws 16 row numbers a step and adds the rows' features: sums[f * 16 + lane]. In the last of
  /// `steps` (at most 128) only the first `last_lanes` draws count. A rejected draw adds nothing;
  /// step * 16 + lane is listed in `rejected` (room for all draws).
  void (*gather)(LaneState& lanes, const RowDraw& draw, std::size_t steps, std::size_t last_lanes,
                 const std::int64_t* features, std::size_t feature_stride,
                 std::size_t feature_count, std::int64_t* sums, std::uint32_t* rejected,
                 std::size_t& rejections) noexcept;

  /// Draws row numbers, 16 a step, in order; rejected ones are listed as above. Room for a whole
  /// last step is needed behind `rows`.
  void (*rows)(LaneState& lanes, const RowDraw& draw, std::size_t draws, std::uint32_t* rows,
               std::uint32_t* rejected, std::size_t& rejections) noexcept;

  /// Draws exponential weights of mean 1, 8 rows a step; those behind `rows` up to the next
  /// multiple of 8 are 0. Right to about 2^-52.
  void (*exponentials)(LaneState& lanes, std::size_t rows, double* weights) noexcept;

  /// sums[f] = sum of weight * feature f over the rows, in eight lanes that are added up in a fixed
  /// order. `rows` is a multiple of 8.
  void (*weigh)(const double* weights, const double* features, std::size_t feature_stride,
                std::size_t feature_count, std::size_t rows, double* sums) noexcept;

  /// Draws blocks, a word each, 8 a step; `blocks` is a multiple of 8. Those that need more bits
  /// are listed in `open` (room for `blocks`), and what stands in their place means nothing.
  void (*blocks)(LaneState& lanes, const BlockDraw& draw, std::size_t blocks, std::uint32_t* starts,
                 std::uint32_t* lengths, OpenBlock* open, std::size_t& open_blocks) noexcept;

  /// The sum of a feature over blocks, modulo 2^64: running[i] is its sum over the first i of
  /// `rows` rows. Behind the last row comes the first; no block is longer than all rows.
  std::uint64_t (*sum_blocks)(const std::uint64_t* running, std::uint32_t rows,
                              const std::uint32_t* starts, const std::uint32_t* lengths,
                              std::size_t blocks) noexcept;
};

/// The kernels of a level; it must be available.
[[nodiscard]] const Kernels& kernels(Level level) noexcept;

// One definition in each file of this folder; avx2 and avx512 only where they are built.
extern const Kernels kPortable;
extern const Kernels kAvx2;
extern const Kernels kAvx512;

}  // namespace bootfold::execution::simd
