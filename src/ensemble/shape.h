// The layers of a network and the positions of their parameters.
#pragma once

#include <cstddef>
#include <vector>

#include "bootfold/ensemble/network.h"

namespace bootfold::ensemble {

/// A dense layer: out = activation(weights in + bias). A hidden layer may normalize the sums before
/// the activation, and add its input to its output.
struct Layer {
  std::size_t in;
  std::size_t out;
  std::size_t weights;  // position of the first weight; weights are [out][in]
  std::size_t bias;     // position of the first bias
  std::size_t gain;     // position of the first gain of the normalization
  std::size_t offset;   // position of its first offset
  bool normalized;      // has gains and offsets
  bool residual;        // adds its input to its output
  std::size_t pairs;    // number of the first pair of its units; dropout draws for pairs
};

/// Parameters are stored layer by layer: weights, bias, then gains and offsets if there are any.
struct Shape {
  Shape(std::size_t inputs, const Architecture& architecture, std::size_t outputs);

  [[nodiscard]] std::size_t inputs() const noexcept { return layers.front().in; }
  [[nodiscard]] std::size_t outputs() const noexcept { return layers.back().out; }

  std::vector<Layer> layers;
  std::size_t parameters = 0;
  std::size_t widest = 0;  // units of the widest layer, including inputs and outputs
  std::size_t units = 0;   // of all layers, without inputs
  std::size_t pairs = 0;   // pairs of units of all hidden layers
  Activation activation;
  bool normalizes = false;   // a layer is normalized
  bool adds_inputs = false;  // a layer is residual
};

}  // namespace bootfold::ensemble
