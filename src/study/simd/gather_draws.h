// Features gathered by the Generator and the RowStep of an instruction set, whose headers come
// before this one. Everything has internal linkage.
#pragma once

#include "study/simd/body.h"

namespace bootfold::study::simd {
namespace {

/// gather_features with the draws in registers.
[[maybe_unused]] void gather_at_once(LaneState& state, const RowDraw& draw, std::size_t steps,
                                     std::size_t last_lanes, const std::int64_t* features,
                                     std::size_t feature_stride, std::size_t feature_count,
                                     std::int64_t* sums, std::uint32_t* rejected,
                                     std::size_t& rejections) noexcept {
  random::simd::Generator generator(state);
  std::uint32_t rows[kStepDraws];
  rejections = 0;
  for (std::size_t at = 0; at < steps; ++at) {
    const resample::simd::RowStep step(generator, draw);
    step.store_rows(rows);
    const std::size_t used = at + 1 == steps ? last_lanes : kStepDraws;
    if (used == kStepDraws && !step.any_rejected()) [[likely]] {
      for (std::size_t f = 0; f < feature_count; ++f)
        for (std::size_t i = 0; i < kStepDraws; ++i)
          sums[f * kStepDraws + i] += features[f * feature_stride + rows[i]];
      continue;
    }
    std::uint32_t out[kStepDraws];
    step.store_rejected(out);
    for (std::size_t i = 0; i < used; ++i) {
      if (out[i] != 0) {
        rejected[rejections++] = static_cast<std::uint32_t>(at * kStepDraws + i);
        continue;
      }
      for (std::size_t f = 0; f < feature_count; ++f)
        sums[f * kStepDraws + i] += features[f * feature_stride + rows[i]];
    }
  }
  generator.save(state);
}

}  // namespace

}  // namespace bootfold::study::simd
