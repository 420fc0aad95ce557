// States of lanes: of a stream, or such that they give chosen words, which lead the kernels into
// every corner.
#pragma once

#include <array>
#include <bit>
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
/// xoshiro256++ gives rotl(s0 + s3, 23) + s0. With s1 = s0 ^ s3 the next s0 is 0 and the next s3 is
/// rotl(s0, 45), so the second word is rotl(s0, 45 + 23): both equations can be solved.
inline LaneState crafted(const Bytes& first, const Bytes& second) {
  std::array<std::uint64_t, 8> one;
  std::array<std::uint64_t, 8> two;
  std::memcpy(one.data(), first.data(), sizeof one);
  std::memcpy(two.data(), second.data(), sizeof two);
  LaneState state;
  for (std::size_t lane = 0; lane < 8; ++lane) {
    const std::uint64_t s0 = std::rotr(two[lane], 4);
    const std::uint64_t s3 = std::rotr(one[lane] - s0, 23) - s0;
    state.word[0][lane] = s0;
    state.word[1][lane] = s0 ^ s3;
    state.word[2][lane] = 0x0123456789ABCDEFU * (lane + 1);
    state.word[3][lane] = s3;
  }
  return state;
}

}  // namespace bootfold::random::simd
