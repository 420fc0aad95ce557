// The lanes in registers of NEON, for the kernels of this and of later modules.
#pragma once

#include <arm_neon.h>

#include "random/simd/kernels.h"

namespace bootfold::random::simd {
namespace {

/// sfc64: lanes 0-1, 2-3, 4-5 and 6-7 in four registers a word.
struct Generator {
  static constexpr int kParts = 4;
  uint64x2_t s[4][kParts];  // a, b, c, counter

  explicit Generator(const LaneState& state) {
    for (int w = 0; w < 4; ++w)
      for (int h = 0; h < kParts; ++h) s[w][h] = vld1q_u64(state.word[w] + 2 * h);
  }

  void save(LaneState& state) const {
    for (int w = 0; w < 4; ++w)
      for (int h = 0; h < kParts; ++h) vst1q_u64(state.word[w] + 2 * h, s[w][h]);
  }

  /// Whole bytes, so that one table look-up does.
  static uint64x2_t rotate24(uint64x2_t x) {
    constexpr uint8x16_t kOrder = {5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10, 11, 12};
    return vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(x), kOrder));
  }

  uint64x2_t next(int h) {
    const uint64x2_t sum = vaddq_u64(vaddq_u64(s[0][h], s[1][h]), s[3][h]);
    s[3][h] = vaddq_u64(s[3][h], vdupq_n_u64(1));
    s[0][h] = veorq_u64(s[1][h], vshrq_n_u64(s[1][h], 11));
    s[1][h] = vaddq_u64(s[2][h], vshlq_n_u64(s[2][h], 3));
    s[2][h] = vaddq_u64(rotate24(s[2][h]), sum);
    return sum;
  }
};

}  // namespace

}  // namespace bootfold::random::simd
