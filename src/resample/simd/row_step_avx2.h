// One step of drawing row numbers in registers of AVX2, for the kernels of this and of later
// modules.
#pragma once

#include <immintrin.h>

#include "random/simd/lanes_avx2.h"
#include "resample/simd/row_step.h"

namespace bootfold::resample::simd {
namespace {

/// The 16 row numbers of a step, and which of them are rejected.
struct RowStep {
  __m256i rows[2];
  __m256i kept[2];  // all bits of a lane, or none where it is rejected

  RowStep(random::simd::Generator& generator, const RowDraw& draw) {
    const __m256i bound = _mm256_set1_epi32(static_cast<int>(draw.rows));
    const __m256i reject = _mm256_set1_epi32(static_cast<int>(draw.reject));
    for (int h = 0; h < 2; ++h) {
      const __m256i bits = generator.next(h);
      const __m256i even = _mm256_mul_epu32(bits, bound);
      const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(bits, 32), bound);
      rows[h] = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
      const __m256i low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
      kept[h] = _mm256_cmpeq_epi32(_mm256_max_epu32(low, reject), low);
    }
  }

  [[nodiscard]] bool any_rejected() const {
    return _mm256_movemask_epi8(_mm256_and_si256(kept[0], kept[1])) != -1;
  }

  void store_rows(std::uint32_t* out) const {
    for (int h = 0; h < 2; ++h) _mm256_storeu_si256(reinterpret_cast<__m256i*>(out) + h, rows[h]);
  }

  /// out[i] is 0 where draw i counts.
  void store_rejected(std::uint32_t* out) const {
    for (int h = 0; h < 2; ++h)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out) + h,
                          _mm256_xor_si256(kept[h], _mm256_set1_epi32(-1)));
  }
};

}  // namespace

}  // namespace bootfold::resample::simd
