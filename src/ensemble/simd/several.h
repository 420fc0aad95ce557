// Several vectors that go through the same operations side by side. The steps of a long chain, as
// in an exponential, wait for each other; those of different vectors do not.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include "ensemble/simd/tiles.h"

namespace bootfold::ensemble::simd {
namespace {

template <std::size_t kCount>
struct Several {
  Vector v[kCount];

  template <class Make>
  BOOTFOLD_INLINE static Several make(Make&& make_one) {
    Several out;
    repeat<kCount>([&](auto i) BOOTFOLD_INLINE { out.v[i] = make_one(i); });
    return out;
  }
  BOOTFOLD_INLINE static Several all(float value) {
    const Vector one = Vector::all(value);
    return make([&](std::size_t) BOOTFOLD_INLINE { return one; });
  }
  BOOTFOLD_INLINE static Several zero() { return all(0); }
  /// Contiguous vectors.
  BOOTFOLD_INLINE static Several load(const float* from) {
    return make([&](std::size_t i) BOOTFOLD_INLINE { return Vector::load(from + i * kLanes); });
  }
  BOOTFOLD_INLINE void store(float* to) const {
    repeat<kCount>([&](auto i) BOOTFOLD_INLINE { v[i].store(to + i * kLanes); });
  }
};

template <std::size_t kCount>
struct SeveralMasks {
  decltype(less(Vector{}, Vector{})) v[kCount];
};

#define BOOTFOLD_EACH(expression) \
  Several<kCount>::make([&](std::size_t i) BOOTFOLD_INLINE { return expression; })

template <std::size_t kCount>
BOOTFOLD_INLINE inline Several<kCount> operator+(Several<kCount> a, Several<kCount> b) {
  return BOOTFOLD_EACH(a.v[i] + b.v[i]);
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline Several<kCount> operator-(Several<kCount> a, Several<kCount> b) {
  return BOOTFOLD_EACH(a.v[i] - b.v[i]);
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline Several<kCount> operator*(Several<kCount> a, Several<kCount> b) {
  return BOOTFOLD_EACH(a.v[i] * b.v[i]);
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline Several<kCount> operator/(Several<kCount> a, Several<kCount> b) {
  return BOOTFOLD_EACH(a.v[i] / b.v[i]);
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline Several<kCount> fused(Several<kCount> a, Several<kCount> b,
                                             Several<kCount> c) {
  return BOOTFOLD_EACH(fused(a.v[i], b.v[i], c.v[i]));
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline Several<kCount> fused_minus(Several<kCount> a, Several<kCount> b,
                                                   Several<kCount> c) {
  return BOOTFOLD_EACH(fused_minus(a.v[i], b.v[i], c.v[i]));
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline Several<kCount> max(Several<kCount> a, Several<kCount> b) {
  return BOOTFOLD_EACH(max(a.v[i], b.v[i]));
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline Several<kCount> min(Several<kCount> a, Several<kCount> b) {
  return BOOTFOLD_EACH(min(a.v[i], b.v[i]));
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline Several<kCount> power_of_two(Several<kCount> n) {
  return BOOTFOLD_EACH(power_of_two(n.v[i]));
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline Several<kCount> significand(Several<kCount> a) {
  return BOOTFOLD_EACH(significand(a.v[i]));
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline Several<kCount> exponent(Several<kCount> a) {
  return BOOTFOLD_EACH(exponent(a.v[i]));
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline SeveralMasks<kCount> less(Several<kCount> a, Several<kCount> b) {
  SeveralMasks<kCount> out;
  repeat<kCount>([&](auto i) BOOTFOLD_INLINE { out.v[i] = less(a.v[i], b.v[i]); });
  return out;
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline SeveralMasks<kCount> equal(Several<kCount> a, Several<kCount> b) {
  SeveralMasks<kCount> out;
  repeat<kCount>([&](auto i) BOOTFOLD_INLINE { out.v[i] = equal(a.v[i], b.v[i]); });
  return out;
}
template <std::size_t kCount>
BOOTFOLD_INLINE inline Several<kCount> select(SeveralMasks<kCount> mask, Several<kCount> yes,
                                              Several<kCount> no) {
  return BOOTFOLD_EACH(select(mask.v[i], yes.v[i], no.v[i]));
}

#undef BOOTFOLD_EACH

}  // namespace
}  // namespace bootfold::ensemble::simd
