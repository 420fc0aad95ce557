// One step of drawing row numbers, for the kernels of this and of later modules. Everything has
// internal linkage, so that code compiled for one instruction set can never be picked for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "random/simd/lanes.h"
#include "resample/simd/kernels.h"

namespace bootfold::resample::simd {
namespace {

constexpr std::size_t kStepDraws = 16;  // row numbers of a draw step

/// The row numbers of one step.
[[maybe_unused]] inline void draw_step(LaneState& lanes, const RowDraw& draw, std::uint32_t* rows,
                                       std::uint32_t* low) noexcept {
  std::uint64_t words[8];
  random::simd::next(lanes, words);
  std::uint32_t bits[kStepDraws];
  std::memcpy(bits, words, sizeof bits);
  for (std::size_t i = 0; i < kStepDraws; ++i) {
    const std::uint64_t product = std::uint64_t{bits[i]} * draw.rows;
    rows[i] = static_cast<std::uint32_t>(product >> 32);
    low[i] = static_cast<std::uint32_t>(product);
  }
}

[[maybe_unused]] inline bool any_below(const std::uint32_t* low, std::uint32_t reject) noexcept {
  std::uint32_t any = 0;
  for (std::size_t i = 0; i < kStepDraws; ++i) any |= static_cast<std::uint32_t>(low[i] < reject);
  return any != 0;
}

}  // namespace

}  // namespace bootfold::resample::simd
