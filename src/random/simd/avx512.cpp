// Kernels for AVX-512.
#include "random/simd/body.h"
#include "random/simd/lanes_avx512.h"

namespace bootfold::random::simd {
namespace {

/// seed_lanes with eight calls in the low halves of the lanes of a register: the even ones, and the
/// odd ones. The high halves hold what products leave there, and multiplications ignore it.
void seed(const Counter& counter, LaneState& lanes) noexcept {
  const auto all = [](std::uint32_t word) { return _mm512_set1_epi64(word); };
  const auto combine = [](__m512i x, __m512i y, __m512i z) {
    return _mm512_ternarylogic_epi64(x, y, z, 0x96);  // x ^ y ^ z
  };
  const __m512i factor0 = all(0xD2511F53U);
  const __m512i factor2 = all(0xCD9E8D57U);
  const __m512i step0 = all(0x9E3779B9U);
  const __m512i step1 = all(0xBB67AE85U);
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  __m512i c[4][2];
  for (int odd = 0; odd < 2; ++odd) {
    c[0][odd] = _mm512_add_epi64(all(counter.word[0] + static_cast<std::uint32_t>(odd)), even);
    for (int w = 1; w < 4; ++w) c[w][odd] = all(counter.word[w]);
  }
  __m512i key0 = all(counter.key[0]);
  __m512i key1 = all(counter.key[1]);
  for (int round = 0; round < 10; ++round) {
    for (int odd = 0; odd < 2; ++odd) {
      const __m512i a = _mm512_mul_epu32(c[0][odd], factor0);
      const __m512i b = _mm512_mul_epu32(c[2][odd], factor2);
      c[0][odd] = combine(_mm512_srli_epi64(b, 32), c[1][odd], key0);
      c[1][odd] = b;
      c[2][odd] = combine(_mm512_srli_epi64(a, 32), c[3][odd], key1);
      c[3][odd] = a;
    }
    key0 = _mm512_add_epi64(key0, step0);
    key1 = _mm512_add_epi64(key1, step1);
    asm("" : "+v"(key0), "+v"(key1));  // otherwise g++ 12 broadcasts a sum of steps each time
  }
  constexpr __mmask16 kHighHalves = 0xAAAA;
  for (int w = 0; w < 4; ++w)
    _mm512_store_si512(lanes.word[w], _mm512_mask_blend_epi32(kHighHalves, c[w][0],
                                                              _mm512_slli_epi64(c[w][1], 32)));
}

void draw_words_at_once(LaneState& state, std::size_t steps, std::uint64_t* words) noexcept {
  Generator generator(state);
  for (std::size_t step = 0; step < steps; ++step)
    _mm512_storeu_si512(words + 8 * step, generator());
  generator.save(state);
}

void draw_weights_at_once(LaneState& state, std::size_t rows, std::uint32_t* weights) noexcept {
  Generator generator(state);
  for (std::size_t first = 0; first < rows; first += kStepWeights)
    _mm512_storeu_si512(weights + first, generator());
  generator.save(state);
  words_to_weights(rows, weights);
}

}  // namespace

const Kernels kAvx512 = {
    .seed = seed, .words = draw_words_at_once, .weights = draw_weights_at_once};

}  // namespace bootfold::random::simd
