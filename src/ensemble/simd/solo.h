// One network that is too large for a pack to stay in the cache. Lanes are rows of the data or, for
// the gradient, inputs of a layer. The sums are those of a pack, term by term.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <algorithm>
#include <utility>

#include "ensemble/simd/functions.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/simd/layer_at.h"
#include "ensemble/simd/layers.h"
#include "ensemble/simd/loss.h"
#include "ensemble/simd/matrix.h"
#include "ensemble/simd/transpose.h"
#include "ensemble/simd/update.h"

namespace bootfold::ensemble::simd {
namespace {

/// Values of the units of a batch. Forwards they lie unit by unit, so that vectors are rows; on the
/// way back row by row, so that vectors are inputs of a layer, as its weights are.
struct SoloValues {
  const SoloNetwork& solo;
  std::size_t rows;    // of the batch
  std::size_t padded;  // to whole vectors
  std::size_t stride;  // between units

  /// Weights of the contrast of two classes, then its bias.
  [[nodiscard]] float* contrast() const { return solo.scratch; }
  [[nodiscard]] float* first() const { return solo.scratch + solo_contrast_size(*solo.shape); }
  /// Units of layer l as [unit][row], the inputs being layer 0; the last layer's deltas in the end.
  [[nodiscard]] float* across(std::size_t l) const { return first() + offset(l) * stride; }
  /// Slopes of gelu and silu.
  [[nodiscard]] float* slopes(std::size_t l) const {
    return first() + (offset(solo.shape->layers.size() + 1) + offset(l)) * stride;
  }
  /// Room for one layer's units as [row][unit]: deltas of two layers, values, slopes.
  [[nodiscard]] float* deltas(std::size_t which) const {
    return first() + 2 * offset(solo.shape->layers.size() + 1) * stride +
           which * padded * row_stride(solo.shape->widest);
  }
  [[nodiscard]] float* values_along() const { return deltas(2); }
  [[nodiscard]] float* slopes_along() const { return deltas(3); }
  /// Room for sums of products that are made in parts, of this thread.
  [[nodiscard]] float* sums() const { return deltas(4) + solo.share.thread * sums_each(); }
  // Behind it, for extended layers:
  /// Deltas of a third layer, if there are residual layers.
  [[nodiscard]] float* arrived() const { return deltas(4) + solo.share.threads * sums_each(); }
  [[nodiscard]] float* normal_along() const {
    return arrived() + (solo.shape->adds_inputs ? padded * row_stride(solo.shape->widest) : 0);
  }
  /// Gradients of gains and offsets of a layer.
  [[nodiscard]] float* gains() const {
    return normal_along() + padded * row_stride(solo.shape->widest);
  }
  [[nodiscard]] float* offsets() const { return gains() + padded_size(solo.shape->widest); }
  /// [layer][row]: 1 / standard deviation of the units of layer l.
  [[nodiscard]] float* scales(std::size_t l) const {
    return offsets() + padded_size(solo.shape->widest) + (l - 1) * stride;
  }
  /// Normalized sums of layer l, as across(l).
  [[nodiscard]] float* normal(std::size_t l) const {
    return scales(solo.shape->layers.size() + 1) + (offset(l) - solo.shape->inputs()) * stride;
  }

