// Hidden layers with layer normalization, dropout or residual connections: what happens between the
// product of a layer and the next one, and the way back.
//
// Sums over the units of a layer are made in 16 parts, unit j in part j % 16, which are added in a
// fixed order: lanes may then be members, rows or units, and the bits are the same.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ensemble/dropout.h"
#include "ensemble/simd/functions.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/simd/tiles.h"

namespace bootfold::ensemble::simd {
namespace {

/// Added to the variance of a layer.
constexpr float kNormEpsilon = 1e-5F;
constexpr std::size_t kNormParts = 16;
static_assert(kNormParts % kLanes == 0 && kPadding % kNormParts == 0);

/// Whether hidden layers are more than a product and an activation.
inline bool is_extended(const Shape& shape, const Dropout* dropout) {
  return shape.normalizes || shape.adds_inputs || dropout != nullptr;
}

/// A whole number for each lane.
using Words = std::uint32_t __attribute__((vector_size(kLanes * sizeof(std::uint32_t))));
using SignedWords = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));

/// Adds parts in a fixed order.
BOOTFOLD_INLINE inline Vector add_parts(Vector* parts) {
  for (std::size_t step = kNormParts / 2; step > 0; step /= 2)
    for (std::size_t i = 0; i < step; ++i) parts[i] = parts[i] + parts[i + step];
  return parts[0];
}

/// add(part, j) for all units j, in parts; returns their sum.
template <class Add>
BOOTFOLD_INLINE inline Vector sum_in_parts(std::size_t units, Add&& add) {
  Vector parts[kNormParts];
  for (Vector& part : parts) part = Vector::zero();
  std::size_t j = 0;
  for (; j + kNormParts <= units; j += kNormParts)
    repeat<kNormParts>([&](auto i) BOOTFOLD_INLINE { parts[i] = add(parts[i], j + i); });
  for (std::size_t i = 0; j < units; ++i, ++j) parts[i] = add(parts[i], j);
  return add_parts(parts);
}

/// Parameters of units: of a pack, a vector for each; of one network, a number.
struct LanedParameters {
  const float* first;
  [[nodiscard]] Vector at(std::size_t j) const { return Vector::load(first + j * kLanes); }
};
struct SingleParameters {
  const float* first;
  [[nodiscard]] Vector at(std::size_t j) const { return Vector::all(first[j]); }
};

/// Dropout masks of the units of a layer, for one vector of rows or members after the other.
class Masks {
 public:
  static constexpr bool kPossible = true;

  /// Lanes are members, and columns of vectors are rows from `row` on.
  static Masks of_pack(const Dropout* dropout, const Shape& shape, const Layer& layer,
                       std::size_t row) {
    Masks made;
    if (dropout == nullptr) return made;
    made.active_ = true;
    std::memcpy(&made.add_, dropout->add, sizeof(Words));
    std::memcpy(&made.mix_, dropout->mix, sizeof(Words));
    std::memcpy(&made.threshold_, dropout->threshold, sizeof(Words));
    std::memcpy(&made.scale_, dropout->scale, sizeof(Words));
    made.first_ = Words{} + static_cast<std::uint32_t>(row * shape.pairs + layer.pairs);
    made.step_ = static_cast<std::uint32_t>(shape.pairs);
    return made;
  }

  /// Lanes are rows.
  static Masks of_rows(const Dropout* dropout, const Shape& shape, const Layer& layer) {
    Masks made;
    if (dropout == nullptr) return made;
    made.active_ = true;
    made.add_ = Words{} + *dropout->add;
    made.mix_ = Words{} + *dropout->mix;
    made.threshold_ = SignedWords{} + static_cast<std::int32_t>(*dropout->threshold);
    made.scale_ = Words{} + std::bit_cast<std::uint32_t>(*dropout->scale);
    for (std::size_t i = 0; i < kLanes; ++i)
      made.first_[i] = static_cast<std::uint32_t>(i * shape.pairs + layer.pairs);
    made.step_ = static_cast<std::uint32_t>(kLanes * shape.pairs);
    return made;
  }

  [[nodiscard]] bool active() const { return active_; }

