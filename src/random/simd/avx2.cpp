// Kernels for AVX2.
#include "random/simd/body.h"
#include "random/simd/lanes_avx2.h"

namespace bootfold::random::simd {
namespace {

void draw_words_at_once(LaneState& state, std::size_t steps, std::uint64_t* words) noexcept {
  Generator generator(state);
  for (std::size_t step = 0; step < steps; ++step)
    for (int h = 0; h < 2; ++h)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(words + 8 * step) + h, generator.next(h));
  generator.save(state);
}

void draw_exponentials_at_once(LaneState& state, std::size_t rows, double* weights) noexcept {
  Generator generator(state);
  for (std::size_t first = 0; first < rows; first += 8)
    for (int h = 0; h < 2; ++h)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(weights + first) + h, generator.next(h));
  generator.save(state);
  words_to_exponentials(rows, weights);
}

}  // namespace

const Kernels kAvx2 = {
    .seed = seed_lanes, .words = draw_words_at_once, .exponentials = draw_exponentials_at_once};

}  // namespace bootfold::random::simd
