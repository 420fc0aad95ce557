// The lanes in registers of AVX-512, for the kernels of this and of later modules.
#pragma once

#include <immintrin.h>

#include "random/simd/kernels.h"

namespace bootfold::random::simd {
namespace {

/// xoshiro256++, all eight lanes in four registers.
struct Generator {
  __m512i s0, s1, s2, s3;

  explicit Generator(const LaneState& state)
      : s0(_mm512_load_si512(state.word[0])),
        s1(_mm512_load_si512(state.word[1])),
        s2(_mm512_load_si512(state.word[2])),
        s3(_mm512_load_si512(state.word[3])) {}

  void save(LaneState& state) const {
    _mm512_store_si512(state.word[0], s0);
    _mm512_store_si512(state.word[1], s1);
    _mm512_store_si512(state.word[2], s2);
    _mm512_store_si512(state.word[3], s3);
  }

  __m512i operator()() {
    const __m512i result = _mm512_add_epi64(_mm512_rol_epi64(_mm512_add_epi64(s0, s3), 23), s0);
    const __m512i shifted = _mm512_slli_epi64(s1, 17);
    s2 = _mm512_xor_si512(s2, s0);
    s3 = _mm512_xor_si512(s3, s1);
    s1 = _mm512_xor_si512(s1, s2);
    s0 = _mm512_xor_si512(s0, s3);
    s2 = _mm512_xor_si512(s2, shifted);
    s3 = _mm512_rol_epi64(s3, 45);
    return result;
  }
};

/// High and low halves of 16 products of 32 bits.
struct Products {
  __m512i high;
  __m512i low;

  Products(__m512i x, __m512i factor) {
    constexpr __mmask16 kOdd = 0xAAAA;
    const __m512i even = _mm512_mul_epu32(x, factor);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), factor);
    high = _mm512_mask_blend_epi32(kOdd, _mm512_srli_epi64(even, 32), odd);
    low = _mm512_mask_blend_epi32(kOdd, even, _mm512_slli_epi64(odd, 32));
  }
};

}  // namespace

}  // namespace bootfold::random::simd
