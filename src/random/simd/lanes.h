// One step of the lanes, for the kernels of this and of later modules. It has internal linkage, so
// that code compiled for one instruction set can never be picked for another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "random/simd/kernels.h"

namespace bootfold::random::simd {
namespace {

/// xoshiro256++ in a local copy of the state, so that it stays in registers.
[[maybe_unused]] inline void next(LaneState& s, std::uint64_t* out) noexcept {
  for (std::size_t lane = 0; lane < 8; ++lane) {
    const std::uint64_t sum = s.word[0][lane] + s.word[3][lane];
    out[lane] = ((sum << 23) | (sum >> 41)) + s.word[0][lane];
    const std::uint64_t shifted = s.word[1][lane] << 17;
    s.word[2][lane] ^= s.word[0][lane];
    s.word[3][lane] ^= s.word[1][lane];
    s.word[1][lane] ^= s.word[2][lane];
    s.word[0][lane] ^= s.word[3][lane];
    s.word[2][lane] ^= shifted;
    s.word[3][lane] = (s.word[3][lane] << 45) | (s.word[3][lane] >> 19);
  }
}

}  // namespace

}  // namespace bootfold::random::simd
