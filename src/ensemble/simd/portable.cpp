// Kernels in plain C++: the reference that the other levels must equal to the bit. Where the
// processor has no fused multiply-add, std::fma is a slow call.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bootfold/ensemble/network.h"

namespace bootfold::ensemble::simd {
namespace {

struct Vector {
  static constexpr std::size_t kLanes = 8;
  float v[kLanes];

  static Vector load(const float* from) {
    Vector out;
    std::memcpy(out.v, from, sizeof out.v);
    return out;
  }
  static Vector all(float value) {
    return make([&](std::size_t) { return value; });
  }
  static Vector zero() { return all(0); }
  void store(float* to) const { std::memcpy(to, v, sizeof v); }

  template <class Value>
  static Vector make(Value&& value) {
    Vector out;
    for (std::size_t i = 0; i < kLanes; ++i) out.v[i] = value(i);
    return out;
  }
};

struct Mask {
  bool v[Vector::kLanes];
};

constexpr std::size_t kTileRows = 1;
constexpr std::size_t kTileColumns = 2;
constexpr std::size_t kPanel = 1;  // vectors side by side in a product of matrices
constexpr std::size_t kSums = 4;   // sums of it in registers

inline Vector operator+(const Vector& a, const Vector& b) {
  return Vector::make([&](std::size_t i) { return a.v[i] + b.v[i]; });
}
inline Vector operator-(const Vector& a, const Vector& b) {
  return Vector::make([&](std::size_t i) { return a.v[i] - b.v[i]; });
}
inline Vector operator*(const Vector& a, const Vector& b) {
  return Vector::make([&](std::size_t i) { return a.v[i] * b.v[i]; });
}
inline Vector operator/(const Vector& a, const Vector& b) {
  return Vector::make([&](std::size_t i) { return a.v[i] / b.v[i]; });
}
/// a b + c and c - a b, rounded once.
inline Vector fused(const Vector& a, const Vector& b, const Vector& c) {
  return Vector::make([&](std::size_t i) { return std::fma(a.v[i], b.v[i], c.v[i]); });
}
inline Vector fused_minus(const Vector& a, const Vector& b, const Vector& c) {
  return Vector::make([&](std::size_t i) { return std::fma(-a.v[i], b.v[i], c.v[i]); });
}
inline Vector in_register(Vector a) { return a; }
inline void settle(Vector&) {}
inline Vector sqrt(const Vector& a) {
  return Vector::make([&](std::size_t i) { return std::sqrt(a.v[i]); });
}
/// The second argument if one is NaN.
inline Vector max(const Vector& a, const Vector& b) {
  return Vector::make([&](std::size_t i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
inline Vector min(const Vector& a, const Vector& b) {
  return Vector::make([&](std::size_t i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}

inline Mask less(const Vector& a, const Vector& b) {
  Mask out;
  for (std::size_t i = 0; i < Vector::kLanes; ++i) out.v[i] = a.v[i] < b.v[i];
  return out;
}
inline Mask equal(const Vector& a, const Vector& b) {
  Mask out;
  for (std::size_t i = 0; i < Vector::kLanes; ++i) out.v[i] = a.v[i] == b.v[i];
  return out;
}
inline Vector select(const Mask& mask, const Vector& yes, const Vector& no) {
  return Vector::make([&](std::size_t i) { return mask.v[i] ? yes.v[i] : no.v[i]; });
}
/// select(mask, a, 0).
inline Vector keep(const Mask& mask, const Vector& a) { return select(mask, a, Vector::zero()); }

inline float from_bits(std::uint32_t bits) {
  float out;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}
inline std::uint32_t to_bits(float value) {
  std::uint32_t out;
  std::memcpy(&out, &value, sizeof out);
  return out;
}

/// 2^n for whole numbers from -126 to 127. Any value for NaN: the other factor is NaN too.
inline Vector power_of_two(const Vector& n) {
  return Vector::make([&](std::size_t i) {
    const int whole = n.v[i] == n.v[i] ? static_cast<int>(n.v[i]) : 0;
    return from_bits(static_cast<std::uint32_t>(whole + 127) << 23);
  });
}
/// Significand in [1, 2) and exponent of positive normal numbers.
inline Vector significand(const Vector& a) {
  return Vector::make(
      [&](std::size_t i) { return from_bits((to_bits(a.v[i]) & 0x7FFFFFU) | 0x3F800000U); });
}
inline Vector exponent(const Vector& a) {
  return Vector::make([&](std::size_t i) {
    return static_cast<float>(static_cast<int>(to_bits(a.v[i]) >> 23) - 127);
  });
}

}  // namespace
}  // namespace bootfold::ensemble::simd

#include "ensemble/simd/columns.h"
#include "ensemble/simd/pack.h"
#include "ensemble/simd/points.h"
#include "ensemble/simd/shared.h"
#include "ensemble/simd/solo.h"

namespace bootfold::ensemble::simd {

const Kernels kPortable = {.lanes = kLanes,
                           .columns = {add_means, add_squares, standardize, nullptr},
                           .gradient = loss_of<true>,
                           .loss = loss_of<false>,
                           .solo_loss = solo_loss,
                           .solo_gradient = solo_gradient,
                           .solo_step = solo_step,
                           .squares = squares,
                           .update = update,
                           .average = average,
                           .shared_weights = shared_weights,
                           .shared_gradient = shared_gradient,
                           .add_shared_parts = add_shared_parts,
                           .predict_points = predict_points,
                           .gather_points = gather_points,
                           .sum_classes = sum_classes,
                           .sum_members = sum_members,
                           .sums_near = sums_near,
                           .exp = exp_of,
                           .log = log_of,
                           .activate = activation_of};

}  // namespace bootfold::ensemble::simd
