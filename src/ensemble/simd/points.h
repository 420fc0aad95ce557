// One network at many points: lanes are points. The sums are those of a pack, term by term, so the
// outputs are the same to the bit as during training.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "ensemble/simd/functions.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/simd/layers.h"
#include "ensemble/simd/loss.h"
#include "ensemble/simd/matrix.h"
#include "ensemble/simd/several.h"
#include "ensemble/simd/transpose.h"

namespace bootfold::ensemble::simd {
namespace {

/// A layer of one network, with contiguous parameters.
struct PointLayer {
  std::size_t in;
  std::size_t out;
  const float* weights;  // [out][in]
  const float* bias;
};
inline PointLayer point_layer(const Layer& layer, const float* parameters) {
  return {layer.in, layer.out, parameters + layer.weights, parameters + layer.bias};
}

/// The contrast of two classes in place of the last layer; `to` has room for last.in + 1 floats.
inline PointLayer point_contrast(const Layer& last, const float* parameters, float* to) {
  const float* weights = parameters + last.weights;
  const float* bias = parameters + last.bias;
  for (std::size_t i = 0; i < last.in; ++i) to[i] = weights[last.in + i] - weights[i];
  to[last.in] = bias[1] - bias[0];
  return {last.in, 1, to, to + last.in};
}

template <class Finish>
BOOTFOLD_INLINE inline void layer_at_points(const PointLayer& layer, const float* in, float* sums,
                                            Finish&& finish) {
  multiply_all(
      {layer.weights, layer.in, 1}, layer.out, layer.in, {in, kPoints}, kPoints, layer.bias, sums,
      [&](std::size_t j, std::size_t p, Vector z) BOOTFOLD_INLINE { finish(j * kPoints + p, z); });
}

/// A hidden layer that is normalized or adds its input.
__attribute__((noinline)) void extended_layer_at_points(const Shape& shape, const Layer& layer,
                                                        const float* parameters, const float* in,
                                                        float* sums, float* out) {
  layer_at_points(point_layer(layer, parameters), in, sums,
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

/// A network with one hidden layer, and few inputs and outputs: hidden units stay in registers.
template <Activation kActivation, std::size_t kOutputs, std::size_t kInputs>
void predict_thin(const PointLayer& hidden, const PointLayer& last, const float* inputs,
                  float* out) {
  constexpr std::size_t kWide = kPanel;
  for (std::size_t p = 0; p < kPoints; p += kWide * kLanes) {
    Vector x[kInputs * kWide];
    Vector sums[kOutputs * kWide];
    repeat<kWide>([&](auto v) BOOTFOLD_INLINE {
      repeat<kInputs>([&](auto i) BOOTFOLD_INLINE {
        x[i * kWide + v] = Vector::load(inputs + i * kPoints + p + v * kLanes);
      });
      repeat<kOutputs>([&](auto j)
                           BOOTFOLD_INLINE { sums[j * kWide + v] = Vector::all(last.bias[j]); });
    });
    for (std::size_t u = 0; u < hidden.out; ++u) {
      Vector z[kWide];
      const Vector bias = Vector::all(hidden.bias[u]);
      repeat<kWide>([&](auto v) BOOTFOLD_INLINE { z[v] = bias; });
      repeat<kInputs>([&](auto i) BOOTFOLD_INLINE {
        const Vector weight = Vector::all(hidden.weights[u * kInputs + i]);
        repeat<kWide>([&](auto v)
                          BOOTFOLD_INLINE { z[v] = fused(weight, x[i * kWide + v], z[v]); });
      });
      repeat<kWide>([&](auto v) BOOTFOLD_INLINE { z[v] = activate<kActivation>(z[v]).value; });
      repeat<kOutputs>([&](auto j) BOOTFOLD_INLINE {
        const Vector weight = Vector::all(last.weights[j * last.in + u]);
        repeat<kWide>([&](auto v) BOOTFOLD_INLINE {
          sums[j * kWide + v] = fused(weight, z[v], sums[j * kWide + v]);
        });
      });
    }
    repeat<kOutputs>([&](auto j) BOOTFOLD_INLINE {
      repeat<kWide>([&](auto v) BOOTFOLD_INLINE {
        sums[j * kWide + v].store(out + j * kPoints + p + v * kLanes);
      });
    });
  }
}

/// Whether predict_thin() serves this network; if so, calls it.
inline bool is_predicted_thin(const Shape& shape, const float* parameters, const PointLayer& last,
                              const float* inputs, float* out) {
  if (shape.layers.size() != 2 || last.out > 2 || shape.inputs() > 2) return false;
  if (is_extended(shape, nullptr)) return false;
  const PointLayer hidden = point_layer(shape.layers[0], parameters);
  with_activation(shape.activation, [&]<Activation kActivation>() {
    const auto with_outputs = [&]<std::size_t kOutputs>() {
      if (hidden.in == 1) return predict_thin<kActivation, kOutputs, 1>(hidden, last, inputs, out);
      predict_thin<kActivation, kOutputs, 2>(hidden, last, inputs, out);
    };
    if (last.out == 1) return with_outputs.template operator()<1>();
    with_outputs.template operator()<2>();
  });
  return true;
}

void predict_points(const Shape& shape, Loss loss, const float* parameters, const float* inputs,
                    float* scratch, float* out) noexcept {
  float* buffers[2] = {scratch, scratch + shape.widest * kPoints};
  float* sums = scratch + 2 * shape.widest * kPoints;
  PointLayer last = point_layer(shape.layers.back(), parameters);
  if (has_contrast(shape, loss)) {
    last = point_contrast(shape.layers.back(), parameters, sums + shape.widest * kMostPanel);
    std::fill_n(out, kPoints, 0.0F);
    out += kPoints;
  }
  if (is_predicted_thin(shape, parameters, last, inputs, out)) return;
  const float* in = inputs;
  const bool extended = is_extended(shape, nullptr);
  for (std::size_t l = 0; l + 1 < shape.layers.size(); ++l) {
    float* to = buffers[l % 2];
    if (extended) {
      extended_layer_at_points(shape, shape.layers[l], parameters, in, sums, to);
    } else {
      with_activation(shape.activation, [&]<Activation kActivation>() {
        layer_at_points(point_layer(shape.layers[l], parameters), in, sums,
                        [&](std::size_t at, Vector z)
                            BOOTFOLD_INLINE { activate<kActivation>(z).value.store(to + at); });
      });
    }
    in = to;
  }
  layer_at_points(last, in, sums,
                  [&](std::size_t at, Vector z) BOOTFOLD_INLINE { z.store(out + at); });
}

void gather_points(const float* data, std::size_t columns, const std::uint32_t* rows,
                   float* out) noexcept {
  for (std::size_t p = 0; p < kPoints; p += kTransposed) {
    const float* from[kTransposed];
    for (std::size_t i = 0; i < kTransposed; ++i) from[i] = data + rows[p + i] * columns;
    transpose_rows(from, columns, kPoints, out + p);
  }
}

inline void add_all(const float* __restrict values, std::size_t count, double* __restrict sums) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += static_cast<double>(values[i]);
}

/// Two classes: the bits of shares_of_classes() with one exponential instead of four, because the
/// higher output always gives e^0.
template <std::size_t kCount>
BOOTFOLD_INLINE inline void shares_of_two(const float* outputs, Several<kCount> weight,
                                          float* last) {
  using Points = Several<kCount>;
  const Points first = Points::load(outputs);
  const Points second = Points::load(outputs + kPoints);
  const Points highest = max(first, second);
  const Points z0 = first - highest;
  const Points z1 = second - highest;
  const Points z = z0 + z1;  // one of them is 0
  const Points lower = exponential_of_lower(z);
  const Points one = Points::all(1.0F);
  const Points total = one + lower;
  const Points share = weight / total;
  const auto first_lower = less(z0, z1);
  (select(first_lower, lower, one) * share).store(last);
  (select(first_lower, one, lower) * share).store(last + kPoints);
  fused_minus(lower * z, share, weight * log_one_plus(lower)).store(last + 2 * kPoints);
}

inline void shares_of_classes(const float* outputs, std::size_t classes, Vector weight,
                              float* last) {
  Vector highest = Vector::load(outputs);
  for (std::size_t c = 1; c < classes; ++c)
    highest = max(highest, Vector::load(outputs + c * kPoints));
  Vector total = Vector::zero();
  Vector weighted = Vector::zero();
  for (std::size_t c = 0; c < classes; ++c) {
    const Vector z = Vector::load(outputs + c * kPoints) - highest;
    const Vector grown = exp(z);
    total = total + grown;
    weighted = fused(grown, z, weighted);
    grown.store(last + c * kPoints);
  }
  const Vector share = weight / total;
  for (std::size_t c = 0; c < classes; ++c)
    (Vector::load(last + c * kPoints) * share).store(last + c * kPoints);
  // -sum p log p = log(total) - sum p z
  fused_minus(weighted, share, weight * log(total)).store(last + classes * kPoints);
}

void sum_classes(const float* outputs, std::size_t classes, const float* weights,
                 const ClassSums& to) noexcept {
  if (classes == 2)
    for (std::size_t at = 0; at < kPoints; at += kCosts * kLanes)
      shares_of_two(outputs + at, Several<kCosts>::load(weights + at), to.last + at);
  else
    for (std::size_t at = 0; at < kPoints; at += kLanes)
      shares_of_classes(outputs + at, classes, Vector::load(weights + at), to.last + at);
  add_all(to.last, (classes + 1) * kPoints, to.sums);
  add_all(weights, kPoints, to.counts);
}

SumsNear sums_near(const float* means, const double* added, std::size_t count, double sign,
                   double low, double high, double* sums, double* near) noexcept {
  constexpr std::size_t kTogether = 32;
  SumsNear found{0, 0};
  const auto copy = [&](std::size_t i) {
    near[found.within] = sums[i];
    found.within += (sums[i] >= low ? 1U : 0U) & (sums[i] <= high ? 1U : 0U);
  };
  std::size_t i = 0;
  for (; i + kTogether <= count; i += kTogether) {
    std::int64_t below = 0;
    std::int64_t up_to = 0;
    for (std::size_t k = 0; k < kTogether; ++k) {
      const double sum = sign * static_cast<double>(means[i + k]) + added[i + k];
      sums[i + k] = sum;
      below += sum < low ? 1 : 0;
      up_to += sum <= high ? 1 : 0;
    }
    found.below += static_cast<std::size_t>(below);
    if (below == up_to) continue;
    for (std::size_t k = 0; k < kTogether; ++k) copy(i + k);
  }
  for (; i < count; ++i) {
    sums[i] = sign * static_cast<double>(means[i]) + added[i];
    found.below += sums[i] < low ? 1U : 0U;
    copy(i);
  }
  return found;
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
