// What the levels neon and dotprod share: all kernels but the dot product. Everything has internal
// linkage, so that code compiled for one instruction set can never be picked for another.
#pragma once

#include <arm_neon.h>

#include "random/simd/lanes_neon.h"
#include "resample/simd/row_step_neon.h"
#include "study/simd/body.h"
//
#include "study/simd/gather_draws.h"

namespace bootfold::study::simd {
namespace {

using random::simd::Generator;
using resample::simd::RowStep;

/// Three rounds of separating even from odd bytes turn 16 numbers of eight bytes into eight planes
/// of 16 bytes. Round r puts the registers whose digits have bit r behind those that have not.
void split_sixteen(const std::int64_t* integers, uint64x2_t bias, std::size_t digits,
                   std::int8_t* planes, std::size_t plane_stride) noexcept {
  uint8x16_t part[8];
  for (int i = 0; i < 8; ++i)
    part[i] =
        vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_s64(vld1q_s64(integers + 2 * i)), bias));
  for (int round = 0; round < 3; ++round) {
    uint8x16_t next[8];
    for (int i = 0; i < 4; ++i) {
      next[i] = vuzp1q_u8(part[2 * i], part[2 * i + 1]);
      next[4 + i] = vuzp2q_u8(part[2 * i], part[2 * i + 1]);
    }
    for (int i = 0; i < 8; ++i) part[i] = next[i];
  }
  for (std::size_t d = 0; d < digits; ++d)
    vst1q_s8(planes + d * plane_stride, vreinterpretq_s8_u8(veorq_u8(part[d], vdupq_n_u8(0x80))));
}

[[maybe_unused]] void split_at_once(const std::int64_t* integers, std::size_t rows,
                                    std::size_t digits, std::int8_t* planes,
                                    std::size_t plane_stride) noexcept {
  const uint64x2_t bias = vdupq_n_u64(0x8080808080808080U >> (64 - 8 * digits));
  std::size_t i = 0;
  for (; i + 16 <= rows; i += 16)
    split_sixteen(integers + i, bias, digits, planes + i, plane_stride);
  split_integers(integers + i, rows - i, digits, planes + i, plane_stride);
}

/// Steps that count as a whole, for one feature: the sums stay in registers.
void gather_one(Generator& generator, const RowDraw& draw, std::size_t steps,
                const std::int64_t* feature, std::int64_t* sums, std::uint32_t* rejected,
                std::size_t& rejections) noexcept {
  int64x2_t sum[8];
  for (int k = 0; k < 8; ++k) sum[k] = vld1q_s64(sums + 2 * k);
  for (std::size_t at = 0; at < steps; ++at) {
    const RowStep step(generator, draw);
    const bool rejecting = step.any_rejected();
    for (int h = 0; h < 4; ++h) {
      const uint64x2_t first = vreinterpretq_u64_u32(step.rows[h]);
      for (int half = 0; half < 2; ++half) {
        const std::uint64_t pair = half == 0 ? vgetq_lane_u64(first, 0) : vgetq_lane_u64(first, 1);
        int64x2_t add = vcombine_s64(vld1_s64(feature + static_cast<std::uint32_t>(pair)),
                                     vld1_s64(feature + (pair >> 32)));
        if (rejecting) [[unlikely]] {
          const uint32x2_t out =
              half == 0 ? vget_low_u32(step.rejected[h]) : vget_high_u32(step.rejected[h]);
          add = vbicq_s64(add, vmovl_s32(vreinterpret_s32_u32(out)));
        }
        sum[2 * h + half] = vaddq_s64(sum[2 * h + half], add);
      }
    }
    if (rejecting) [[unlikely]] {
      std::uint32_t out[kStepDraws];
      step.store_rejected(out);
      for (std::size_t i = 0; i < kStepDraws; ++i)
        if (out[i] != 0) rejected[rejections++] = static_cast<std::uint32_t>(at * kStepDraws + i);
    }
  }
  for (int k = 0; k < 8; ++k) vst1q_s64(sums + 2 * k, sum[k]);
}

/// The sums of one feature stay in registers too, over whole steps.
[[maybe_unused]] void gather(LaneState& state, const RowDraw& draw, std::size_t steps,
                             std::size_t last_lanes, const std::int64_t* features,
                             std::size_t feature_stride, std::size_t feature_count,
                             std::int64_t* sums, std::uint32_t* rejected,
                             std::size_t& rejections) noexcept {
  if (feature_count != 1) {
    gather_at_once(state, draw, steps, last_lanes, features, feature_stride, feature_count, sums,
                   rejected, rejections);
    return;
  }
  const std::size_t whole = last_lanes == kStepDraws ? steps : steps - 1;
  rejections = 0;
  Generator generator(state);
  gather_one(generator, draw, whole, features, sums, rejected, rejections);
  generator.save(state);
  if (whole == steps) return;
  std::size_t last_rejections = 0;
  gather_at_once(state, draw, 1, last_lanes, features, feature_stride, 1, sums,
                 rejected + rejections, last_rejections);
  for (std::size_t i = 0; i < last_rejections; ++i)
    rejected[rejections + i] += static_cast<std::uint32_t>(whole * kStepDraws);
  rejections += last_rejections;
}

/// The sum of the counts of a replicate.
[[maybe_unused]] std::uint64_t total(const std::uint8_t* counts, std::size_t rows) noexcept {
  uint32x4_t sum = vdupq_n_u32(0);
  for (std::size_t i = 0; i < rows; i += kStepRows) {
    // Eight counts of at most 31 fit a byte.
    uint8x16_t bytes = vld1q_u8(counts + i);
    for (std::size_t v = 1; v < 8; ++v) bytes = vaddq_u8(bytes, vld1q_u8(counts + i + 16 * v));
    sum = vpadalq_u16(sum, vpaddlq_u8(bytes));
  }
  return vaddlvq_u32(sum);
}

/// Calls block<replicates, planes>(first replicate, first plane) so that all are covered, with up
/// to kReplicates replicates and four planes at a time.
template <int kReplicates, class Block>
void cover(std::size_t replicates, std::size_t plane_count, const Block& block) noexcept {
  const auto some = [&]<int kPlanes>(std::size_t p) {
    std::size_t r = 0;
    for (; r + kReplicates <= replicates; r += kReplicates)
      block.template operator()<kReplicates, kPlanes>(r, p);
    for (; r < replicates; ++r) block.template operator()<1, kPlanes>(r, p);
  };
  std::size_t p = 0;
  for (; p + 4 <= plane_count; p += 4) some.template operator()<4>(p);
  if (p + 2 <= plane_count) {
    some.template operator()<2>(p);
    p += 2;
  }
  if (p < plane_count) some.template operator()<1>(p);
}

}  // namespace

}  // namespace bootfold::study::simd
