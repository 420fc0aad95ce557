// What all levels share: plain loops over fixed numbers of lanes that the compiler vectorises with
// the flags of the including file. Everything has internal linkage, so that code compiled for one
// instruction set can never be picked for another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "random/simd/lanes.h"
#include "resample/simd/kernels.h"
#include "resample/simd/row_step.h"

namespace bootfold::resample::simd {
namespace {

constexpr std::size_t kStepRows = 64;  // rows of a counts step

/// Clears what a step drew for rows that do not exist and returns what it counted for them.
[[maybe_unused]] std::uint64_t clear_tail(std::uint8_t* counts, std::size_t rows, OpenRow* open,
                                          std::size_t& open_rows) noexcept {
  std::uint64_t cleared = 0;
  for (std::size_t i = rows; i % kStepRows != 0; ++i) {
    cleared += counts[i];
    counts[i] = 0;
  }
  while (open_rows > 0 && open[open_rows - 1].row >= rows) --open_rows;
  return cleared;
}

[[maybe_unused]] void draw_rows(LaneState& state, const RowDraw& draw, std::size_t draws,
                                std::uint32_t* rows, std::uint32_t* rejected,
                                std::size_t& rejections) noexcept {
  LaneState lanes = state;
  std::uint32_t low[kStepDraws];
  rejections = 0;
  for (std::size_t first = 0; first < draws; first += kStepDraws) {
    draw_step(lanes, draw, rows + first, low);
    if (any_below(low, draw.reject)) [[unlikely]] {
      for (std::size_t i = 0; i < kStepDraws && first + i < draws; ++i)
        if (low[i] < draw.reject) rejected[rejections++] = static_cast<std::uint32_t>(first + i);
    }
  }
  state = lanes;
}

/// Splits eight words into starts and lengths, and lists those that need more bits.
[[maybe_unused]] inline void words_to_blocks(const std::uint64_t* words, const BlockDraw& draw,
                                             std::size_t first, std::uint32_t* starts,
                                             std::uint32_t* lengths, OpenBlock* open,
                                             std::size_t& open_blocks) noexcept {
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint64_t product = (words[i] >> 32) * draw.start.rows;
    bool decided = static_cast<std::uint32_t>(product) >= draw.start.reject;
    starts[first + i] = static_cast<std::uint32_t>(product >> 32);
    lengths[first + i] = draw.length;
    if (draw.table != nullptr) {
      constexpr std::uint32_t kLast = 0xFFFFF;
      const auto bits = static_cast<std::uint32_t>(words[i]);
      const std::uint32_t entry = draw.table[bits >> 20];
      decided = decided && entry < kUndecided && (entry & kLast) != (bits & kLast);
      lengths[first + i] =
          (entry >> 20) + static_cast<std::uint32_t>((bits & kLast) > (entry & kLast));
    }
    if (!decided) [[unlikely]]
      open[open_blocks++] = {words[i], static_cast<std::uint32_t>(first + i)};
  }
}

[[maybe_unused]] void draw_blocks(LaneState& state, const BlockDraw& draw, std::size_t blocks,
                                  std::uint32_t* starts, std::uint32_t* lengths, OpenBlock* open,
                                  std::size_t& open_blocks) noexcept {
  LaneState lanes = state;
  open_blocks = 0;
  for (std::size_t first = 0; first < blocks; first += 8) {
    std::uint64_t words[8];
    random::simd::next(lanes, words);
    words_to_blocks(words, draw, first, starts, lengths, open, open_blocks);
  }
  state = lanes;
}

}  // namespace

}  // namespace bootfold::resample::simd
