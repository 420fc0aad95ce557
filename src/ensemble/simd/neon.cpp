// Kernels for NEON: 4 networks side by side.
#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "bootfold/ensemble/network.h"

namespace bootfold::ensemble::simd {
namespace {

struct Vector {
  static constexpr std::size_t kLanes = 4;
  float32x4_t v;

  static Vector load(const float* from) { return {vld1q_f32(from)}; }
  static Vector all(float value) { return {vdupq_n_f32(value)}; }
  static Vector zero() { return all(0); }
  void store(float* to) const { vst1q_f32(to, v); }
};

struct Mask {
  uint32x4_t v;  // all bits of a lane or none
};

// There are 32 registers, as with AVX-512.
constexpr std::size_t kTileRows = 2;     // of 8 rows of the data: 16 sums in registers
constexpr std::size_t kTileColumns = 4;  // of 4: 16 sums
constexpr std::size_t kPanel = 4;        // vectors side by side in a product of matrices
constexpr std::size_t kSums = 24;        // sums of it in registers

inline Vector operator+(Vector a, Vector b) { return {vaddq_f32(a.v, b.v)}; }
inline Vector operator-(Vector a, Vector b) { return {vsubq_f32(a.v, b.v)}; }
inline Vector operator*(Vector a, Vector b) { return {vmulq_f32(a.v, b.v)}; }
inline Vector operator/(Vector a, Vector b) { return {vdivq_f32(a.v, b.v)}; }
/// a b + c and c - a b, rounded once.
inline Vector fused(Vector a, Vector b, Vector c) { return {vfmaq_f32(c.v, a.v, b.v)}; }
inline Vector fused_minus(Vector a, Vector b, Vector c) { return {vfmsq_f32(c.v, a.v, b.v)}; }
/// The same vector, kept in a register: otherwise the compiler loads it again for each use.
inline Vector in_register(Vector a) {
  asm("" : "+w"(a.v));
  return a;
}
inline void settle(Vector&) {}
inline Vector sqrt(Vector a) { return {vsqrtq_f32(a.v)}; }

inline Mask less(Vector a, Vector b) { return {vcltq_f32(a.v, b.v)}; }
inline Mask equal(Vector a, Vector b) { return {vceqq_f32(a.v, b.v)}; }
inline Vector select(Mask mask, Vector yes, Vector no) { return {vbslq_f32(mask.v, yes.v, no.v)}; }
/// select(mask, a, 0).
inline Vector keep(Mask mask, Vector a) { return select(mask, a, Vector::zero()); }
/// The second argument if one is NaN, which the instructions fmax and fmin do not give.
inline Vector max(Vector a, Vector b) { return select(less(b, a), a, b); }
inline Vector min(Vector a, Vector b) { return select(less(a, b), a, b); }

/// 2^n for whole numbers from -126 to 127.
inline Vector power_of_two(Vector n) {
  const int32x4_t bits = vaddq_s32(vcvtnq_s32_f32(n.v), vdupq_n_s32(127));
  return {vreinterpretq_f32_s32(vshlq_n_s32(bits, 23))};
}
/// Significand in [1, 2) and exponent of positive normal numbers.
inline Vector significand(Vector a) {
  const uint32x4_t bits = vandq_u32(vreinterpretq_u32_f32(a.v), vdupq_n_u32(0x7FFFFF));
  return {vreinterpretq_f32_u32(vorrq_u32(bits, vdupq_n_u32(0x3F800000)))};
}
inline Vector exponent(Vector a) {
  const uint32x4_t bits = vshrq_n_u32(vreinterpretq_u32_f32(a.v), 23);
  return {vcvtq_f32_s32(vsubq_s32(vreinterpretq_s32_u32(bits), vdupq_n_s32(127)))};
}

}  // namespace
}  // namespace bootfold::ensemble::simd

#include "ensemble/simd/columns.h"
#include "ensemble/simd/pack.h"
#include "ensemble/simd/points.h"
#include "ensemble/simd/shared.h"
#include "ensemble/simd/solo.h"

namespace bootfold::ensemble::simd {

const Kernels kNeon = {.lanes = kLanes,
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