  [[nodiscard]] std::size_t sums_each() const {
    return std::max(rows, solo.shape->widest) * kMostPanel;
  }
  [[nodiscard]] std::size_t offset(std::size_t l) const {
    std::size_t units = 0;
    if (l > 0) units += solo.shape->inputs();
    for (std::size_t i = 1; i < l; ++i) units += solo.shape->layers[i - 1].out;
    return units;
  }
};

/// A layer as the kernels see it: in place of the last one they may see its contrast.
struct SoloLayer {
  std::size_t in;
  std::size_t out;
  const float* weights;  // [out][stride]
  std::size_t stride;
  const float* bias;
};
inline SoloLayer solo_layer(const SoloValues& values, std::size_t l) {
  const Shape& shape = *values.solo.shape;
  const Layer& layer = shape.layers[l];
  const PaddedLayer at = padded_layer(shape, l);
  if (l + 1 == shape.layers.size() && has_contrast(shape, values.solo.loss))
    return {layer.in, 1, values.contrast(), at.stride, values.contrast() + at.stride};
  return {layer.in, layer.out, values.solo.parameters + at.weights, at.stride,
          values.solo.parameters + at.bias};
}

/// Sets the contrast.
inline void take_contrast(const SoloValues& values) {
  const Shape& shape = *values.solo.shape;
  const PaddedLayer at = padded_layer(shape, shape.layers.size() - 1);
  const float* weights = values.solo.parameters + at.weights;
  const float* bias = values.solo.parameters + at.bias;
  subtract(weights, weights + at.stride, at.stride, values.contrast());
  values.contrast()[at.stride] = bias[1] - bias[0];
}

/// multiply_into() for the part of this thread.
inline ProductPart multiply_part(const Share& share, const Factor& factor, std::size_t rows,
                                 std::size_t terms, const Columns& in, std::size_t columns,
                                 const float* start, float* sums, float* out,
                                 std::size_t out_stride) {
  const ProductPart part = product_part(share, rows, columns);
  const std::size_t row = part.rows.first;
  const std::size_t column = part.columns.first;
  multiply_into({factor.first + row * factor.row_stride, factor.row_stride, factor.term_stride},
                part.rows.last - row, terms, {in.first + column, in.stride},
                part.columns.last - column, start == nullptr ? nullptr : start + row, sums,
                out + row * out_stride + column, out_stride);
  return part;
}

/// Values of some units of layer l + 1, and slopes where they are kept, from what it was given.
template <Activation kActivation>
void activate_units(const SoloValues& values, std::size_t l, const ProductPart& part) {
  float* out = values.across(l + 1);
  float* slopes = values.slopes(l + 1);
  for (std::size_t j = part.rows.first; j < part.rows.last; ++j)
    for (std::size_t e = part.columns.first; e < part.columns.last; e += kLanes) {
      const std::size_t at = j * values.stride + e;
      const Activated a = activate<kActivation>(Vector::load(out + at));
      a.value.store(out + at);
      if constexpr (keeps_slope(kActivation)) a.slope.store(slopes + at);
    }
}

/// The same for all units of an extended layer.
inline void finish_extended(const SoloValues& values, std::size_t l) {
  const Shape& shape = *values.solo.shape;
  const Layer& layer = shape.layers[l];
  const PaddedLayer at = padded_layer(shape, l);
  HiddenUnits u{};
  u.units = layer.out;
  u.columns = values.padded / kLanes;
  u.stride = values.stride;
  u.values = values.across(l + 1);
  u.before = layer.residual ? values.across(l) : nullptr;
  u.slopes = values.slopes(l + 1);
  if (layer.normalized) {
    u.normal = values.normal(l + 1);
    u.scales = values.scales(l + 1);
  }
  with_activation(shape.activation, [&]<Activation kActivation>() {
    finish_units<kActivation>(u, layer.normalized,
                              SingleParameters{values.solo.parameters + at.gain},
                              SingleParameters{values.solo.parameters + at.offset},
                              Masks::of_rows(values.solo.dropout, shape, layer));
  });
}

template <Activation kActivation>
inline void forward_solo(const SoloValues& values) {
  const Shape& shape = *values.solo.shape;
  const bool extended = is_extended(shape, values.solo.dropout);
  if (has_contrast(shape, values.solo.loss) && values.solo.share.thread == 0) take_contrast(values);
  for (std::size_t l = 0; l < shape.layers.size(); ++l) {
    const SoloLayer layer = solo_layer(values, l);
    values.solo.share.meet();
    const ProductPart part =
        multiply_part(values.solo.share, {layer.weights, layer.stride, 1}, layer.out, layer.in,
                      {values.across(l), values.stride}, values.padded, layer.bias, values.sums(),
                      values.across(l + 1), values.stride);
    if (l + 1 == shape.layers.size()) break;
    if (extended)
      finish_extended(values, l);
    else
      activate_units<kActivation>(values, l, part);
  }
  values.solo.share.meet();
}

/// to[row][unit] = across[unit][row] for the rows of this thread.
inline void turn(const SoloValues& values, const float* across, std::size_t units, float* to) {
  const Part rows = rows_of(values.solo.share, values.rows);
  const std::size_t stride = row_stride(units);
  transpose(across + rows.first, units, rows.last - rows.first, values.stride, stride,
            to + rows.first * stride);
}

/// Deltas of the units before layer l, given those behind it; all row by row.
template <Activation kActivation>
void deltas_before(const SoloValues& values, std::size_t l, const float* deltas, float* before) {
  const SoloLayer at = solo_layer(values, l);
  const ProductPart part = multiply_part(
      values.solo.share, {deltas, row_stride(at.out), 1}, values.rows, at.out,
      {at.weights, at.stride}, padded_size(at.in), nullptr, values.sums(), before, at.stride);
  const float* in = values.values_along();
  const float* slopes = values.slopes_along();
  for (std::size_t e = part.rows.first; e < part.rows.last; ++e)
    for (std::size_t i = part.columns.first; i < part.columns.last; i += kLanes) {
      const std::size_t to = e * at.stride + i;
      back_through<kActivation>(Vector::load(before + to), Vector::load(in + to), slopes + to)
          .store(before + to);
    }
}

/// Some vectors of a gradient: rows of `vectors` vectors that lie one after another, and where
/// their parameters are.
struct Gradient {
  const float* values;
  std::size_t rows;
  std::size_t vectors;
  std::size_t place;   // of the first parameter
  std::size_t stride;  // between rows of parameters
  std::size_t next;    // place of what comes next
};

/// Keeps the gradient.
struct Keep {
  float* gradient;
  void operator()(const Gradient& some) const {
    for (std::size_t r = 0; r < some.rows; ++r)
      for (std::size_t v = 0; v < some.vectors; ++v)
        Vector::load(some.values + (r * some.vectors + v) * kLanes)
            .store(gradient + some.place + r * some.stride + v * kLanes);
  }
};

/// Moves the parameters, by whatever rule: one copy of the product that calls it for all rules.
struct Move {
  void (*move)(const void* step, float* parameters, const Gradient& some);
  const void* step;
  float* parameters;

