// One network that is too large for a pack to stay in the cache: lanes are rows of the data, then, for
// the gradient, inputs of a layer. The sums are those of a pack, term by term.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <cstring>

#include "ensemble/simd/functions.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/simd/loss.h"
#include "ensemble/simd/matrix.h"

namespace bootfold::ensemble::simd {
namespace {

/// out[c][r] = in[r][c].
inline void transpose(const float* in, std::size_t rows, std::size_t columns, std::size_t in_stride,
                      std::size_t out_stride, float* out) {
  constexpr std::size_t kTile = 16;
  for (std::size_t r0 = 0; r0 < rows; r0 += kTile)
    for (std::size_t c0 = 0; c0 < columns; c0 += kTile)
      for (std::size_t r = r0; r < r0 + kTile && r < rows; ++r)
        for (std::size_t c = c0; c < c0 + kTile && c < columns; ++c)
          out[c * out_stride + r] = in[r * in_stride + c];
}

/// Values of the units of a batch, layer by layer.
struct SingleValues {
  const Single& single;
  std::size_t rows;    // of the batch
  std::size_t padded;  // to whole vectors

  /// Units of layer l as [unit][row], the inputs being layer 0.
  [[nodiscard]] float* across(std::size_t l) const { return single.scratch + offset(l) * padded; }
  /// What the last layer says, then its deltas; before it the slopes of gelu.
  [[nodiscard]] float* slopes(std::size_t l) const {
    return single.scratch + (offset(single.shape->layers.size() + 1) + offset(l)) * padded;
  }
  [[nodiscard]] float* deltas(int which) const {
    return single.scratch + 2 * offset(single.shape->layers.size() + 1) * padded +
           static_cast<std::size_t>(which) * single.shape->widest * padded;
  }
  /// Room for one layer's units as [row][unit].
  [[nodiscard]] float* along() const { return deltas(2); }

  [[nodiscard]] std::size_t offset(std::size_t l) const {
    std::size_t units = 0;
    if (l > 0) units += single.shape->inputs();
    for (std::size_t i = 1; i < l; ++i) units += single.shape->layers[i - 1].out;
    return units;
  }
};

template <Activation kActivation>
inline void single_forward(const SingleValues& values) {
  const Shape& shape = *values.single.shape;
  for (std::size_t l = 0; l < shape.layers.size(); ++l) {
    const Layer& layer = shape.layers[l];
    const PaddedLayer at = padded_layer(shape, l);
    const float* parameters = values.single.parameters;
    float* out = values.across(l + 1);
    float* slopes = values.slopes(l + 1);
    const bool last = l + 1 == shape.layers.size();
    multiply_all({parameters + at.weights, at.stride, 1}, layer.out, layer.in,
                 {values.across(l), values.padded}, values.padded, parameters + at.bias,
                 [&](std::size_t j, std::size_t e, Vector z) BOOTFOLD_INLINE {
                   const std::size_t to = j * values.padded + e;
                   if (last) {
                     z.store(out + to);
                     return;
                   }
                   const Activated a = activate<kActivation>(z);
                   a.value.store(out + to);
                   if constexpr (kActivation == Activation::gelu) a.slope.store(slopes + to);
                 });
  }
}

template <Activation kActivation>
inline void single_back(const SingleValues& values, const float* inputs) {
  const Shape& shape = *values.single.shape;
  const float* deltas = values.across(shape.layers.size());
  int which = 0;
  for (std::size_t l = shape.layers.size(); l-- > 0;) {
    const Layer& layer = shape.layers[l];
    const PaddedLayer at = padded_layer(shape, l);
    // The layer's inputs row by row.
    const float* along = inputs;
    if (l > 0) {
      transpose(values.across(l), layer.in, values.rows, values.padded, at.stride, values.along());
      along = values.along();
    }
    float* gradient = values.single.gradient + at.weights;
    multiply_all({deltas, values.padded, 1}, layer.out, values.rows, {along, at.stride}, at.stride,
                 nullptr, [&](std::size_t j, std::size_t i, Vector sum) BOOTFOLD_INLINE {
                   sum.store(gradient + j * at.stride + i);
                 });
    float* bias = values.single.gradient + at.bias;
    for (std::size_t j = 0; j < layer.out; ++j) {
      float sum = 0;
      for (std::size_t e = 0; e < values.rows; ++e) sum += deltas[j * values.padded + e];
      bias[j] = sum;
    }
    if (l == 0) break;
    const float* in = values.across(l);
    const float* slopes = values.slopes(l);
    float* before = values.deltas(which);
    multiply_all(
        {values.single.parameters + at.weights, 1, at.stride}, layer.in, layer.out,
        {deltas, values.padded}, values.padded, nullptr,
        [&](std::size_t i, std::size_t e, Vector sum) BOOTFOLD_INLINE {
          const std::size_t to = i * values.padded + e;
          back_through<kActivation>(sum, Vector::load(in + to), slopes + to).store(before + to);
        });
    deltas = before;
    which = 1 - which;
  }
}

template <bool kBack>
void single_loss(const Single& single, const SingleBatch& batch, float* loss) noexcept {
  const Shape& shape = *single.shape;
  const SingleValues values{single, batch.rows, padded_size(batch.rows)};
  transpose(batch.inputs, batch.rows, shape.inputs(), padded_size(shape.inputs()), values.padded,
            values.across(0));
  with_activation(shape.activation, [&]<Activation kActivation>() {
    single_forward<kActivation>(values);
    float* outputs = values.across(shape.layers.size());
    float total = *loss;
    with_loss(single.loss, [&]<Loss kLoss>() {
      for (std::size_t e = 0; e < values.padded; e += kLanes) {
        float costs[kLanes];
        cost<kLoss>(shape.outputs(), batch.targets + e, values.padded,
                    Vector::load(batch.weights + e), outputs + e, values.padded)
            .store(costs);
        for (std::size_t i = 0; i < kLanes && e + i < batch.rows; ++i) total += costs[i];
      }
    });
    *loss = total;
    if constexpr (kBack) single_back<kActivation>(values, batch.inputs);
  });
}

}  // namespace
}  // namespace bootfold::ensemble::simd
