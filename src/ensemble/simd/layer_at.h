// Where the parameters of a layer lie, and the contrast of two classes, which takes the place of
// the last layer (has_contrast()).
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include "ensemble/simd/kernels.h"
#include "ensemble/simd/tiles.h"

namespace bootfold::ensemble::simd {
namespace {

/// A layer of a pack: `out` units, weights [out][in][lane].
struct LayerAt {
  std::size_t in;
  std::size_t out;
  const float* weights;
  const float* bias;
  float* weights_gradient;
  float* bias_gradient;
};

/// contrast[i] = second[i] - first[i]
inline void subtract(const float* first, const float* second, std::size_t count, float* contrast) {
  for (std::size_t i = 0; i < count; i += kLanes)
    (Vector::load(second + i) - Vector::load(first + i)).store(contrast + i);
}

/// The gradient by two outputs from that by their contrast.
inline void spread(const float* contrast, std::size_t count, float* first, float* second) {
  for (std::size_t i = 0; i < count; i += kLanes) {
    const Vector gradient = Vector::load(contrast + i);
    gradient.store(second + i);
    (Vector::zero() - gradient).store(first + i);
  }
}

/// The contrast of a pack: weights and bias, and their gradients.
struct PackContrast {
  const Layer* last;
  float* values;    // [in + 1][lane]
  float* gradient;  // the same

  [[nodiscard]] std::size_t size() const { return (last->in + 1) * kLanes; }
  [[nodiscard]] LayerAt layer() const {
    const std::size_t bias = last->in * kLanes;
    return {last->in, 1, values, values + bias, gradient, gradient + bias};
  }
  void take(const float* parameters) const {
    const float* weights = parameters + last->weights * kLanes;
    const float* bias = parameters + last->bias * kLanes;
    const std::size_t each = last->in * kLanes;
    subtract(weights, weights + each, each, values);
    subtract(bias, bias + kLanes, kLanes, values + each);
  }
  void give(float* to) const {
    float* weights = to + last->weights * kLanes;
    float* bias = to + last->bias * kLanes;
    const std::size_t each = last->in * kLanes;
    spread(gradient, each, weights, weights + each);
    spread(gradient + each, kLanes, bias, bias + kLanes);
  }
};

}  // namespace
}  // namespace bootfold::ensemble::simd
