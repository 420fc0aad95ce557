// States of lanes: of a stream, or such that they give chosen words, which lead the kernels into
// every corner.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "bootfold/random.h"
#include "random/lane_access.h"
#include "random/simd/kernels.h"

namespace bootfold::random::simd {

/// The state of a lane stream.
inline LaneState lane_state(const StreamId& id, std::uint64_t number) {
  const Lanes lanes(id, number);
  LaneState state;
  std::memcpy(state.word, LaneAccess::state(lanes), sizeof state.word);
  return state;
}

inline bool operator==(const LaneState& a, const LaneState& b) {
  return std::memcmp(a.word, b.word, sizeof a.word) == 0;
}

using Bytes = std::array<std::uint8_t, 64>;  ///< one word of each of the eight lanes

/// A state whose next words are `first` and then `second`.
///
/// sfc64 gives a + b + counter, and then (b ^ b >> 11) + 9 c + counter + 1: a and c can be solved
/// for.
inline LaneState crafted(const Bytes& first, const Bytes& second) {
  std::array<std::uint64_t, 8> one;
  std::array<std::uint64_t, 8> two;
  std::memcpy(one.data(), first.data(), sizeof one);
  std::memcpy(two.data(), second.data(), sizeof two);
  constexpr std::uint64_t kOneNinth = 0x8E38E38E38E38E39U;  // modulo 2^64
  LaneState state;
  for (std::size_t lane = 0; lane < 8; ++lane) {
    const std::uint64_t b = 0x0123456789ABCDEFU * (lane + 1);
    const std::uint64_t counter = 0xFEDCBA9876543210U + lane;
    state.word[0][lane] = one[lane] - b - counter;
    state.word[1][lane] = b;
    state.word[2][lane] = (two[lane] - (b ^ b >> 11) - counter - 1) * kOneNinth;
    state.word[3][lane] = counter;
  }
  return state;
}

}  // namespace bootfold::random::simd
