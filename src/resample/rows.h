// Row numbers of path `gather`: n independent uniform draws from 32 bits each.
//
// row = high half of bits * n. The few bits that would make some rows likelier are rejected and the
// draw is made again from a stream named by its position, so no draw moves another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/random.h"
#include "resample/simd/kernels.h"

namespace bootfold::resample {

/// Resamples from at most this many rows are drawn 16 replicates side by side.
inline constexpr std::size_t kShortRows = 256;
inline constexpr std::size_t kSideBySide = 16;

/// Largest number of rows path gather can draw from.
inline constexpr std::uint64_t kMostGatherRows = 0xFFFFFFF0U;

[[nodiscard]] inline simd::RowDraw row_draw(std::uint32_t rows) noexcept {
  return {rows, (0 - rows) % rows};
}

/// The row that replaces a rejected draw at `position` (below 2^32) of the stream `id`.
[[nodiscard]] std::uint32_t redraw(const random::StreamId& id, std::uint32_t position,
                                   const simd::RowDraw& draw);

/// Draws made at a time; buffers of kernels.rows and kernels.gather have room for as many.
inline constexpr std::size_t kDrawsAtOnce = 2048;

/// Draws the rows of the 16 short replicates of a batch: out[lane * draws + position]. At most
/// kShortRows rows.
void draw_batch(execution::Level level, std::uint64_t seed, std::uint64_t batch, std::uint32_t rows,
                std::span<std::uint32_t> out);

/// Draws the rows of one replicate in order. `rows` is the number drawn from, `out.size()` the
/// number drawn; `out` has room for 16 more behind it.
void draw_rows(execution::Level level, std::uint64_t seed, std::uint64_t replicate,
               std::uint32_t rows, std::span<std::uint32_t> out);

/// The same into a list, which becomes `draws` long.
void draw_rows(execution::Level level, std::uint64_t seed, std::uint64_t replicate,
               std::size_t rows, std::size_t draws, std::vector<std::uint32_t>& out);

}  // namespace bootfold::resample
