// Kernels for AVX2.
#include "random/simd/body.h"
#include "random/simd/lanes_avx2.h"

namespace bootfold::random::simd {
namespace {

/// seed_lanes with four calls in the low halves of the lanes of a register: even ones, and odd
/// ones. The high halves hold what products leave there, and multiplications ignore it.
void seed(const Counter& counter, LaneState& lanes) noexcept {
  const auto all = [](std::uint32_t word) { return _mm256_set1_epi64x(word); };
  const __m256i factor0 = all(0xD2511F53U);
  const __m256i factor2 = all(0xCD9E8D57U);
  const __m256i step0 = all(0x9E3779B9U);
  const __m256i step1 = all(0xBB67AE85U);
  const __m256i even = _mm256_setr_epi64x(0, 2, 4, 6);
  for (int h = 0; h < 2; ++h) {
    __m256i c[4][2];
    for (int odd = 0; odd < 2; ++odd) {
      c[0][odd] = _mm256_add_epi64(all(counter.word[0] + 8 * static_cast<std::uint32_t>(h) +
                                       static_cast<std::uint32_t>(odd)),
                                   even);
      for (int w = 1; w < 4; ++w) c[w][odd] = all(counter.word[w]);
    }
    __m256i key0 = all(counter.key[0]);
    __m256i key1 = all(counter.key[1]);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      for (int odd = 0; odd < 2; ++odd) {
        const __m256i a = _mm256_mul_epu32(c[0][odd], factor0);
        const __m256i b = _mm256_mul_epu32(c[2][odd], factor2);
        c[0][odd] = _mm256_xor_si256(_mm256_srli_epi64(b, 32), _mm256_xor_si256(c[1][odd], key0));
        c[1][odd] = b;
        c[2][odd] = _mm256_xor_si256(_mm256_srli_epi64(a, 32), _mm256_xor_si256(c[3][odd], key1));
        c[3][odd] = a;
      }
      key0 = _mm256_add_epi64(key0, step0);
      key1 = _mm256_add_epi64(key1, step1);
      asm("" : "+x"(key0), "+x"(key1));  // otherwise g++ 12 broadcasts a sum of steps each time
    }
    constexpr int kHighHalves = 0xAA;
    for (int w = 0; w < 4; ++w)
      _mm256_store_si256(reinterpret_cast<__m256i*>(lanes.word[w]) + h,
                         _mm256_blend_epi32(c[w][0], _mm256_slli_epi64(c[w][1], 32), kHighHalves));
  }
}

void draw_words_at_once(LaneState& state, std::size_t steps, std::uint64_t* words) noexcept {
  Generator generator(state);
  for (std::size_t step = 0; step < steps; ++step)
    for (int h = 0; h < 2; ++h)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(words + 8 * step) + h, generator.next(h));
  generator.save(state);
}

void draw_weights_at_once(LaneState& state, std::size_t rows, std::uint32_t* weights) noexcept {
  Generator generator(state);
  for (std::size_t first = 0; first < rows; first += kStepWeights)
    for (int h = 0; h < 2; ++h)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(weights + first) + h, generator.next(h));
  generator.save(state);
  words_to_weights(rows, weights);
}

}  // namespace

const Kernels kAvx2 = {.seed = seed, .words = draw_words_at_once, .weights = draw_weights_at_once};

}  // namespace bootfold::random::simd
