// The lanes in registers of AVX2, for the kernels of this and of later modules.
#pragma once

#include <immintrin.h>

#include "random/simd/kernels.h"

namespace bootfold::random::simd {
namespace {

/// xoshiro256++: lanes 0-3 and 4-7 in two registers a word.
struct Generator {
  __m256i s[4][2];

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

  template <int kBits>
  static __m256i rotate(__m256i x) {
    return _mm256_or_si256(_mm256_slli_epi64(x, kBits), _mm256_srli_epi64(x, 64 - kBits));
  }

  __m256i next(int h) {
    const __m256i result =
        _mm256_add_epi64(rotate<23>(_mm256_add_epi64(s[0][h], s[3][h])), s[0][h]);
    const __m256i shifted = _mm256_slli_epi64(s[1][h], 17);
    s[2][h] = _mm256_xor_si256(s[2][h], s[0][h]);
    s[3][h] = _mm256_xor_si256(s[3][h], s[1][h]);
    s[1][h] = _mm256_xor_si256(s[1][h], s[2][h]);
    s[0][h] = _mm256_xor_si256(s[0][h], s[3][h]);
    s[2][h] = _mm256_xor_si256(s[2][h], shifted);
    s[3][h] = rotate<45>(s[3][h]);
    return result;
  }
};

}  // namespace

}  // namespace bootfold::random::simd
