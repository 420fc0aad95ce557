// What all levels share: plain loops over fixed numbers of lanes that the compiler vectorises with
// the flags of the including file. Everything has internal linkage, so that code compiled for one
// instruction set can never be picked for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "random/simd/lanes.h"
#include "resample/simd/kernels.h"
#include "resample/simd/row_step.h"

namespace bootfold::resample::simd {
namespace {

constexpr std::size_t kStepRows = 128;  // rows of a step of counts

/// The count that 16 bits of the third layer give, or kOpen.
[[maybe_unused]] inline std::uint8_t rare_count(const LayerTable& table,
                                                std::uint32_t bits) noexcept {
  if (bits >= table.rare_open) return kOpen;
  std::uint32_t count = table.rare_first;
  for (const std::uint32_t end : table.rare_end) count += static_cast<std::uint32_t>(bits >= end);
  return static_cast<std::uint8_t>(count);
}

/// Sets the number of rows to replace. The entries behind them up to the next eight go behind the
/// tile, which spares a loop for the last few. Well before replace(): a processor waits where it
/// reads what was just written in pieces.
[[maybe_unused]] inline void finish_list(Replaced& replaced, std::uint32_t sparse,
                                         std::uint32_t rare) noexcept {
  replaced.first_rare = sparse;
  replaced.rows = sparse + rare;
  for (std::size_t i = 0; i < 8; ++i) replaced.row[replaced.rows + i] = kCountTile;
}

/// Replaces rows in order, eight at a time.
[[maybe_unused]] inline void replace(const Replaced& replaced, std::uint8_t* counts) noexcept {
  for (std::size_t i = 0; i < replaced.rows; i += 8) {
    std::uint64_t rows[2];
    std::uint64_t with;
    std::memcpy(rows, replaced.row + i, sizeof rows);
    std::memcpy(&with, replaced.count + i, sizeof with);
    for (std::size_t k = 0; k < 8; ++k)
      counts[rows[k / 4] >> (16 * (k % 4)) & 0xFFFFU] = static_cast<std::uint8_t>(with >> (8 * k));
  }
}

/// Clears what a step drew for rows that do not exist, 64 at a time: there is room for 63 more.
[[maybe_unused]] inline void clear_tail(std::uint8_t* counts, std::size_t rows) noexcept {
  const std::size_t end = (rows + kStepRows - 1) / kStepRows * kStepRows;
  for (std::size_t row = rows; row < end; row += 64) std::memset(counts + row, 0, 64);
}

[[maybe_unused]] std::uint64_t add_counts(const std::uint8_t* counts, std::size_t rows) noexcept {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < rows; ++i) total += counts[i];
  return total;
}

[[maybe_unused]] void draw_top_up(LaneState& state, const RowDraw& draw, std::size_t draws,
                                  std::uint32_t* rows) noexcept {
  LaneState lanes = state;
  std::uint32_t drawn[kStepDraws];
  std::uint32_t low[kStepDraws];
  for (std::size_t made = 0; made < draws;) {
    draw_step(lanes, draw, drawn, low);
    if (!any_below(low, draw.reject)) [[likely]] {
      // There is room for the surplus of the last step.
      std::memcpy(rows + made, drawn, sizeof drawn);
      made += kStepDraws;
      continue;
    }
    for (std::size_t i = 0; i < kStepDraws && made < draws; ++i) {
      rows[made] = drawn[i];
      made += static_cast<std::size_t>(low[i] >= draw.reject);
    }
  }
  state = lanes;
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

[[maybe_unused]] bool draw_stratum_rows(const std::uint32_t* bits, const std::uint32_t* first,
                                        const std::uint32_t* rows, std::size_t draws,
                                        std::uint32_t* drawn) noexcept {
  std::uint32_t any = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    const std::uint64_t product = std::uint64_t{bits[i]} * rows[i];
    drawn[i] = first[i] + static_cast<std::uint32_t>(product >> 32);
    any |= static_cast<std::uint32_t>(static_cast<std::uint32_t>(product) < rows[i]);
  }
  return any != 0;
}

}  // namespace

}  // namespace bootfold::resample::simd
