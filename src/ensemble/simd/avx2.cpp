// Kernels for AVX2 with fused multiply-add: 8 networks side by side.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "bootfold/ensemble/network.h"

namespace bootfold::ensemble::simd {
namespace {

struct Vector {
  static constexpr std::size_t kLanes = 8;
  __m256 v;

  static Vector load(const float* from) { return {_mm256_loadu_ps(from)}; }
  static Vector all(float value) { return {_mm256_set1_ps(value)}; }
  static Vector zero() { return {_mm256_setzero_ps()}; }
  void store(float* to) const { _mm256_storeu_ps(to, v); }
};

constexpr std::size_t kTileRows = 1;     // of 8 rows of the data: 8 sums in registers
constexpr std::size_t kTileColumns = 3;  // of 3: 9 sums
constexpr std::size_t kPanel = 2;        // vectors side by side in a product of matrices
constexpr std::size_t kSums = 12;        // sums of it in registers

inline Vector operator+(Vector a, Vector b) { return {_mm256_add_ps(a.v, b.v)}; }
inline Vector operator-(Vector a, Vector b) { return {_mm256_sub_ps(a.v, b.v)}; }
inline Vector operator*(Vector a, Vector b) { return {_mm256_mul_ps(a.v, b.v)}; }
inline Vector operator/(Vector a, Vector b) { return {_mm256_div_ps(a.v, b.v)}; }
/// a b + c and c - a b, rounded once.
inline Vector fused(Vector a, Vector b, Vector c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
inline Vector fused_minus(Vector a, Vector b, Vector c) {
  return {_mm256_fnmadd_ps(a.v, b.v, c.v)};
}
/// The same vector, kept in a register: otherwise the compiler loads it again for each use.
inline Vector in_register(Vector a) {
  asm("" : "+v"(a.v));
  return a;
}
/// Has the vector computed before what follows: otherwise the compiler may put sums off, and spill
/// their terms.
inline void settle(Vector& a) { asm volatile("" : "+v"(a.v)); }
inline Vector sqrt(Vector a) { return {_mm256_sqrt_ps(a.v)}; }
/// The second argument if one is NaN.
inline Vector max(Vector a, Vector b) { return {_mm256_max_ps(a.v, b.v)}; }
inline Vector min(Vector a, Vector b) { return {_mm256_min_ps(a.v, b.v)}; }

inline Vector less(Vector a, Vector b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)}; }
inline Vector equal(Vector a, Vector b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_EQ_OQ)}; }
inline Vector select(Vector mask, Vector yes, Vector no) {
  return {_mm256_blendv_ps(no.v, yes.v, mask.v)};
}
/// select(mask, a, 0).
inline Vector keep(Vector mask, Vector a) { return {_mm256_and_ps(mask.v, a.v)}; }

/// 2^n for whole numbers from -126 to 127.
inline Vector power_of_two(Vector n) {
  const __m256i bits = _mm256_add_epi32(_mm256_cvtps_epi32(n.v), _mm256_set1_epi32(127));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(bits, 23))};
}
/// Significand in [1, 2) and exponent of positive normal numbers.
inline Vector significand(Vector a) {
  const __m256i bits = _mm256_and_si256(_mm256_castps_si256(a.v), _mm256_set1_epi32(0x7FFFFF));
  return {_mm256_castsi256_ps(_mm256_or_si256(bits, _mm256_set1_epi32(0x3F800000)))};
}
inline Vector exponent(Vector a) {
  const __m256i bits = _mm256_srli_epi32(_mm256_castps_si256(a.v), 23);
  return {_mm256_cvtepi32_ps(_mm256_sub_epi32(bits, _mm256_set1_epi32(127)))};
}

}  // namespace
}  // namespace bootfold::ensemble::simd

#include "ensemble/simd/carryless_x86.h"
#include "ensemble/simd/columns.h"
#include "ensemble/simd/pack.h"
#include "ensemble/simd/points.h"
#include "ensemble/simd/shared.h"
#include "ensemble/simd/solo.h"

namespace bootfold::ensemble::simd {

const Kernels kAvx2 = {.lanes = kLanes,
                       .columns = {add_means, add_squares, standardize, checksum},
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