  template <Optimizer kRule>
  Move(const Step<kRule>& by, float* those)
      : move([](const void* how, float* moved, const Gradient& some) {
          const Step<kRule> rule = *static_cast<const Step<kRule>*>(how);  // in registers
          for (std::size_t r = 0; r < some.rows; ++r)
            for (std::size_t v = 0; v < some.vectors; ++v) {
              const std::size_t at = r * some.stride + v * kLanes;
              if (v * kLanes % kPadding == 0) rule.fetch(moved, some.next + at);
              rule.template take<true>(Vector::load(some.values + (r * some.vectors + v) * kLanes),
                                       moved, some.place + at);
            }
        }),
        step(&by),
        parameters(those) {}

  void operator()(const Gradient& some) const { move(step, parameters, some); }
};

/// Takes the gradient by the contrast, as that by the weights of the second output, and its
/// negative as that by those of the first.
template <class Take>
struct TakeContrast {
  const Take& take;
  std::size_t between;  // the weights of the outputs

  void operator()(const Gradient& some) const {
    float negative[kSums * kLanes];
    for (std::size_t i = 0; i < some.rows * some.vectors * kLanes; i += kLanes)
      (Vector::zero() - Vector::load(some.values + i)).store(negative + i);
    Gradient first = some;
    first.values = negative;
    take(first);
    Gradient second = some;
    second.place += between;
    second.next += between;
    take(second);
  }
};

/// take(gradient) for the vectors of the weights and biases of layer l that are those of this
/// thread.
template <class Take>
__attribute__((noinline)) void gradient_of_layer(const SoloValues& values, std::size_t l,
                                                 const float* in, const float* deltas,
                                                 const Take& take) {
  const Layer& layer = values.solo.shape->layers[l];
  const PaddedLayer at = padded_layer(*values.solo.shape, l);
  const bool contrast = l + 1 == values.solo.shape->layers.size() &&
                        has_contrast(*values.solo.shape, values.solo.loss);
  const std::size_t out = contrast ? 1 : layer.out;
  const TakeContrast<Take> take_both{take, at.stride};
  const std::size_t stride = row_stride(out);
  const std::size_t below = kSums / kPanel * at.stride;  // the next tile
  float tile[kSums * kLanes];
  std::size_t filled = 0;
  const Share& share = values.solo.share;
  const ProductPart part = product_part(share, out, padded_size(layer.in));
  const std::size_t first = at.weights + part.rows.first * at.stride + part.columns.first;
  multiply_all(
      {deltas + part.rows.first, 1, stride}, part.rows.last - part.rows.first, values.rows,
      {in + part.columns.first, at.stride}, part.columns.last - part.columns.first, nullptr,
      values.sums(),
      [&](std::size_t, std::size_t, Vector sum) BOOTFOLD_INLINE {
        sum.store(tile + filled);
        filled += kLanes;
      },
      [&](const Tile& done) BOOTFOLD_INLINE {
        const std::size_t place = first + done.row * at.stride + done.column;
        const Gradient some{tile, done.rows, done.vectors, place, at.stride, place + below};
        if (contrast)
          take_both(some);
        else
          take(some);
        filled = 0;
      });
  // Each thread has some of the biases.
  const Part biases = part_of(layer.out, share.thread, share.threads, kPadding);
  for (std::size_t j = biases.first; j < biases.last; j += kLanes) {
    Vector sum = Vector::zero();
    for (std::size_t e = 0; e < values.rows; ++e) sum = sum + Vector::load(deltas + e * stride + j);
    sum.store(tile);
    if (contrast) {
      tile[1] = tile[0];
      tile[0] = 0.0F - tile[1];
    }
    take({tile, 1, 1, at.bias + j, 0, at.bias + j});
  }
}

/// Goes through all layers, last first; the deltas of the outputs are there.
template <Activation kActivation, class Take>
inline void back_through_layers(const SoloValues& values, const float* inputs, const Take& take) {
  const Shape& shape = *values.solo.shape;
  float* deltas = values.deltas(0);
  float* before = values.deltas(1);
  turn(values, values.across(shape.layers.size()), solo_layer(values, shape.layers.size() - 1).out,
       deltas);
  for (std::size_t l = shape.layers.size(); l-- > 0;) {
    const std::size_t units = shape.layers[l].in;
    values.solo.share.meet();
    if (l == 0) return gradient_of_layer(values, 0, inputs, deltas, take);
    turn(values, values.across(l), units, values.values_along());
    if constexpr (keeps_slope(kActivation))
      turn(values, values.slopes(l), units, values.slopes_along());
    values.solo.share.meet();
    // First, as the weights may change below.
    deltas_before<kActivation>(values, l, deltas, before);
    values.solo.share.meet();
    gradient_of_layer(values, l, values.values_along(), deltas, take);
    std::swap(deltas, before);
  }
}

/// From the gradient by the values of the units before layer l, `arrived`, to the deltas of their
/// sums; all row by row. take_gain() takes the gradient of gains and offsets.
template <class TakeGain>
void back_to_sums_before(const SoloValues& values, std::size_t l, float* arrived, float* deltas,
                         const TakeGain& take_gain) {
  const Shape& shape = *values.solo.shape;
  const Layer& hidden = shape.layers[l - 1];
  const PaddedLayer at = padded_layer(shape, l - 1);
  const std::size_t stride = row_stride(hidden.out);
  const std::size_t padded = padded_size(hidden.out);
  turn(values, values.slopes(l), hidden.out, values.slopes_along());
  if (!hidden.normalized) {
    for (std::size_t e = 0; e < values.rows; ++e)
      for (std::size_t i = e * stride; i < e * stride + padded; i += kLanes)
        (Vector::load(arrived + i) * Vector::load(values.slopes_along() + i)).store(deltas + i);
    return;
  }
  turn(values, values.normal(l), hidden.out, values.normal_along());
  std::fill_n(values.gains(), padded, 0.0F);
  std::fill_n(values.offsets(), padded, 0.0F);
  for (std::size_t e = 0; e < values.rows; ++e)
    back_to_sums_of_row(hidden.out, values.solo.parameters + at.gain, values.scales(l)[e],
                        arrived + e * stride, values.slopes_along() + e * stride,
                        values.normal_along() + e * stride, values.gains(), values.offsets(),
                        deltas + e * stride);
  const std::size_t vectors = (hidden.out + kLanes - 1) / kLanes;
  take_gain({values.gains(), 1, vectors, at.gain, 0, at.gain});
  take_gain({values.offsets(), 1, vectors, at.offset, 0, at.offset});
}

/// back_through_layers() for networks with extended layers, which have one thread.
template <class Take, class TakeGain>
inline void back_through_extended(const SoloValues& values, const float* inputs, const Take& take,
                                  const TakeGain& take_gain) {
  const Shape& shape = *values.solo.shape;
  float* deltas = values.deltas(0);
  float* before = values.deltas(1);
  float* arrived = values.arrived();  // the gradient by the values of a residual layer
  turn(values, values.across(shape.layers.size()), solo_layer(values, shape.layers.size() - 1).out,
       deltas);
  for (std::size_t l = shape.layers.size(); l-- > 0;) {
    if (l == 0) return gradient_of_layer(values, 0, inputs, deltas, take);
    const Layer& layer = shape.layers[l];
    const SoloLayer at = solo_layer(values, l);
    turn(values, values.across(l), layer.in, values.values_along());
    multiply_into({deltas, row_stride(at.out), 1}, values.rows, at.out, {at.weights, at.stride},
                  padded_size(layer.in), nullptr, values.sums(), before, at.stride);
    if (layer.residual)
      for (std::size_t e = 0; e < values.rows; ++e)
        for (std::size_t i = e * at.stride; i < e * at.stride + padded_size(layer.in); i += kLanes)
          (Vector::load(before + i) + Vector::load(arrived + i)).store(before + i);
    gradient_of_layer(values, l, values.values_along(), deltas, take);
    back_to_sums_before(values, l, before, deltas, take_gain);
    if (shape.adds_inputs) std::swap(before, arrived);
  }
}

inline SoloValues values_of(const SoloNetwork& solo, std::size_t rows) {
  return {solo, rows, padded_size(rows), row_stride(rows)};
}

void solo_loss(const SoloNetwork& solo, const SoloBatch& batch, float* loss) noexcept {
  const Shape& shape = *solo.shape;
  const SoloValues values = values_of(solo, batch.rows);
  const Part own = rows_of(solo.share, batch.rows);
  const std::size_t stride = row_stride(shape.inputs());
  transpose(batch.inputs + own.first * stride, own.last - own.first, shape.inputs(), stride,
            values.stride, values.across(0) + own.first);
  with_activation(shape.activation,
                  [&]<Activation kActivation>() { forward_solo<kActivation>(values); });
  if (solo.share.thread != 0) return;
  float* outputs = values.across(shape.layers.size());
  float total = *loss;
  with_loss(solo.loss, [&]<Loss kLoss>() {
    for (std::size_t e = 0; e < values.padded; e += kLanes) {
      float costs[kLanes];
      cost<kLoss>(solo_layer(values, shape.layers.size() - 1).out, batch.targets + e, values.padded,
                  Vector::load(batch.weights + e), outputs + e, values.stride, solo.heads)
          .store(costs);
      for (std::size_t i = 0; i < kLanes && e + i < batch.rows; ++i) total += costs[i];
    }
  });
  *loss = total;
}

template <class Take>
inline void back_solo(const SoloNetwork& solo, const SoloBatch& batch, const Take& take,
                      const Take& take_gain) {
  if (is_extended(*solo.shape, solo.dropout))
    return back_through_extended(values_of(solo, batch.rows), batch.inputs, take, take_gain);
  with_activation(solo.shape->activation, [&]<Activation kActivation>() {
    back_through_layers<kActivation>(values_of(solo, batch.rows), batch.inputs, take);
  });
}

void solo_gradient(const SoloNetwork& solo, const SoloBatch& batch, float* gradient) noexcept {
  back_solo(solo, batch, Keep{gradient}, Keep{gradient});
}

void solo_step(const SoloNetwork& solo, const SoloBatch& batch, Optimizer rule,
               const Update& update) noexcept {
  with_rule(rule, [&]<Optimizer kRule>() {
    const Step<kRule> step(update);
    const float no_decay[kLanes] = {};
    Update plain = update;
    plain.decay = no_decay;
    const Step<kRule> gain_step(plain);
    back_solo(solo, batch, Move(step, solo.parameters), Move(gain_step, solo.parameters));
  });
}

}  // namespace
}  // namespace bootfold::ensemble::simd
