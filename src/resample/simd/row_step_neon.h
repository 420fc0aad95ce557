// One step of drawing row numbers in registers of NEON, for the kernels of this and of later
// modules.
#pragma once

#include <arm_neon.h>

#include "random/simd/lanes_neon.h"
#include "resample/simd/row_step.h"

namespace bootfold::resample::simd {
namespace {

/// The 16 row numbers of a step, and which of them are rejected.
struct RowStep {
  uint32x4_t rows[4];
  uint32x4_t rejected[4];  // all bits of a lane or none

  RowStep(random::simd::Generator& generator, const RowDraw& draw) {
    const uint32x4_t bound = vdupq_n_u32(draw.rows);
    const uint32x4_t reject = vdupq_n_u32(draw.reject);
    for (int h = 0; h < 4; ++h) {
      const uint32x4_t bits = vreinterpretq_u32_u64(generator.next(h));
      const uint32x4_t first =
          vreinterpretq_u32_u64(vmull_u32(vget_low_u32(bits), vget_low_u32(bound)));
      const uint32x4_t second = vreinterpretq_u32_u64(vmull_high_u32(bits, bound));
      rows[h] = vuzp2q_u32(first, second);
      rejected[h] = vcltq_u32(vuzp1q_u32(first, second), reject);
    }
  }

  [[nodiscard]] bool any_rejected() const {
    const uint32x4_t any =
        vorrq_u32(vorrq_u32(rejected[0], rejected[1]), vorrq_u32(rejected[2], rejected[3]));
    return vmaxvq_u32(any) != 0;
  }

  void store_rows(std::uint32_t* out) const {
    for (int h = 0; h < 4; ++h) vst1q_u32(out + 4 * h, rows[h]);
  }

  /// out[i] is 0 where draw i counts.
  void store_rejected(std::uint32_t* out) const {
    for (int h = 0; h < 4; ++h) vst1q_u32(out + 4 * h, rejected[h]);
  }
};

}  // namespace

}  // namespace bootfold::resample::simd
