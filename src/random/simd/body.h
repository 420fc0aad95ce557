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

/// -log(u) for u in (0, 1) by single IEEE operations, so that it is the same at every level.
[[maybe_unused]] inline double minus_log(double u) noexcept {
  constexpr double kLog2 = 0x1.62e42fefa39efp-1;
  constexpr double kRoot2 = 0x1.6a09e667f3bcdp0;
  std::uint64_t bits;
  std::memcpy(&bits, &u, sizeof bits);
  const std::uint64_t mantissa_bits = (bits & 0xFFFFFFFFFFFFFU) | 0x3FF0000000000000U;
  double mantissa;
  std::memcpy(&mantissa, &mantissa_bits, sizeof mantissa);
  // The exponent as a double: in the low bits of 2^52 + 1023 + exponent.
  const std::uint64_t exponent_bits = (bits >> 52) | 0x4330000000000000U;
  double exponent;
  std::memcpy(&exponent, &exponent_bits, sizeof exponent);
  exponent -= 0x1p52 + 1023;
  const bool high = mantissa > kRoot2;
  mantissa = high ? mantissa * 0.5 : mantissa;
  exponent = high ? exponent + 1 : exponent;
  // log(m) = 2 atanh(s): |s| < 0.172, so that eleven terms do.
  const double s = (mantissa - 1) / (mantissa + 1);
  const double z = s * s;
  double series = 1.0 / 21;
  for (int k = 19; k > 0; k -= 2) series = series * z + 1.0 / k;
  return -(exponent * kLog2 + 2 * s * series);
}

/// Turns random words that lie in place of the weights into them. `rows` of them count.
[[maybe_unused]] void words_to_exponentials(std::size_t rows, double* weights) noexcept {
  const std::size_t room = (rows + 7) / 8 * 8;
  for (std::size_t i = 0; i < room; ++i) {
    // 52 random bits to an odd multiple of 2^-53.
    std::uint64_t bits;
    std::memcpy(&bits, weights + i, sizeof bits);
    bits = bits >> 12 | 0x3FF0000000000000U;
    double above_one;
    std::memcpy(&above_one, &bits, sizeof above_one);
    weights[i] = minus_log(above_one - (1 - 0x1p-53));
  }
  for (std::size_t i = rows; i < room; ++i) weights[i] = 0;
}

[[maybe_unused]] void draw_exponentials(LaneState& state, std::size_t rows,
                                        double* weights) noexcept {
  LaneState lanes = state;
  for (std::size_t first = 0; first < rows; first += 8) {
    std::uint64_t words[8];
    next(lanes, words);
    std::memcpy(weights + first, words, sizeof words);
  }
  state = lanes;
  words_to_exponentials(rows, weights);
}

}  // namespace

}  // namespace bootfold::random::simd