  /// The factors of unit j in vector `column`, 0 or the scale; j must go through all units in
  /// order.
  BOOTFOLD_INLINE inline Vector at(std::size_t column, std::size_t j) {
    if (j % 2 == 0) {
      const Words counter = first_ + static_cast<std::uint32_t>(column * step_ + j / 2);
      dropout_word(counter, add_, mix_, word_);
    }
    const Words half = word_ & (kDropoutHalf - 1);
    word_ >>= 16;
    const SignedWords kept = SignedWords(half) >= threshold_;
    const Words factor = Words(kept) & scale_;
    return std::bit_cast<Vector>(factor);
  }

 private:
  bool active_ = false;
  std::uint32_t step_ = 0;  // between counters of two columns
  Words first_{};
  Words add_{};
  Words mix_{};
  Words scale_{};  // the bits of the scale
  Words word_{};
  SignedWords threshold_{};
};

/// Without dropout, as in predictions.
struct NoMasks {
  static constexpr bool kPossible = false;
  [[nodiscard]] static bool active() { return false; }
  static Vector at(std::size_t, std::size_t) { return Vector::zero(); }
};

/// The units of a hidden layer: unit j of vector `column` is at j * stride + column * kLanes.
struct HiddenUnits {
  std::size_t units;
  std::size_t columns;  // vectors
  std::size_t stride;
  float* values;        // sums of the product, which become values
  const float* before;  // values of the layer before, to add; null: none
  // For the way back; null in predictions:
  float* slopes;  // of the values by what the normalization returns, with the factors of dropout
  float* normal;  // normalized sums
  float* scales;  // [column][lane]: 1 / standard deviation
};

/// From the sums of a layer to the values of its units.
template <Activation kActivation, class Parameters, class DropMasks>
BOOTFOLD_INLINE inline void finish_units(const HiddenUnits& u, bool normalized, Parameters gain,
                                         Parameters offset, DropMasks&& masks) {
  const auto width = Vector::all(static_cast<float>(u.units));
  for (std::size_t column = 0; column < u.columns; ++column) {
    float* const values = u.values + column * kLanes;
    Vector mean = Vector::zero();
    Vector scale = Vector::zero();
    if (normalized) {
      mean = sum_in_parts(u.units,
                          [&](Vector part, std::size_t j) BOOTFOLD_INLINE {
                            return part + Vector::load(values + j * u.stride);
                          }) /
             width;
      const Vector squares = sum_in_parts(u.units, [&](Vector part, std::size_t j) BOOTFOLD_INLINE {
        const Vector centred = Vector::load(values + j * u.stride) - mean;
        return fused(centred, centred, part);
      });
      scale = Vector::all(1.0F) / sqrt(squares / width + Vector::all(kNormEpsilon));
      if (u.scales != nullptr) scale.store(u.scales + column * kLanes);
    }
    for (std::size_t j = 0; j < u.units; ++j) {
      const std::size_t at = j * u.stride + column * kLanes;
      Vector z = Vector::load(u.values + at);
      if (normalized) {
        const Vector normal = (z - mean) * scale;
        if (u.normal != nullptr) normal.store(u.normal + at);
        z = fused(gain.at(j), normal, offset.at(j));
      }
      Activated a = activate<kActivation>(z);
      if constexpr (std::remove_cvref_t<DropMasks>::kPossible) {
        if (masks.active()) {
          const Vector factor = masks.at(column, j);
          a.value = a.value * factor;
          a.slope = a.slope * factor;
        }
      }
      if (u.before != nullptr) a.value = a.value + Vector::load(u.before + at);
      a.value.store(u.values + at);
      if (u.slopes != nullptr) a.slope.store(u.slopes + at);
    }
  }
}

