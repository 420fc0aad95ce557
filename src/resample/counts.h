// Counts of path `stream`: exactly multinomial, in tiles of rows, from independent blocks of rows.
//
// Poisson counts do not sum to n. Given their total T they are multinomial(T), so n - T uniform
// "top-up" draws make them exactly multinomial(n); if T > n the attempt is void and the next one is
// used (docs/resampling.md has the proof). Every block of kBlockRows rows has a stream of its own,
// so any range of whole blocks can be made anywhere; only the total is shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bootfold/random.h"
#include "resample/poisson.h"
#include "resample/rows.h"
#include "resample/simd/kernels.h"

namespace bootfold::resample {

inline constexpr std::size_t kBlockRows = 65536;

/// One attempt at one replicate.
struct Attempt {
  std::uint64_t seed = 0;
  std::uint64_t replicate = 0;
  std::uint8_t number = 0;

  [[nodiscard]] random::StreamId stream(random::Purpose purpose) const {
    return {seed, replicate, purpose, number};
  }
};

/// Draws the Poisson counts of rows row .. row + rows - 1 into `counts` (room for the next multiple
/// of 64) and returns their total. A tile lies within one block; the first tile of a block seeds
/// `lanes`, the others go on where the last one stopped (so tiles but the last hold multiples of 64
/// rows). `open` has room for `rows`.
std::uint64_t draw_tile(execution::Level level, const Poisson& poisson, const Attempt& attempt,
                        std::uint64_t row, std::size_t rows, random::simd::LaneState& lanes,
                        std::uint8_t* counts, simd::OpenRow* open) noexcept;

/// draw_tile in two steps. Beginning the tiles of several replicates before drawing them hides the
/// waiting of the seeding.
void begin_tile(execution::Level level, const Attempt& attempt, std::uint64_t row,
                random::simd::LaneState& lanes) noexcept;
std::uint64_t draw_begun_tile(execution::Level level, const Poisson& poisson,
                              const Attempt& attempt, std::uint64_t row, std::size_t rows,
                              random::simd::LaneState& lanes, std::uint8_t* counts,
                              simd::OpenRow* open) noexcept;

/// The rows of the top-up, drawn in order. With one block of rows the draws (32 bits each) go on in
/// the stream of that block; with more they (64 bits each) have a stream of their own, so that
/// every holder of some blocks can replay them.
class TopUp {
 public:
  /// `lanes`: the state that drawing the counts of the only block left behind; unused with more.
  TopUp(execution::Level level, const Attempt& attempt, std::uint64_t rows,
        const random::simd::LaneState& lanes) noexcept;

  /// Fills `out` with the next row numbers. Every call but the last asks for a multiple of 16.
  void draw(std::span<std::uint64_t> out);
  /// The same with one block of rows, at most kDrawsAtOnce draws, and room for 16 more behind
  /// `out`.
  void draw_short(std::span<std::uint32_t> out);

 private:
  void draw_long(std::span<std::uint64_t> out);

  execution::Level level_;
  random::StreamId retry_;
  std::uint64_t rows_;
  std::uint64_t drawn_ = 0;
  random::simd::LaneState lanes_;
};

}  // namespace bootfold::resample
