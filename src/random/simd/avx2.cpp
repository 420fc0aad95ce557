// Kernels for AVX2.
#include "random/simd/body.h"
#include "random/simd/lanes_avx2.h"

namespace bootfold::random::simd {
namespace {

/// seed_lanes with the 16 calls in the lanes of eight registers.
void seed(const Counter& counter, LaneState& lanes) noexcept {
  const auto all = [](std::uint32_t word) { return _mm256_set1_epi32(static_cast<int>(word)); };
  const __m256i factor0 = all(0xD2511F53U);
  const __m256i factor2 = all(0xCD9E8D57U);
  for (int h = 0; h < 2; ++h) {
    __m256i c0 = _mm256_add_epi32(all(counter.word[0] + 8 * static_cast<std::uint32_t>(h)),
                                  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i c1 = all(counter.word[1]);
    __m256i c2 = all(counter.word[2]);
    __m256i c3 = all(counter.word[3]);
    __m256i key0 = all(counter.key[0]);
    __m256i key1 = all(counter.key[1]);
    for (int round = 0; round < 10; ++round) {
      const Products a(c0, factor0);
      const Products b(c2, factor2);
      c0 = _mm256_xor_si256(_mm256_xor_si256(b.high, c1), key0);
      c1 = b.low;
      c2 = _mm256_xor_si256(_mm256_xor_si256(a.high, c3), key1);
      c3 = a.low;
      key0 = _mm256_add_epi32(key0, all(0x9E3779B9U));
      key1 = _mm256_add_epi32(key1, all(0xBB67AE85U));
    }
    const __m256i words[4] = {c0, c1, c2, c3};
    for (int w = 0; w < 4; ++w)
      _mm256_store_si256(reinterpret_cast<__m256i*>(lanes.word[w]) + h, words[w]);
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
