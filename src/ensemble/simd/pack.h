// A pack of networks: lane l of every vector belongs to network l, so the code reads like that of
// one network. Rows go through all layers eight at a time, while everything lies in the first
// cache.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "ensemble/simd/fetch.h"
#include "ensemble/simd/functions.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/simd/layer_at.h"
#include "ensemble/simd/layers.h"
#include "ensemble/simd/loss.h"
#include "ensemble/simd/one_hidden.h"
#include "ensemble/simd/several.h"
#include "ensemble/simd/tiles.h"

namespace bootfold::ensemble::simd {
namespace {

/// finish(j, e, start[j] + sum over k of factor(j, k) in[k][e]) for kRows of j and all e of a
/// block.
template <std::size_t kRows, class Finish>
BOOTFOLD_INLINE inline void multiply_rows(const float* factor, std::size_t row_stride,
                                          std::size_t term_stride, std::size_t terms,
                                          const float* in, const float* start, Finish&& finish) {
  Vector sums[kRows * kBlock];
  repeat<kRows>([&](auto j) BOOTFOLD_INLINE {
    const Vector first = start == nullptr ? Vector::zero() : Vector::load(start + j * kLanes);
    repeat<kBlock>([&](auto e) BOOTFOLD_INLINE { sums[j * kBlock + e] = first; });
  });
  for (std::size_t k = 0; k < terms; ++k) {
    Vector factors[kRows];
    repeat<kRows>([&](auto j) BOOTFOLD_INLINE {
      factors[j] = Vector::load(factor + (j * row_stride + k * term_stride) * kLanes);
    });
    repeat<kBlock>([&](auto e) BOOTFOLD_INLINE {
      const Vector x = in_register(Vector::load(in + (k * kBlock + e) * kLanes));
      repeat<kRows>([&](auto j) BOOTFOLD_INLINE {
        sums[j * kBlock + e] = fused(factors[j], x, sums[j * kBlock + e]);
      });
    });
  }
  repeat<kRows>([&](auto j) BOOTFOLD_INLINE {
    repeat<kBlock>([&](auto e) BOOTFOLD_INLINE { finish(j, e, sums[j * kBlock + e]); });
  });
}

/// multiply_rows for j = 0 .. rows - 1.
template <class Finish>
BOOTFOLD_INLINE inline void multiply(const float* factor, std::size_t row_stride,
                                     std::size_t term_stride, std::size_t rows, std::size_t terms,
                                     const float* in, const float* start, Finish&& finish) {
  const auto some = [&]<std::size_t kRows>(std::size_t first) BOOTFOLD_INLINE {
    multiply_rows<kRows>(factor + first * row_stride * kLanes, row_stride, term_stride, terms, in,
                         start == nullptr ? nullptr : start + first * kLanes,
                         [&](std::size_t j, std::size_t e, Vector sum)
                             BOOTFOLD_INLINE { finish(first + j, e, sum); });
  };
  std::size_t j = 0;
  for (; j + kTileRows <= rows; j += kTileRows) some.template operator()<kTileRows>(j);
  for (; j < rows; ++j) some.template operator()<1>(j);
}

/// gradient[j][i] += sum over e of delta[j][e] in[i][e], for a tile; `starts`: = in place of +=.
template <std::size_t kRows, std::size_t kColumns>
BOOTFOLD_INLINE inline void add_products(const float* delta, const float* in, std::size_t columns,
                                         bool starts, float* gradient) {
  Vector sums[kRows * kColumns];
  const auto each = [](auto&& body) BOOTFOLD_INLINE {
    repeat<kRows>([&](auto j) BOOTFOLD_INLINE {
      repeat<kColumns>([&](auto i) BOOTFOLD_INLINE { body(j, i); });
    });
  };
  with_gradient(starts, [&](auto so_far) BOOTFOLD_INLINE {
    each([&](auto j, auto i) BOOTFOLD_INLINE {
      sums[j * kColumns + i] = so_far(gradient + (j * columns + i) * kLanes);
    });
  });
  for (std::size_t e = 0; e < kBlock; ++e) {
    Vector deltas[kRows];
    repeat<kRows>([&](auto j) BOOTFOLD_INLINE {
      deltas[j] = Vector::load(delta + (j * kBlock + e) * kLanes);
    });
    repeat<kColumns>([&](auto i) BOOTFOLD_INLINE {
      const Vector x = in_register(Vector::load(in + (i * kBlock + e) * kLanes));
      repeat<kRows>([&](auto j) BOOTFOLD_INLINE {
        sums[j * kColumns + i] = fused(deltas[j], x, sums[j * kColumns + i]);
      });
    });
  }
  each([&](auto j, auto i) BOOTFOLD_INLINE {
    sums[j * kColumns + i].store(gradient + (j * columns + i) * kLanes);
  });
}

template <std::size_t kRows>
inline void add_products_of_rows(const float* delta, const float* in, std::size_t columns,
                                 bool starts, float* gradient) {
  std::size_t i = 0;
  for (; i + kTileColumns <= columns; i += kTileColumns)
    add_products<kRows, kTileColumns>(delta, in + i * kBlock * kLanes, columns, starts,
                                      gradient + i * kLanes);
  for (; i + 2 <= columns; i += 2)
    add_products<kRows, 2>(delta, in + i * kBlock * kLanes, columns, starts, gradient + i * kLanes);
  for (; i < columns; ++i)
    add_products<kRows, 1>(delta, in + i * kBlock * kLanes, columns, starts, gradient + i * kLanes);
}

/// Adds the contribution of a block to the gradient of the weights and bias of a layer, which may
/// start with it.
inline void add_gradient(const LayerAt& layer, const float* delta, const float* in, bool starts) {
  float* weights = layer.weights_gradient;
  const std::size_t step = kBlock * kLanes;
  std::size_t j = 0;
  for (; j + kTileColumns <= layer.out; j += kTileColumns)
    add_products_of_rows<kTileColumns>(delta + j * step, in, layer.in, starts,
                                       weights + j * layer.in * kLanes);
  for (; j + 2 <= layer.out; j += 2)
    add_products_of_rows<2>(delta + j * step, in, layer.in, starts,
                            weights + j * layer.in * kLanes);
  for (; j < layer.out; ++j)
    add_products_of_rows<1>(delta + j * step, in, layer.in, starts,
                            weights + j * layer.in * kLanes);
  for (j = 0; j < layer.out; ++j) {
    float* bias = layer.bias_gradient + j * kLanes;
    Vector sum = starts ? Vector::zero() : Vector::load(bias);
    for (std::size_t e = 0; e < kBlock; ++e)
      sum = sum + Vector::load(delta + j * step + e * kLanes);
    sum.store(bias);
  }
}

/// Values of the units of all layers of a block, [unit][row][lane]: inputs first.
struct Values {
  float* inputs;
  float* units;   // all layers, one after another
  float* slopes;  // the same, if they cannot be computed from the values
  float* deltas;  // of one layer
  float* deltas_before;
  float* arrived;  // of one layer, if there are residual layers
  float* normal;   // of all layers, if they are normalized
  float* scales;   // [layer][row][lane]
  PackContrast contrast;
};

/// Where they lie in the scratch of a pack.
inline Values values_of(const PackNetworks& pack) {
  constexpr std::size_t kStep = kBlock * kLanes;
  const Shape& shape = *pack.shape;
  Values values{};
  values.inputs = pack.scratch;
  values.units = values.inputs + shape.inputs() * kStep;
  values.slopes = values.units + shape.units * kStep;
  values.deltas = values.slopes + shape.units * kStep;
  values.deltas_before = values.deltas + shape.widest * kStep;
  values.arrived = values.deltas_before + shape.widest * kStep;
  values.normal = values.arrived + (shape.adds_inputs ? shape.widest * kStep : 0);
  values.scales = values.normal + shape.units * kStep;
  if (has_contrast(shape, pack.loss)) {
    values.contrast = {&shape.layers.back(), pack.scratch + pack_contrast_place(shape) * kLanes,
                       nullptr};
    values.contrast.gradient = values.contrast.values + values.contrast.size();
  }
  return values;
}

inline LayerAt layer_at(const PackNetworks& pack, const Values& values, std::size_t l) {
  const Layer& layer = pack.shape->layers[l];
  if (values.contrast.last == &layer) return values.contrast.layer();
  const std::size_t weights = layer.weights * kLanes;
  const std::size_t bias = layer.bias * kLanes;
  return {layer.in,
          layer.out,
          pack.parameters + weights,
          pack.parameters + bias,
          pack.gradient + weights,
          pack.gradient + bias};
}

/// The units of layer l, of which unit 0 is unit `first` of the network.
inline HiddenUnits units_of(const Shape& shape, const Values& values, std::size_t l,
                            std::size_t first) {
  constexpr std::size_t kStep = kBlock * kLanes;
  const Layer& layer = shape.layers[l];
  HiddenUnits u{};
  u.units = layer.out;
  u.columns = kBlock;
  u.stride = kStep;
  u.values = values.units + first * kStep;
  u.before = layer.residual ? u.values - layer.in * kStep : nullptr;
  u.slopes = values.slopes + first * kStep;
  if (layer.normalized) {
    u.normal = values.normal + first * kStep;
    u.scales = values.scales + l * kStep;
  }
  return u;
}

/// go_forward() for networks with extended layers; `row` is the first row of the block.
__attribute__((noinline)) void go_forward_extended(const PackNetworks& pack, const Values& values,
                                                   std::size_t row) {
  constexpr std::size_t kStep = kBlock * kLanes;
  const Shape& shape = *pack.shape;
  const float* in = values.inputs;
  std::size_t unit = 0;
  for (std::size_t l = 0; l < shape.layers.size(); ++l) {
    const Layer& layer = shape.layers[l];
    const LayerAt at = layer_at(pack, values, l);
    float* out = values.units + unit * kStep;
    multiply(at.weights, at.in, 1, at.out, at.in, in, at.bias,
             [&](std::size_t j, std::size_t e, Vector z)
                 BOOTFOLD_INLINE { z.store(out + j * kStep + e * kLanes); });
    if (l + 1 < shape.layers.size())
      with_activation(shape.activation, [&]<Activation kActivation>() {
        finish_units<kActivation>(units_of(shape, values, l, unit), layer.normalized,
                                  LanedParameters{pack.parameters + layer.gain * kLanes},
                                  LanedParameters{pack.parameters + layer.offset * kLanes},
                                  Masks::of_pack(pack.dropout, shape, layer, row));
      });
    in = out;
    unit += layer.out;
  }
}

/// go_back() for them.
__attribute__((noinline)) void go_back_extended(const PackNetworks& pack, const Values& values) {
  constexpr std::size_t kStep = kBlock * kLanes;
  const Shape& shape = *pack.shape;
  float* free = values.deltas;
  float* before = values.deltas_before;
  float* arrived = values.arrived;  // the gradient by the values of a residual layer
  std::size_t unit = shape.units - shape.outputs();
  const float* deltas = values.units + unit * kStep;
  for (std::size_t l = shape.layers.size(); l-- > 0;) {
    const Layer& layer = shape.layers[l];
    const LayerAt place = layer_at(pack, values, l);
    if (l == 0) return add_gradient(place, deltas, values.inputs, false);
    unit -= layer.in;
    add_gradient(place, deltas, values.units + unit * kStep, false);
    multiply(place.weights, 1, place.in, place.in, place.out, deltas, nullptr,
             [&](std::size_t i, std::size_t e, Vector sum) BOOTFOLD_INLINE {
               const std::size_t at = i * kStep + e * kLanes;
               if (layer.residual) sum = sum + Vector::load(arrived + at);
               sum.store(before + at);
             });
    const Layer& hidden = shape.layers[l - 1];
    back_to_sums(units_of(shape, values, l - 1, unit), hidden.normalized,
                 pack.parameters + hidden.gain * kLanes, before,
                 pack.gradient + hidden.gain * kLanes, pack.gradient + hidden.offset * kLanes,
                 free);
    deltas = free;
    if (shape.adds_inputs) std::swap(before, arrived);
  }
}

// One copy for all losses: they take long to compile.
template <Activation kActivation>
__attribute__((noinline)) void go_forward(const PackNetworks& pack, const Values& values,
                                          std::size_t rows) {
  constexpr std::size_t kStep = kBlock * kLanes;
  const Shape& shape = *pack.shape;
  if (has_one_hidden(shape))
    return one_hidden_forward<kActivation>({layer_at(pack, values, 0), layer_at(pack, values, 1)},
                                           rows, values.inputs, values.units, values.slopes);
  const float* in = values.inputs;
  std::size_t unit = 0;
  for (std::size_t l = 0; l < shape.layers.size(); ++l) {
    const LayerAt layer = layer_at(pack, values, l);
    float* out = values.units + unit * kStep;
    float* slopes = values.slopes + unit * kStep;
    if (l + 1 == shape.layers.size()) {
      multiply(layer.weights, layer.in, 1, layer.out, layer.in, in, layer.bias,
               [&](std::size_t j, std::size_t e, Vector z)
                   BOOTFOLD_INLINE { z.store(out + j * kStep + e * kLanes); });
    } else {
      multiply(layer.weights, layer.in, 1, layer.out, layer.in, in, layer.bias,
               [&](std::size_t j, std::size_t e, Vector z) BOOTFOLD_INLINE {
                 const Activated a = activate<kActivation>(z);
                 a.value.store(out + j * kStep + e * kLanes);
                 if constexpr (keeps_slope(kActivation))
                   a.slope.store(slopes + j * kStep + e * kLanes);
               });
    }
    in = out;
    unit += layer.out;
  }
}

/// From the deltas of the last layer, which lie in place of its outputs. `starts`: the gradient
/// starts with this block.
template <Activation kActivation>
__attribute__((noinline)) void go_back(const PackNetworks& pack, Values values, std::size_t rows,
                                       bool starts) {
  constexpr std::size_t kStep = kBlock * kLanes;
  const Shape& shape = *pack.shape;
  if (has_one_hidden(shape))
    return one_hidden_back<kActivation>({layer_at(pack, values, 0), layer_at(pack, values, 1)},
                                        rows, values.inputs, values.units, values.slopes);
  std::size_t unit = shape.units - shape.outputs();
  const float* deltas = values.units + unit * kStep;
  for (std::size_t l = shape.layers.size(); l-- > 0;) {
    const LayerAt layer = layer_at(pack, values, l);
    if (l == 0) {
      add_gradient(layer, deltas, values.inputs, starts);
      break;
    }
    unit -= layer.in;
    const float* in = values.units + unit * kStep;
    const float* slopes = values.slopes + unit * kStep;
    add_gradient(layer, deltas, in, starts);
    float* before = values.deltas_before;
    multiply(
        layer.weights, 1, layer.in, layer.in, layer.out, deltas, nullptr,
        [&](std::size_t i, std::size_t e, Vector sum) BOOTFOLD_INLINE {
          const std::size_t at = i * kStep + e * kLanes;
          back_through<kActivation>(sum, Vector::load(in + at), slopes + at).store(before + at);
        });
    deltas = before;
    values.deltas_before = values.deltas;
    values.deltas = before;
  }
}

inline void set_zero(float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kLanes) Vector::zero().store(values + i);
}

/// kBack: the gradient too, not the loss alone.
template <Activation kActivation, Loss kLoss, bool kBack>
void loss_with(const PackNetworks& pack, const PackBatch& batch, float* loss) noexcept {
  constexpr std::size_t kStep = kBlock * kLanes;
  const Shape& shape = *pack.shape;
  const Values values = values_of(pack);
  const bool extended = is_extended(shape, pack.dropout);
  const bool contrast = has_contrast(shape, kLoss);
  const std::size_t targets = kLoss == Loss::cross_entropy   ? 1
                              : kLoss == Loss::squared_error ? shape.outputs()
                              : kLoss == Loss::gaussian      ? shape.outputs() / 2
                                                             : pack.heads.size();
  if (contrast) values.contrast.take(pack.parameters);
  // Of other networks it starts with the first block.
  if (kBack && (extended || has_one_hidden(shape))) {
    set_zero(pack.gradient, (contrast ? shape.layers.back().weights : shape.parameters) * kLanes);
    if (contrast) set_zero(values.contrast.gradient, values.contrast.size());
  }
  Vector total = Vector::zero();
  for (std::size_t first = 0; first < batch.rows; first += kBlock) {
    const std::size_t rows = std::min(kBlock, batch.rows - first);
    fetch(batch, shape.inputs(), first, values.inputs);
    if (extended)
      go_forward_extended(pack, values, first);
    else
      go_forward<kActivation>(pack, values, rows);
    float* outputs = values.units + (shape.units - shape.outputs()) * kStep;
    if (kLoss == Loss::cross_entropy && contrast && rows == kBlock) {
      for (std::size_t e = 0; e < kBlock; e += kCosts) {
        const std::size_t at = (first + e) * kLanes;
        const auto weights = Several<kCosts>::load(batch.weights + at);
        const auto costs = cost_of_contrast(batch.targets + at, weights, outputs + e * kLanes);
        repeat<kCosts>([&](auto i) BOOTFOLD_INLINE { total = total + costs.v[i]; });
      }
    } else {
      for (std::size_t e = 0; e < rows; ++e) {
        const std::size_t row = first + e;
        total = total + cost<kLoss>(contrast ? 1 : shape.outputs(),
                                    batch.targets + row * targets * kLanes, kLanes,
                                    Vector::load(batch.weights + row * kLanes),
                                    outputs + e * kLanes, kStep, pack.heads);
      }
      // Rows behind the last one have no loss, so they do not count in the gradient.
      for (std::size_t j = 0; j < shape.outputs(); ++j)
        std::memset(outputs + j * kStep + rows * kLanes, 0,
                    (kBlock - rows) * kLanes * sizeof(float));
    }
    if constexpr (kBack) {
      if (extended)
        go_back_extended(pack, values);
      else
        go_back<kActivation>(pack, values, rows, first == 0);
    }
  }
  if (kBack && contrast) values.contrast.give(pack.gradient);
  total.store(loss);
}

template <bool kBack>
void loss_of(const PackNetworks& pack, const PackBatch& batch, float* loss) noexcept {
  with_activation(pack.shape->activation, [&]<Activation kActivation>() {
    with_loss(pack.loss,
              [&]<Loss kLoss>() { loss_with<kActivation, kLoss, kBack>(pack, batch, loss); });
  });
}

void squares(const float* gradient, std::size_t count, float* sums) noexcept {
  constexpr std::size_t kParts = 16;
  Vector parts[kParts];
  for (Vector& part : parts) part = Vector::zero();
  for (std::size_t i = 0; i < count; ++i) {
    const Vector g = Vector::load(gradient + i * kLanes);
    parts[i % kParts] = fused(g, g, parts[i % kParts]);
  }
  for (std::size_t step = kParts / 2; step > 0; step /= 2)
    for (std::size_t i = 0; i < step; ++i) parts[i] = parts[i] + parts[i + step];
  parts[0].store(sums);
}

void exp_of(const float* in, std::size_t count, float* out) noexcept {
  for (std::size_t i = 0; i < count; i += kLanes) exp(Vector::load(in + i)).store(out + i);
}

void log_of(const float* in, std::size_t count, float* out) noexcept {
  for (std::size_t i = 0; i < count; i += kLanes) log(Vector::load(in + i)).store(out + i);
}

void activation_of(Activation activation, const float* in, std::size_t count, float* out,
                   float* slope) noexcept {
  with_activation(activation, [&]<Activation kActivation>() {
    for (std::size_t i = 0; i < count; i += kLanes) {
      const Activated a = activate<kActivation>(Vector::load(in + i));
      a.value.store(out + i);
      a.slope.store(slope + i);
    }
  });
}

}  // namespace
}  // namespace bootfold::ensemble::simd
