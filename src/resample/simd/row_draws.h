// Row numbers drawn by the Generator and the RowStep of an instruction set, whose headers come
// before this one. Everything has internal linkage.
#pragma once

#include "resample/simd/body.h"

namespace bootfold::resample::simd {
namespace {

using random::simd::Generator;

[[maybe_unused]] void draw_top_up_at_once(LaneState& state, const RowDraw& draw, std::size_t draws,
                                          std::uint32_t* rows) noexcept {
  Generator generator(state);
  for (std::size_t made = 0; made < draws;) {
    const RowStep step(generator, draw);
    if (!step.any_rejected()) [[likely]] {
      step.store_rows(rows + made);  // there is room for the surplus of the last step
      made += kStepDraws;
      continue;
    }
    std::uint32_t drawn[kStepDraws];
    std::uint32_t rejected[kStepDraws];
    step.store_rows(drawn);
    step.store_rejected(rejected);
    for (std::size_t i = 0; i < kStepDraws && made < draws; ++i) {
      rows[made] = drawn[i];
      made += static_cast<std::size_t>(rejected[i] == 0);
    }
  }
  generator.save(state);
}

[[maybe_unused]] void draw_rows_at_once(LaneState& state, const RowDraw& draw, std::size_t draws,
                                        std::uint32_t* rows, std::uint32_t* rejected,
                                        std::size_t& rejections) noexcept {
  Generator generator(state);
  rejections = 0;
  for (std::size_t first = 0; first < draws; first += kStepDraws) {
    const RowStep step(generator, draw);
    step.store_rows(rows + first);
    if (!step.any_rejected()) [[likely]]
      continue;
    std::uint32_t out[kStepDraws];
    step.store_rejected(out);
    for (std::size_t i = 0; i < kStepDraws && first + i < draws; ++i)
      if (out[i] != 0) rejected[rejections++] = static_cast<std::uint32_t>(first + i);
  }
  generator.save(state);
}

}  // namespace

}  // namespace bootfold::resample::simd
