// Kernels for AVX2.
#include "random/simd/body.h"
#include "random/simd/lanes_avx2.h"

namespace bootfold::random::simd {
namespace {

void draw_weights_at_once(LaneState& state, std::size_t rows, std::uint32_t* weights) noexcept {
  Generator generator(state);
  for (std::size_t first = 0; first < rows; first += kStepWeights)
    for (int h = 0; h < 2; ++h)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(weights + first) + h, generator.next(h));
  generator.save(state);
  words_to_weights(rows, weights);
}

}  // namespace

const Kernels kAvx2 = {.seed = seed_lanes, .words = draw_words, .weights = draw_weights_at_once};

}  // namespace bootfold::random::simd
