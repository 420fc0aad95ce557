// The lanes in registers of AVX-512, for the kernels of this and of later modules.
#pragma once

#include <immintrin.h>

#include "random/simd/kernels.h"

namespace bootfold::random::simd {
namespace {

/// sfc64, all eight lanes in four registers.
struct Generator {
  __m512i a, b, c, counter;

  explicit Generator(const LaneState& state)
      : a(_mm512_load_si512(state.word[0])),
        b(_mm512_load_si512(state.word[1])),
        c(_mm512_load_si512(state.word[2])),
        counter(_mm512_load_si512(state.word[3])) {}

  void save(LaneState& state) const {
    _mm512_store_si512(state.word[0], a);
    _mm512_store_si512(state.word[1], b);
    _mm512_store_si512(state.word[2], c);
    _mm512_store_si512(state.word[3], counter);
  }

  __m512i operator()() {
    const __m512i sum = _mm512_add_epi64(_mm512_add_epi64(a, b), counter);
    counter = _mm512_sub_epi64(counter, _mm512_set1_epi64(-1));
    a = _mm512_xor_si512(b, _mm512_srli_epi64(b, 11));
    b = _mm512_add_epi64(c, _mm512_slli_epi64(c, 3));
    c = _mm512_add_epi64(_mm512_rol_epi64(c, 24), sum);
    return sum;
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
