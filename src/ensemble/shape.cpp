#include "ensemble/shape.h"

#include <algorithm>

namespace bootfold::ensemble {

Shape::Shape(std::size_t inputs, const Architecture& architecture, std::size_t outputs)
    : widest(inputs), activation(architecture.activation) {
  std::vector<std::size_t> sizes = architecture.hidden;
  sizes.push_back(outputs);
  for (const std::size_t size : sizes) {
    const bool hidden = layers.size() + 1 < sizes.size();
    Layer layer{};
    layer.in = inputs;
    layer.out = size;
    layer.weights = parameters;
    layer.bias = layer.weights + inputs * size;
    layer.gain = layer.bias + size;
    layer.normalized = hidden && architecture.layer_norm;
    layer.offset = layer.gain + (layer.normalized ? size : 0);
    layer.residual = hidden && architecture.residual && !layers.empty() && size == inputs;
    layer.pairs = pairs;
    parameters = layer.offset + (layer.normalized ? size : 0);
    if (hidden) pairs += (size + 1) / 2;
    normalizes = normalizes || layer.normalized;
    adds_inputs = adds_inputs || layer.residual;
    layers.push_back(layer);
    units += size;
    widest = std::max(widest, size);
    inputs = size;
  }
}

}  // namespace bootfold::ensemble
