// One network at many points: lanes are points. The sums are those of a pack, term by term, so the
// outputs are the same to the bit as during training.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <bit>

#include "ensemble/simd/functions.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/simd/layers.h"
#include "ensemble/simd/matrix.h"

namespace bootfold::ensemble::simd {
namespace {

template <class Finish>
BOOTFOLD_INLINE inline void layer_at_points(const Layer& layer, const float* parameters,
                                            const float* in, float* sums, Finish&& finish) {
  multiply_all({parameters + layer.weights, layer.in, 1}, layer.out, layer.in, {in, kPoints},
               kPoints, parameters + layer.bias, sums,
               [&](std::size_t j, std::size_t p, Vector z)
                   BOOTFOLD_INLINE { finish(j * kPoints + p, z); });
}

/// A hidden layer that is normalized or adds its input.
__attribute__((noinline)) void extended_layer_at_points(const Shape& shape, const Layer& layer,
                                                        const float* parameters, const float* in,
                                                        float* sums, float* out) {
  layer_at_points(layer, parameters, in, sums,
                  [&](std::size_t at, Vector z) BOOTFOLD_INLINE { z.store(out + at); });
  HiddenUnits u{};
  u.units = layer.out;
  u.columns = kPoints / kLanes;
  u.stride = kPoints;
  u.values = out;
  u.before = layer.residual ? in : nullptr;
  with_activation(shape.activation, [&]<Activation kActivation>() {
    finish_units<kActivation>(u, layer.normalized, SingleParameters{parameters + layer.gain},
                              SingleParameters{parameters + layer.offset}, NoMasks{});
  });
}

void predict_points(const Shape& shape, const float* parameters, const float* inputs,
                    float* scratch, float* out) noexcept {
  const float* in = inputs;
  const bool extended = is_extended(shape, nullptr);
  float* buffers[2] = {scratch, scratch + shape.widest * kPoints};
  float* sums = scratch + 2 * shape.widest * kPoints;
  for (std::size_t l = 0; l + 1 < shape.layers.size(); ++l) {
    float* to = buffers[l % 2];
    if (extended) {
      extended_layer_at_points(shape, shape.layers[l], parameters, in, sums, to);
    } else {
      with_activation(shape.activation, [&]<Activation kActivation>() {
        layer_at_points(shape.layers[l], parameters, in, sums,
                        [&](std::size_t at, Vector z)
                            BOOTFOLD_INLINE { activate<kActivation>(z).value.store(to + at); });
      });
    }
    in = to;
  }
  layer_at_points(shape.layers.back(), parameters, in, sums,
                  [&](std::size_t at, Vector z) BOOTFOLD_INLINE { z.store(out + at); });
}

void sum_classes(const float* outputs, std::size_t classes, const float* weights,
                 float* sums) noexcept {
  for (std::size_t at = 0; at < kPoints; at += kLanes) {
    Vector highest = Vector::load(outputs + at);
    for (std::size_t c = 1; c < classes; ++c)
      highest = max(highest, Vector::load(outputs + c * kPoints + at));
    Vector total = Vector::zero();
    Vector weighted = Vector::zero();
    for (std::size_t c = 0; c < classes; ++c) {
      const Vector z = Vector::load(outputs + c * kPoints + at) - highest;
      const Vector grown = exp(z);
      total = total + grown;
      weighted = fused(grown, z, weighted);
    }
    const Vector weight = Vector::load(weights + at);
    const Vector share = weight / total;
    for (std::size_t c = 0; c < classes; ++c) {
      const Vector grown = exp(Vector::load(outputs + c * kPoints + at) - highest);
      fused(grown, share, Vector::load(sums + c * kPoints + at)).store(sums + c * kPoints + at);
    }
    // -sum p log p = log(total) - sum p z
    const Vector entropy = fused_minus(weighted, share, weight * log(total));
    float* last = sums + classes * kPoints + at;
    (Vector::load(last) + entropy).store(last);
  }
}

void sum_members(const float* predicted, std::size_t stride, const std::uint64_t* bits,
                 std::size_t words, float* sums) noexcept {
  constexpr std::size_t kTogether = 4;  // vectors
  for (std::size_t at = 0; at < kPoints; at += kTogether * kLanes) {
    Vector sum[kTogether];
    repeat<kTogether>([&](auto i) BOOTFOLD_INLINE { sum[i] = Vector::zero(); });
    for (std::size_t w = 0; w < words; ++w)
      for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) {
        const std::size_t member = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        const float* from = predicted + member * stride + at;
        repeat<kTogether>(
            [&](auto i) BOOTFOLD_INLINE { sum[i] = sum[i] + Vector::load(from + i * kLanes); });
      }
    repeat<kTogether>([&](auto i) BOOTFOLD_INLINE { sum[i].store(sums + at + i * kLanes); });
  }
}

}  // namespace
}  // namespace bootfold::ensemble::simd