/// Deltas of the sums of a layer, given `arrived`, the gradient by the values of its units; lanes
/// are members and there are kBlock rows. Adds to the gradient of gains and offsets.
inline void back_to_sums(const HiddenUnits& u, bool normalized, const float* gain,
                         const float* arrived, float* gain_gradient, float* offset_gradient,
                         float* deltas) {
  for (std::size_t j = 0; j < u.units; ++j) {
    const std::size_t first = j * u.stride;
    for (std::size_t at = first; at < first + u.columns * kLanes; at += kLanes)
      (Vector::load(arrived + at) * Vector::load(u.slopes + at)).store(deltas + at);
    if (!normalized) continue;
    Vector gains = Vector::load(gain_gradient + j * kLanes);
    Vector offsets = Vector::load(offset_gradient + j * kLanes);
    for (std::size_t at = first; at < first + u.columns * kLanes; at += kLanes) {
      const Vector delta = Vector::load(deltas + at);
      gains = fused(delta, Vector::load(u.normal + at), gains);
      offsets = offsets + delta;
    }
    gains.store(gain_gradient + j * kLanes);
    offsets.store(offset_gradient + j * kLanes);
  }
  if (!normalized) return;
  const auto width = Vector::all(static_cast<float>(u.units));
  for (std::size_t column = 0; column < u.columns; ++column) {
    const auto delta_of = [&](std::size_t j) BOOTFOLD_INLINE {
      return Vector::load(deltas + j * u.stride + column * kLanes) *
             Vector::load(gain + j * kLanes);
    };
    const auto normal_of = [&](std::size_t j) BOOTFOLD_INLINE {
      return Vector::load(u.normal + j * u.stride + column * kLanes);
    };
    const Vector mean = sum_in_parts(u.units, [&](Vector part, std::size_t j)
                                                  BOOTFOLD_INLINE { return part + delta_of(j); }) /
                        width;
    const Vector slope = sum_in_parts(u.units,
                                      [&](Vector part, std::size_t j) BOOTFOLD_INLINE {
                                        return fused(delta_of(j), normal_of(j), part);
                                      }) /
                         width;
    const Vector scale = Vector::load(u.scales + column * kLanes);
    for (std::size_t j = 0; j < u.units; ++j)
      (scale * fused_minus(normal_of(j), slope, delta_of(j) - mean))
          .store(deltas + j * u.stride + column * kLanes);
  }
}

/// The same for one row of a network that is trained by itself; lanes are units. All lists have
/// padded_size(units) floats, whose padding is overwritten; that of `gain` is 0. `slopes` becomes
/// scratch. `deltas` may be `arrived`.
inline void back_to_sums_of_row(std::size_t units, const float* gain, float scale, float* arrived,
                                float* slopes, float* normal, float* gain_gradient,
                                float* offset_gradient, float* deltas) {
  const std::size_t padded = padded_size(units);
  std::fill_n(arrived + units, padded - units, 0.0F);
  std::fill_n(slopes + units, padded - units, 0.0F);
  std::fill_n(normal + units, padded - units, 0.0F);
  constexpr std::size_t kVectors = kNormParts / kLanes;
  Vector sums[kVectors];
  Vector products[kVectors];
  repeat<kVectors>([&](auto i) BOOTFOLD_INLINE { sums[i] = products[i] = Vector::zero(); });
  for (std::size_t j = 0; j < padded; j += kNormParts)
    repeat<kVectors>([&](auto i) BOOTFOLD_INLINE {
      const std::size_t at = j + i * kLanes;
      const Vector n = Vector::load(normal + at);
      const Vector delta = Vector::load(arrived + at) * Vector::load(slopes + at);
      fused(delta, n, Vector::load(gain_gradient + at)).store(gain_gradient + at);
      (Vector::load(offset_gradient + at) + delta).store(offset_gradient + at);
      const Vector scaled = delta * Vector::load(gain + at);
      scaled.store(slopes + at);
      sums[i] = sums[i] + scaled;
      products[i] = fused(scaled, n, products[i]);
    });
  const auto mean_of = [&](const Vector* vectors) {
    float parts[kNormParts];
    for (std::size_t i = 0; i < kVectors; ++i) vectors[i].store(parts + i * kLanes);
    for (std::size_t step = kNormParts / 2; step > 0; step /= 2)
      for (std::size_t i = 0; i < step; ++i) parts[i] += parts[i + step];
    return Vector::all(parts[0] / static_cast<float>(units));
  };
  const Vector mean = mean_of(sums);
  const Vector slope = mean_of(products);
  const Vector all = Vector::all(scale);
  for (std::size_t at = 0; at < padded; at += kLanes)
    (all * fused_minus(Vector::load(normal + at), slope, Vector::load(slopes + at) - mean))
        .store(deltas + at);
}

}  // namespace
}  // namespace bootfold::ensemble::simd
