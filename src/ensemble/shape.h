// The layers of a network and the positions of their parameters.
#pragma once

#include <cstddef>
#include <vector>

#include "bootfold/ensemble/network.h"

namespace bootfold::ensemble {

/// A dense layer: out = activation(weights in + bias).
struct Layer {
  std::size_t in;
  std::size_t out;
  std::size_t weights;  // position of the first weight; weights are [out][in]
  std::size_t bias;     // position of the first bias
};

/// Parameters are stored layer by layer: weights, then bias.
struct Shape {
  Shape(std::size_t inputs, const Architecture& architecture, std::size_t outputs);

  [[nodiscard]] std::size_t inputs() const noexcept { return layers.front().in; }
  [[nodiscard]] std::size_t outputs() const noexcept { return layers.back().out; }

  std::vector<Layer> layers;
  std::size_t parameters = 0;
  std::size_t widest = 0;  // units of the widest layer, including inputs and outputs
  std::size_t units = 0;   // of all layers, without inputs
  Activation activation;
};

}  // namespace bootfold::ensemble
