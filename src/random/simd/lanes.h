// One step of the lanes, for the kernels of this and of later modules. It has internal linkage, so
// that code compiled for one instruction set can never be picked for another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "random/simd/kernels.h"

namespace bootfold::random::simd {
namespace {

/// One step of sfc64 in a local copy of the state, so that it stays in registers.
[[maybe_unused]] inline void next(LaneState& s, std::uint64_t* out) noexcept {
  for (std::size_t lane = 0; lane < 8; ++lane) {
    const std::uint64_t a = s.word[0][lane];
    const std::uint64_t b = s.word[1][lane];
    const std::uint64_t c = s.word[2][lane];
    const std::uint64_t sum = a + b + s.word[3][lane];
    s.word[3][lane] += 1;
    s.word[0][lane] = b ^ (b >> 11);
    s.word[1][lane] = c + (c << 3);
    s.word[2][lane] = ((c << 24) | (c >> 40)) + sum;
    out[lane] = sum;
  }
}

}  // namespace

}  // namespace bootfold::random::simd
