// The kernels, once; each instruction set compiles them with flags of its own. Arithmetic is lane
// by lane and never fused, so the bits are the same everywhere.
#pragma once

#include <cstring>

#include "exact/simd/kernels.h"

namespace bootfold::exact::simd {

namespace {

using Vector [[gnu::vector_size(kLanes * sizeof(double))]] = double;

inline void load(Vector& out, const double* from) { std::memcpy(&out, from, sizeof out); }

inline double folded(const Vector& v) {
  return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

void sum_block(const Waves& waves, double* real, double* imaginary) {
  Vector real_sums[kBlock] = {};
  Vector imaginary_sums[kBlock] = {};
  for (std::size_t row = 0; row < waves.rows; row += kLanes) {
    Vector re;
    Vector im;
    Vector re1;
    Vector im1;
    Vector weight;
    load(re, waves.real + row);
    load(im, waves.imaginary + row);
    load(re1, waves.real1 + row);
    load(im1, waves.imaginary1 + row);
    load(weight, waves.weights + row);
    for (std::size_t k = 0; k < kBlock; ++k) {
      real_sums[k] += weight * re;
      imaginary_sums[k] += weight * im;
      // z_(k+1) = z_k + z_k z_1 + z_1
      const Vector next = re + (re * re1 - im * im1) + re1;
      im = im + (re * im1 + im * re1) + im1;
      re = next;
    }
  }
  for (std::size_t k = 0; k < kBlock; ++k) {
    real[k] = folded(real_sums[k]);
    imaginary[k] = folded(imaginary_sums[k]);
  }
}

double sum_cosines(const Cosines& cosines) {
  Vector sum = {};
  for (std::size_t p = 0; p < cosines.size; p += kLanes) {
    Vector now;
    Vector next;
    Vector factor;
    load(now, cosines.now + p);
    load(next, cosines.next + p);
    load(factor, cosines.factor + p);
    sum += now < 0 ? -now : now;
    const Vector after = factor * next - now;
    std::memcpy(cosines.now + p, &next, sizeof next);
    std::memcpy(cosines.next + p, &after, sizeof after);
  }
  return folded(sum);
}

}  // namespace

}  // namespace bootfold::exact::simd
