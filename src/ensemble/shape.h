// The layers of a network and where their parameters lie.
#pragma once

#include <cstddef>
#include <vector>

#include "bootfold/ensemble/network.h"

namespace bootfold::ensemble {

/// A dense layer: out = activation(weights in + bias).
struct Layer {
  std::size_t in;
  std::size_t out;
  std::size_t weights;  // number of its first weight; they are [out][in]
  std::size_t bias;     // number of its first bias
};

/// The parameters of a network in order: weights and bias of the first layer, of the second, ...
struct Shape {
  Shape(std::size_t inputs, const Architecture& architecture, std::size_t outputs);

  [[nodiscard]] std::size_t inputs() const noexcept { return layers.front().in; }
  [[nodiscard]] std::size_t outputs() const noexcept { return layers.back().out; }

  std::vector<Layer> layers;
  std::size_t parameters = 0;
  std::size_t widest = 0;  // units of the largest layer, inputs and outputs too
  std::size_t units = 0;   // of all layers, without inputs
  Activation activation;
};

}  // namespace bootfold::ensemble
