// What all levels share: plain loops over fixed numbers of lanes that the compiler vectorises with
// the flags of the including file. Everything has internal linkage, so that code compiled for one
// instruction set can never be picked for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "random/simd/kernels.h"
#include "random/simd/lanes.h"

namespace bootfold::random::simd {
namespace {

/// 2^23 r(x), where log2(1 + x) = x + x (1 - x) r(x): off by at most 0.53 after the product.
constexpr float kLogRest[] = {0x1.c5507p21F,  -0x1.1d270ep21F, 0x1.99e722p20F, -0x1.2cc07ep20F,
                              0x1.823544p19F, -0x1.5a6626p18F, 0x1.2b61d4p16F};
constexpr float kRoundFloat = 0x1.8p23F;  // added, it rounds to an integer in the low bits
/// 2^23 (31 + 127), and what kRoundFloat adds to the bits.
constexpr std::uint32_t kLogOfOne = (158U << 23) + 0x4B400000U;

[[maybe_unused]] void seed_lanes(const Counter& counter, LaneState& lanes) noexcept {
  constexpr std::size_t kCalls = 16;
  std::uint32_t c0[kCalls];
  std::uint32_t c1[kCalls];
  std::uint32_t c2[kCalls];
  std::uint32_t c3[kCalls];
  for (std::size_t i = 0; i < kCalls; ++i) {
    c0[i] = counter.word[0] + static_cast<std::uint32_t>(i);
    c1[i] = counter.word[1];
    c2[i] = counter.word[2];
    c3[i] = counter.word[3];
  }
  std::uint32_t key0 = counter.key[0];
  std::uint32_t key1 = counter.key[1];
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < kCalls; ++i) {
      const std::uint64_t a = std::uint64_t{0xD2511F53U} * c0[i];
      const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * c2[i];
      const std::uint32_t b_high = static_cast<std::uint32_t>(b >> 32) ^ c1[i] ^ key0;
      const std::uint32_t a_high = static_cast<std::uint32_t>(a >> 32) ^ c3[i] ^ key1;
      c0[i] = b_high;
      c1[i] = static_cast<std::uint32_t>(b);
      c2[i] = a_high;
      c3[i] = static_cast<std::uint32_t>(a);
    }
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  // Word w of calls 2 l and 2 l + 1 makes word w of lane l.
  std::memcpy(lanes.word[0], c0, sizeof c0);
  std::memcpy(lanes.word[1], c1, sizeof c1);
  std::memcpy(lanes.word[2], c2, sizeof c2);
  std::memcpy(lanes.word[3], c3, sizeof c3);
}

[[maybe_unused]] void draw_words(LaneState& state, std::size_t steps,
                                 std::uint64_t* words) noexcept {
  LaneState lanes = state;
  for (std::size_t step = 0; step < steps; ++step) next(lanes, words + 8 * step);
  state = lanes;
}

/// The weight of a row from 32 random bits: 2^20 times -log2 of u = (k + 1/2) 2^-30, k being the
/// first 30 of them, rounded to an odd integer. docs/random-streams.md derives it.
///
/// As a float, the odd number 2k + 1 has the integer part of log2 in its exponent, and its mantissa
/// is what follows the point but for log2(1 + x) - x = x (1 - x) r(x), 0 <= x < 1. Single IEEE
/// operations, so that it is the same at every level.
[[maybe_unused]] inline std::uint32_t weight_of(std::uint32_t bits) noexcept {
  const auto odd = static_cast<float>(static_cast<std::int32_t>(bits >> 1 | 1));
  std::uint32_t log;  // 2^23 (log2(odd) + 127), to begin with
  std::memcpy(&log, &odd, sizeof log);
  const std::uint32_t mantissa_bits = (log & 0x7FFFFFU) | 0x3F800000U;
  float mantissa;
  std::memcpy(&mantissa, &mantissa_bits, sizeof mantissa);
  const float x = mantissa - 1;
  float r = kLogRest[6];
  for (int k = 5; k >= 0; --k) r = r * x + kLogRest[k];
  const float rest = x * (2 - mantissa) * r + kRoundFloat;
  std::uint32_t rest_bits;
  std::memcpy(&rest_bits, &rest, sizeof rest_bits);
  return (kLogOfOne - log - rest_bits) >> 3 | 1;
}

/// Turns random words that lie in place of the weights into them. `rows` of them count.
[[maybe_unused]] void words_to_weights(std::size_t rows, std::uint32_t* weights) noexcept {
  const std::size_t room = (rows + kStepWeights - 1) / kStepWeights * kStepWeights;
  for (std::size_t i = 0; i < room; ++i) weights[i] = weight_of(weights[i]);
  for (std::size_t i = rows; i < room; ++i) weights[i] = 0;
}

[[maybe_unused]] void draw_weights(LaneState& state, std::size_t rows,
                                   std::uint32_t* weights) noexcept {
  LaneState lanes = state;
  for (std::size_t first = 0; first < rows; first += kStepWeights) {
    std::uint64_t words[8];
    next(lanes, words);
    for (std::size_t lane = 0; lane < 8; ++lane) {
      weights[first + 2 * lane] = static_cast<std::uint32_t>(words[lane]);
      weights[first + 2 * lane + 1] = static_cast<std::uint32_t>(words[lane] >> 32);
    }
  }
  state = lanes;
  words_to_weights(rows, weights);
}

}  // namespace

}  // namespace bootfold::random::simd
