// Weight decay applies to weights and biases, not to gains and offsets of a normalization.
#pragma once

#include "ensemble/shape.h"
#include "ensemble/simd/kernels.h"

namespace bootfold::ensemble {

/// For all lanes of any level.
inline constexpr float kNoDecay[simd::kPadding] = {};

/// Calls see(first, count, decays) for ranges of parameters, one after the other.
template <class See>
void for_each_decay_range(const Shape& shape, See&& see) {
  std::size_t first = 0;
  for (const Layer& layer : shape.layers) {
    if (!layer.normalized) continue;
    see(first, layer.gain - first, true);
    see(layer.gain, 2 * layer.out, false);
    first = layer.gain + 2 * layer.out;
  }
  see(first, shape.parameters - first, true);
}

}  // namespace bootfold::ensemble
