// Kernels for NEON.
#include "random/simd/body.h"
#include "random/simd/lanes_neon.h"

namespace bootfold::random::simd {
namespace {

void draw_words_at_once(LaneState& state, std::size_t steps, std::uint64_t* words) noexcept {
  Generator generator(state);
  for (std::size_t step = 0; step < steps; ++step)
    for (int h = 0; h < Generator::kParts; ++h)
      vst1q_u64(words + 8 * step + 2 * h, generator.next(h));
  generator.save(state);
}

void draw_weights_at_once(LaneState& state, std::size_t rows, std::uint32_t* weights) noexcept {
  Generator generator(state);
  for (std::size_t first = 0; first < rows; first += kStepWeights)
    for (int h = 0; h < Generator::kParts; ++h)
      vst1q_u32(weights + first + 4 * h, vreinterpretq_u32_u64(generator.next(h)));
  generator.save(state);
  words_to_weights(rows, weights);
}

}  // namespace

const Kernels kNeon = {
    .seed = seed_lanes, .words = draw_words_at_once, .weights = draw_weights_at_once};

}  // namespace bootfold::random::simd
