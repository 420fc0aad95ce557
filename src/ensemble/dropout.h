// Dropout masks: a pure function of seed, member, step, row of the batch, layer and unit.
//
// The key of a step is the first two words of Philox block (seed, member, Purpose::dropout) at
// position `step`. Units are taken in pairs, layer by layer; pair q of row r has the counter
// r * pairs + q, where `pairs` is the number of pairs of all hidden layers. The counter and the key
// are mixed by two rounds of multiplication and shift into a word, whose lower half belongs to the
// first unit of the pair and whose upper half to the second. A unit is dropped if its half is below
// 65536 times the rate, rounded; so rates are right to 1 / 131072, and the scale of the others is
// the inverse of the share that is kept. The lanes of simd/layers.h make the same words.
#pragma once

#include <cmath>
#include <cstdint>

#include "bootfold/random.h"
#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble {

inline constexpr std::uint32_t kDropoutHalf = 65'536;
// The multipliers of Philox4x32.
inline constexpr std::uint32_t kDropoutFactor1 = 0xD2511F53;
inline constexpr std::uint32_t kDropoutFactor2 = 0xCD9E8D57;

struct DropoutKey {
  std::uint32_t add = 0;
  std::uint32_t mix = 0;
};

[[nodiscard]] inline DropoutKey dropout_key(const MemberId& id, std::uint64_t step) {
  const auto words = random::block({id.seed, id.number, random::Purpose::dropout}, step);
  return {words[0], words[1]};
}

/// `Word` is std::uint32_t or a vector of them.
template <class Word>
inline void dropout_word(const Word& counter, const Word& add, const Word& mix, Word& word) {
  Word x = counter + add;
  x ^= x >> 16;
  x *= kDropoutFactor1;
  x ^= mix;
  x ^= x >> 15;
  x *= kDropoutFactor2;
  word = x ^ (x >> 16);
}

/// Halves of words below this are dropped.
[[nodiscard]] inline std::uint32_t dropout_threshold(double rate) {
  return static_cast<std::uint32_t>(std::lround(rate * kDropoutHalf));
}

/// The factor of units that are kept.
[[nodiscard]] inline float dropout_scale(double rate) {
  return static_cast<float>(kDropoutHalf) /
         static_cast<float>(kDropoutHalf - dropout_threshold(rate));
}

}  // namespace bootfold::ensemble
