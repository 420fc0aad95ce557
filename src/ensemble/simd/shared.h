// Members that share the weights of a layer: W of all members, scales r and s of each. Lanes are
// members, whose networks have the weights W[j][i] s[j] r[i].
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <algorithm>
#include <cstring>

#include "ensemble/simd/kernels.h"
#include "ensemble/simd/layers.h"
#include "ensemble/simd/tiles.h"
#include "ensemble/simd/transpose.h"

namespace bootfold::ensemble::simd {
namespace {

static_assert(kSharedParts == kNormParts);

void shared_weights(const SharedRow& row, float* networks) noexcept {
  const Vector s = Vector::load(row.s);
  for (std::size_t i = 0; i < row.in; ++i)
    (Vector::all(row.weights[i]) * (s * Vector::load(row.r + i * kLanes)))
        .store(networks + i * kLanes);
}

void shared_gradient(const SharedRow& row, const SharedRowGradient& to) noexcept {
  const Vector s = Vector::load(row.s);
  Vector by_s = Vector::zero();
  for (std::size_t i = 0; i < row.in; ++i) {
    const std::size_t at = i * kLanes;
    const Vector gradient = Vector::load(to.networks + at);
    const Vector r = Vector::load(row.r + at);
    const Vector weighted = gradient * Vector::all(row.weights[i]);
    fused(weighted, s, Vector::load(to.by_r + at)).store(to.by_r + at);
    by_s = fused(weighted, r, by_s);
    float* const part = to.parts + i * kSharedParts;
    fused(gradient, s * r, Vector::load(part)).store(part);
  }
  by_s.store(to.by_s);
}

void add_shared_parts(const float* parts, std::size_t count, float* sums) noexcept {
  for (std::size_t first = 0; first < count; first += kSharedParts) {
    float turned[kSharedParts * kSharedParts];  // [part][weight]
    for (std::size_t r = 0; r < kSharedParts; r += kTransposed) {
      const float* rows[kTransposed];
      for (std::size_t i = 0; i < kTransposed; ++i)
        rows[i] = parts + (first + r + i) * kSharedParts;
      for (std::size_t column = 0; column < kSharedParts; column += 4)
        transpose_tile(rows, column, kSharedParts, turned + column * kSharedParts + r);
    }
    float added[kSharedParts];
    for (std::size_t i = 0; i < kSharedParts; i += kLanes) {
      Vector each[kSharedParts];
      repeat<kSharedParts>(
          [&](auto p) BOOTFOLD_INLINE { each[p] = Vector::load(turned + p * kSharedParts + i); });
      add_parts(each).store(added + i);
    }
    std::memcpy(sums + first, added, std::min(kSharedParts, count - first) * sizeof(float));
  }
}

}  // namespace
}  // namespace bootfold::ensemble::simd
