// A pack of networks with one hidden layer and one or two outputs. Its layers are too thin for
// tiles of sums; so each hidden unit goes all the way at once: forwards while the outputs stay in
// registers, and back while its deltas do. The sums are those of pack.h, term by term.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <algorithm>

#include "ensemble/simd/functions.h"
#include "ensemble/simd/layer_at.h"
#include "ensemble/simd/loss.h"
#include "ensemble/simd/tiles.h"

namespace bootfold::ensemble::simd {
namespace {

constexpr std::size_t kMostOutputs = 2;

inline bool has_one_hidden(const Shape& shape) {
  return shape.layers.size() == 2 && shape.outputs() <= kMostOutputs;
}

/// Rows of a block whose outputs and one hidden unit fit into registers; with 24 of them for sums,
/// the inputs do too.
constexpr std::size_t kRowsAhead = kBlock / 2;
constexpr bool kHoldsInputs = kSums >= 3 * kBlock;

/// Units whose deltas of a block do.
constexpr std::size_t kUnitsBack = kSums >= 3 * kBlock ? 2 : 1;
constexpr std::size_t kContrastUnitsBack = kSums >= 3 * kBlock ? 4 : 2;

/// The two layers.
struct ThinLayers {
  LayerAt hidden;
  LayerAt last;
};

/// kRowsAhead rows of a block, [unit][row][lane] as in pack.h; kInputs as below.
template <Activation kActivation, std::size_t kOutputs, std::size_t kInputs>
inline void forward_rows(const ThinLayers& layers, const float* in, float* hidden, float* slopes,
                         float* outputs) {
  constexpr std::size_t kStep = kBlock * kLanes;
  const std::size_t units = layers.hidden.out;
  const std::size_t inputs = kInputs == 0 ? layers.hidden.in : kInputs;
  const float* biases = layers.hidden.bias;
  const float* weights = layers.hidden.weights;
  Vector sums[kOutputs * kRowsAhead];
  repeat<kOutputs>([&](auto j) BOOTFOLD_INLINE {
    const Vector bias = Vector::load(layers.last.bias + j * kLanes);
    repeat<kRowsAhead>([&](auto e) BOOTFOLD_INLINE { sums[j * kRowsAhead + e] = bias; });
  });
  // Few registers hold one of two inputs.
  constexpr std::size_t kHeld = kHoldsInputs ? kInputs : kOutputs == 1 && kInputs == 2 ? 1 : 0;
  Vector held[std::max<std::size_t>(1, kHeld * kRowsAhead)];
  repeat<kHeld>([&](auto i) BOOTFOLD_INLINE {
    repeat<kRowsAhead>([&](auto e) BOOTFOLD_INLINE {
      held[i * kRowsAhead + e] = in_register(Vector::load(in + i * kStep + e * kLanes));
    });
  });
  for (std::size_t u = 0; u < units; ++u, biases += kLanes) {
    Vector z[kRowsAhead];
    const Vector bias = Vector::load(biases);
    repeat<kRowsAhead>([&](auto e) BOOTFOLD_INLINE { z[e] = bias; });
    repeat<kHeld>([&](auto i) BOOTFOLD_INLINE {
      const Vector weight = Vector::load(weights + i * kLanes);
      repeat<kRowsAhead>(
          [&](auto e) BOOTFOLD_INLINE { z[e] = fused(weight, held[i * kRowsAhead + e], z[e]); });
    });
    weights += kHeld * kLanes;
    for (std::size_t i = kHeld; i < inputs; ++i, weights += kLanes) {
      const Vector weight = Vector::load(weights);
      repeat<kRowsAhead>([&](auto e) BOOTFOLD_INLINE {
        z[e] = fused(weight, Vector::load(in + i * kStep + e * kLanes), z[e]);
      });
    }
    Vector out[kOutputs];
    repeat<kOutputs>([&](auto j) BOOTFOLD_INLINE {
      out[j] = Vector::load(layers.last.weights + (j * units + u) * kLanes);
    });
    repeat<kRowsAhead>([&](auto e) BOOTFOLD_INLINE {
      const Activated a = activate<kActivation>(z[e]);
      a.value.store(hidden + u * kStep + e * kLanes);
      if constexpr (keeps_slope(kActivation)) a.slope.store(slopes + u * kStep + e * kLanes);
      repeat<kOutputs>([&](auto j) BOOTFOLD_INLINE {
        sums[j * kRowsAhead + e] = fused(out[j], a.value, sums[j * kRowsAhead + e]);
      });
    });
  }
  repeat<kOutputs>([&](auto j) BOOTFOLD_INLINE {
    repeat<kRowsAhead>([&](auto e) BOOTFOLD_INLINE {
      sums[j * kRowsAhead + e].store(outputs + j * kStep + e * kLanes);
    });
  });
}

/// gradient[u][i] += sum over e of delta[u][e] in[i][e] for kUnits units and kInputs inputs.
template <std::size_t kRows, std::size_t kUnits, std::size_t kInputs>
BOOTFOLD_INLINE inline void add_inputs(const Vector* delta, const float* in, std::size_t stride,
                                       float* gradient) {
  Vector sums[kUnits * kInputs];
  const auto each = [](auto&& body) BOOTFOLD_INLINE {
    repeat<kUnits>([&](auto u) BOOTFOLD_INLINE {
      repeat<kInputs>([&](auto i) BOOTFOLD_INLINE { body(u, i); });
    });
  };
  each([&](auto u, auto i) BOOTFOLD_INLINE {
    sums[u * kInputs + i] = Vector::load(gradient + (u * stride + i) * kLanes);
  });
  repeat<kRows>([&](auto e) BOOTFOLD_INLINE {
    Vector x[kInputs];
    repeat<kInputs>([&](auto i)
                        BOOTFOLD_INLINE { x[i] = Vector::load(in + (i * kBlock + e) * kLanes); });
    each([&](auto u, auto i) BOOTFOLD_INLINE {
      sums[u * kInputs + i] = fused(delta[u * kRows + e], x[i], sums[u * kInputs + i]);
    });
  });
  each([&](auto u, auto i)
           BOOTFOLD_INLINE { sums[u * kInputs + i].store(gradient + (u * stride + i) * kLanes); });
}

/// Adds the contribution of kRows rows to the gradient of kUnits units; `deltas` are those of the
/// outputs. The weights of kInputs inputs are done on the way, which keeps more sums going; 0:
/// behind it.
template <Activation kActivation, std::size_t kRows, std::size_t kOutputs, std::size_t kUnits,
          std::size_t kInputs>
BOOTFOLD_INLINE inline void back_units(const ThinLayers& layers, std::size_t unit, const float* in,
                                       const float* hidden, const float* slopes,
                                       const float* deltas) {
  constexpr std::size_t kStep = kBlock * kLanes;
  constexpr std::size_t kSome = std::max<std::size_t>(1, kInputs);
  const std::size_t units = layers.hidden.out;
  const std::size_t inputs = kInputs == 0 ? layers.hidden.in : kInputs;
  const float* const out = layers.last.weights + unit * kLanes;
  float* const out_gradient = layers.last.weights_gradient + unit * kLanes;
  float* const bias = layers.hidden.bias_gradient + unit * kLanes;
  float* const to = layers.hidden.weights_gradient + unit * inputs * kLanes;
  Vector delta[kUnits * kRows];
  Vector weights[kUnits * kOutputs];
  Vector sums[kUnits * kOutputs];
  Vector biases[kUnits];
  Vector products[kUnits * kSome];
  repeat<kUnits>([&](auto u) BOOTFOLD_INLINE {
    repeat<kOutputs>([&](auto j) BOOTFOLD_INLINE {
      weights[u * kOutputs + j] = Vector::load(out + (j * units + u) * kLanes);
      sums[u * kOutputs + j] = Vector::load(out_gradient + (j * units + u) * kLanes);
    });
    biases[u] = Vector::load(bias + u * kLanes);
    repeat<kInputs>([&](auto i) BOOTFOLD_INLINE {
      products[u * kSome + i] = Vector::load(to + (u * inputs + i) * kLanes);
    });
  });
  repeat<kRows>([&](auto e) BOOTFOLD_INLINE {
    Vector d[kOutputs];
    repeat<kOutputs>([&](auto j) BOOTFOLD_INLINE {
      d[j] = in_register(Vector::load(deltas + j * kStep + e * kLanes));
    });
    Vector x[kSome];
    repeat<kInputs>([&](auto i) BOOTFOLD_INLINE {
      x[i] = in_register(Vector::load(in + i * kStep + e * kLanes));
    });
    repeat<kUnits>([&](auto u) BOOTFOLD_INLINE {
      const Vector value = in_register(Vector::load(hidden + u * kStep + e * kLanes));
      Vector reaches = weights[u * kOutputs] * d[0];
      sums[u * kOutputs] = fused(d[0], value, sums[u * kOutputs]);
      repeat<kOutputs - 1>([&](auto j) BOOTFOLD_INLINE {
        constexpr std::size_t kNext = j + 1;
        sums[u * kOutputs + kNext] = fused(d[kNext], value, sums[u * kOutputs + kNext]);
        reaches = fused(weights[u * kOutputs + kNext], d[kNext], reaches);
      });
      const Vector back =
          back_through<kActivation>(reaches, value, slopes + u * kStep + e * kLanes);
      biases[u] = biases[u] + back;
      settle(biases[u]);
      repeat<kInputs>([&](auto i) BOOTFOLD_INLINE {
        products[u * kSome + i] = fused(back, x[i], products[u * kSome + i]);
      });
      if constexpr (kInputs == 0) delta[u * kRows + e] = back;
    });
  });
  repeat<kUnits>([&](auto u) BOOTFOLD_INLINE {
    repeat<kOutputs>([&](auto j) BOOTFOLD_INLINE {
      sums[u * kOutputs + j].store(out_gradient + (j * units + u) * kLanes);
    });
    biases[u].store(bias + u * kLanes);
    repeat<kInputs>([&](auto i) BOOTFOLD_INLINE {
      products[u * kSome + i].store(to + (u * inputs + i) * kLanes);
    });
  });
  if constexpr (kInputs == 0) {
    std::size_t i = 0;
    for (; i + kTileColumns <= inputs; i += kTileColumns)
      add_inputs<kRows, kUnits, kTileColumns>(delta, in + i * kStep, inputs, to + i * kLanes);
    for (; i < inputs; ++i)
      add_inputs<kRows, kUnits, 1>(delta, in + i * kStep, inputs, to + i * kLanes);
  }
}

/// back_units for all hidden units. Not inlined: together with others it would not get all
/// registers.
template <Activation kActivation, std::size_t kRows, std::size_t kOutputs, std::size_t kInputs>
__attribute__((noinline)) void back_hidden(const ThinLayers& layers, const float* in,
                                           const float* units, const float* slopes) {
  constexpr std::size_t kStep = kBlock * kLanes;
  const std::size_t hidden = layers.hidden.out;
  const float* deltas = units + hidden * kStep;
  const auto some = [&]<std::size_t kUnits>(std::size_t u) BOOTFOLD_INLINE {
    back_units<kActivation, kRows, kOutputs, kUnits, kInputs>(layers, u, in, units + u * kStep,
                                                              slopes + u * kStep, deltas);
  };
  constexpr std::size_t kTogether = kOutputs == 1 ? kContrastUnitsBack : kUnitsBack;
  std::size_t u = 0;
  for (; u + kTogether <= hidden; u += kTogether) some.template operator()<kTogether>(u);
  if constexpr (kTogether > 1)
    for (; u < hidden; ++u) some.template operator()<1>(u);
}

/// Calls body.operator()<kOutputs, kInputs>() for 1 or 2 outputs, and 1, 2 or any number of inputs.
template <class Body>
inline void with_ends(const ThinLayers& layers, Body&& body) {
  const auto with_inputs = [&]<std::size_t kOutputs>() {
    if (layers.hidden.in == 1) return body.template operator()<kOutputs, 1>();
    if (layers.hidden.in == 2) return body.template operator()<kOutputs, 2>();
    body.template operator()<kOutputs, 0>();
  };
  if (layers.last.out == 1) return with_inputs.template operator()<1>();
  with_inputs.template operator()<2>();
}

/// Some rows of a block: those behind the last row of a batch are left out, half a block at a time.
template <Activation kActivation>
inline void one_hidden_forward(const ThinLayers& layers, std::size_t rows, const float* in,
                               float* units, float* slopes) {
  float* outputs = units + layers.hidden.out * kBlock * kLanes;
  with_ends(layers, [&]<std::size_t kOutputs, std::size_t kInputs>() {
    for (std::size_t e = 0; e < rows; e += kRowsAhead)
      forward_rows<kActivation, kOutputs, kInputs>(layers, in + e * kLanes, units + e * kLanes,
                                                   slopes + e * kLanes, outputs + e * kLanes);
  });
}

template <Activation kActivation>
inline void one_hidden_back(const ThinLayers& layers, std::size_t rows, const float* in,
                            const float* units, const float* slopes) {
  constexpr std::size_t kStep = kBlock * kLanes;
  const float* deltas = units + layers.hidden.out * kStep;
  with_ends(layers, [&]<std::size_t kOutputs, std::size_t kInputs>() {
    if (rows > kRowsAhead)
      back_hidden<kActivation, kBlock, kOutputs, kInputs>(layers, in, units, slopes);
    else
      back_hidden<kActivation, kRowsAhead, kOutputs, kInputs>(layers, in, units, slopes);
  });
  for (std::size_t j = 0; j < layers.last.out; ++j) {
    float* bias = layers.last.bias_gradient + j * kLanes;
    Vector sum = Vector::load(bias);
    for (std::size_t e = 0; e < (rows > kRowsAhead ? kBlock : kRowsAhead); ++e)
      sum = sum + Vector::load(deltas + j * kStep + e * kLanes);
    sum.store(bias);
  }
}

}  // namespace
}  // namespace bootfold::ensemble::simd
