// Kernels for AVX-512.
#include "random/simd/body.h"
#include "random/simd/lanes_avx512.h"

namespace bootfold::random::simd {
namespace {

/// seed_lanes with the 16 calls in the lanes of four registers.
void seed(const Counter& counter, LaneState& lanes) noexcept {
  const auto all = [](std::uint32_t word) { return _mm512_set1_epi32(static_cast<int>(word)); };
  const __m512i factor0 = all(0xD2511F53U);
  const __m512i factor2 = all(0xCD9E8D57U);
  __m512i c0 = _mm512_add_epi32(all(counter.word[0]), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8,
                                                                        9, 10, 11, 12, 13, 14, 15));
  __m512i c1 = all(counter.word[1]);
  __m512i c2 = all(counter.word[2]);
  __m512i c3 = all(counter.word[3]);
  __m512i key0 = all(counter.key[0]);
  __m512i key1 = all(counter.key[1]);
  for (int round = 0; round < 10; ++round) {
    const Products a(c0, factor0);
    const Products b(c2, factor2);
    c0 = _mm512_xor_si512(_mm512_xor_si512(b.high, c1), key0);
    c1 = b.low;
    c2 = _mm512_xor_si512(_mm512_xor_si512(a.high, c3), key1);
    c3 = a.low;
    key0 = _mm512_add_epi32(key0, all(0x9E3779B9U));
    key1 = _mm512_add_epi32(key1, all(0xBB67AE85U));
  }
  _mm512_store_si512(lanes.word[0], c0);
  _mm512_store_si512(lanes.word[1], c1);
  _mm512_store_si512(lanes.word[2], c2);
  _mm512_store_si512(lanes.word[3], c3);
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
