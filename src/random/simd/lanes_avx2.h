// The lanes in registers of AVX2, for the kernels of this and of later modules.
#pragma once

#include <immintrin.h>

#include "random/simd/kernels.h"

namespace bootfold::random::simd {
namespace {

/// sfc64: lanes 0-3 and 4-7 in two registers a word.
struct Generator {
  __m256i s[4][2];  // a, b, c, counter

  explicit Generator(const LaneState& state) {
    for (int w = 0; w < 4; ++w)
      for (int h = 0; h < 2; ++h)
        s[w][h] = _mm256_load_si256(reinterpret_cast<const __m256i*>(state.word[w]) + h);
  }

  void save(LaneState& state) const {
    for (int w = 0; w < 4; ++w)
      for (int h = 0; h < 2; ++h)
        _mm256_store_si256(reinterpret_cast<__m256i*>(state.word[w]) + h, s[w][h]);
  }

  /// Whole bytes, so that one shuffle does.
  static __m256i rotate24(__m256i x) {
    return _mm256_shuffle_epi8(
        x, _mm256_setr_epi8(5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10, 11, 12, 5, 6, 7, 0, 1, 2,
                            3, 4, 13, 14, 15, 8, 9, 10, 11, 12));
  }

  __m256i next(int h) {
    const __m256i sum = _mm256_add_epi64(_mm256_add_epi64(s[0][h], s[1][h]), s[3][h]);
    s[3][h] = _mm256_sub_epi64(s[3][h], _mm256_set1_epi64x(-1));
    s[0][h] = _mm256_xor_si256(s[1][h], _mm256_srli_epi64(s[1][h], 11));
    s[1][h] = _mm256_add_epi64(s[2][h], _mm256_slli_epi64(s[2][h], 3));
    s[2][h] = _mm256_add_epi64(rotate24(s[2][h]), sum);
    return sum;
  }
};

/// High and low halves of eight products of 32 bits.
struct Products {
  __m256i high;
  __m256i low;

  Products(__m256i x, __m256i factor) {
    constexpr int kOdd = 0xAA;
    const __m256i even = _mm256_mul_epu32(x, factor);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), factor);
    high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, kOdd);
    low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), kOdd);
  }

  /// Where the low half is below a bound, given as flipped(bound).
  [[nodiscard]] __m256i low_below(__m256i bound) const {
    return _mm256_cmpgt_epi32(bound, _mm256_xor_si256(low, _mm256_set1_epi32(INT32_MIN)));
  }
  /// Unsigned numbers as signed ones in the same order.
  static __m256i flipped(std::uint32_t bound) {
    return _mm256_set1_epi32(static_cast<int>(bound ^ 0x80000000U));
  }
};

}  // namespace

}  // namespace bootfold::random::simd
