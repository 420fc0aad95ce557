// What all levels share: plain loops over fixed numbers of lanes that the compiler vectorises with
// the flags of the including file. Everything has internal linkage, so that code compiled for one
// instruction set can never be picked for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "execution/simd/kernels.h"

namespace bootfold::execution::simd {
namespace {

constexpr std::size_t kStepRows = 64;   // rows of a counts step
constexpr std::size_t kStepDraws = 16;  // row numbers of a draw step

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

[[maybe_unused]] void draw_words(LaneState& state, std::size_t steps,
                                 std::uint64_t* words) noexcept {
  LaneState lanes = state;
  for (std::size_t step = 0; step < steps; ++step) next(lanes, words + 8 * step);
  state = lanes;
}

[[maybe_unused]] void quantize_values(const double* values, std::size_t rows,
                                      const FixedPoint& point, std::int64_t* integers) noexcept {
  // Adding 1.5 * 2^52 rounds to an integer (half to even) that then stands in the low bits. In two
  // steps of 28 bits, because the integers have up to 55.
  constexpr double kRound = 0x1.8p52;
  for (std::size_t i = 0; i < rows; ++i) {
    const double v = (values[i] - point.centre) * point.scale * point.rescale;
    const double high = (v * 0x1p-28 + kRound) - kRound;
    const double low = v - high * 0x1p28;
    const double high_bits = high + kRound;
    const double low_bits = low + kRound;
    std::int64_t h;
    std::int64_t l;
    std::memcpy(&h, &high_bits, sizeof h);
    std::memcpy(&l, &low_bits, sizeof l);
    constexpr std::int64_t kBias = 0x4338000000000000;  // the bits of kRound
    integers[i] = (h - kBias) * (std::int64_t{1} << 28) + (l - kBias);
  }
}

[[maybe_unused]] void split_integers(const std::int64_t* integers, std::size_t rows,
                                     std::size_t digits, std::int8_t* planes,
                                     std::size_t plane_stride) noexcept {
  // With 128 added to every digit they are the bytes of an ordinary number.
  const std::uint64_t bias = 0x8080808080808080U >> (64 - 8 * digits);
  for (std::size_t d = 0; d < digits; ++d) {
    std::int8_t* plane = planes + d * plane_stride;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint64_t biased = static_cast<std::uint64_t>(integers[i]) + bias;
      plane[i] = static_cast<std::int8_t>(static_cast<std::uint8_t>(biased >> (8 * d)) ^ 0x80U);
    }
  }
}

/// Clears what a step drew for rows that do not exist and returns what it counted for them.
[[maybe_unused]] std::uint64_t clear_tail(std::uint8_t* counts, std::size_t rows, OpenRow* open,
                                          std::size_t& open_rows) noexcept {
  std::uint64_t cleared = 0;
  for (std::size_t i = rows; i % kStepRows != 0; ++i) {
    cleared += counts[i];
    counts[i] = 0;
  }
  while (open_rows > 0 && open[open_rows - 1].row >= rows) --open_rows;
  return cleared;
}

/// The row numbers of one step.
[[maybe_unused]] inline void draw_step(LaneState& lanes, const RowDraw& draw, std::uint32_t* rows,
                                       std::uint32_t* low) noexcept {
  std::uint64_t words[8];
  next(lanes, words);
  std::uint32_t bits[kStepDraws];
  std::memcpy(bits, words, sizeof bits);
  for (std::size_t i = 0; i < kStepDraws; ++i) {
    const std::uint64_t product = std::uint64_t{bits[i]} * draw.rows;
    rows[i] = static_cast<std::uint32_t>(product >> 32);
    low[i] = static_cast<std::uint32_t>(product);
  }
}

[[maybe_unused]] inline bool any_below(const std::uint32_t* low, std::uint32_t reject) noexcept {
  std::uint32_t any = 0;
  for (std::size_t i = 0; i < kStepDraws; ++i) any |= static_cast<std::uint32_t>(low[i] < reject);
  return any != 0;
}

[[maybe_unused]] void draw_rows(LaneState& state, const RowDraw& draw, std::size_t draws,
                                std::uint32_t* rows, std::uint32_t* rejected,
                                std::size_t& rejections) noexcept {
  LaneState lanes = state;
  std::uint32_t low[kStepDraws];
  rejections = 0;
  for (std::size_t first = 0; first < draws; first += kStepDraws) {
    draw_step(lanes, draw, rows + first, low);
    if (any_below(low, draw.reject)) [[unlikely]] {
      for (std::size_t i = 0; i < kStepDraws && first + i < draws; ++i)
        if (low[i] < draw.reject) rejected[rejections++] = static_cast<std::uint32_t>(first + i);
    }
  }
  state = lanes;
}

[[maybe_unused]] void gather_features(LaneState& state, const RowDraw& draw, std::size_t steps,
                                      std::size_t last_lanes, const std::int64_t* features,
                                      std::size_t feature_stride, std::size_t feature_count,
                                      std::int64_t* sums, std::uint32_t* rejected,
                                      std::size_t& rejections) noexcept {
  LaneState lanes = state;
  std::uint32_t rows[kStepDraws];
  std::uint32_t low[kStepDraws];
  rejections = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    draw_step(lanes, draw, rows, low);
    const std::size_t used = step + 1 == steps ? last_lanes : kStepDraws;
    const bool rejecting = any_below(low, draw.reject);
    if (used == kStepDraws && !rejecting) [[likely]] {
      for (std::size_t f = 0; f < feature_count; ++f)
        for (std::size_t i = 0; i < kStepDraws; ++i)
          sums[f * kStepDraws + i] += features[f * feature_stride + rows[i]];
      continue;
    }
    for (std::size_t i = 0; i < used; ++i) {
      if (low[i] < draw.reject) {
        rejected[rejections++] = static_cast<std::uint32_t>(step * kStepDraws + i);
        continue;
      }
      for (std::size_t f = 0; f < feature_count; ++f)
        sums[f * kStepDraws + i] += features[f * feature_stride + rows[i]];
    }
  }
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

[[maybe_unused]] void weigh_features(const double* weights, const double* features,
                                     std::size_t feature_stride, std::size_t feature_count,
                                     std::size_t rows, double* sums) noexcept {
  for (std::size_t f = 0; f < feature_count; ++f) {
    const double* feature = features + f * feature_stride;
    double lanes[8] = {};
    for (std::size_t i = 0; i < rows; i += 8)
      for (std::size_t lane = 0; lane < 8; ++lane)
        lanes[lane] += weights[i + lane] * feature[i + lane];
    sums[f] = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
              ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  }
}

/// Splits eight words into starts and lengths, and lists those that need more bits.
[[maybe_unused]] inline void words_to_blocks(const std::uint64_t* words, const BlockDraw& draw,
                                             std::size_t first, std::uint32_t* starts,
                                             std::uint32_t* lengths, OpenBlock* open,
                                             std::size_t& open_blocks) noexcept {
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint64_t product = (words[i] >> 32) * draw.start.rows;
    bool decided = static_cast<std::uint32_t>(product) >= draw.start.reject;
    starts[first + i] = static_cast<std::uint32_t>(product >> 32);
    lengths[first + i] = draw.length;
    if (draw.table != nullptr) {
      constexpr std::uint32_t kLast = 0xFFFFF;
      const auto bits = static_cast<std::uint32_t>(words[i]);
      const std::uint32_t entry = draw.table[bits >> 20];
      decided = decided && entry < kUndecided && (entry & kLast) != (bits & kLast);
      lengths[first + i] =
          (entry >> 20) + static_cast<std::uint32_t>((bits & kLast) > (entry & kLast));
    }
    if (!decided) [[unlikely]]
      open[open_blocks++] = {words[i], static_cast<std::uint32_t>(first + i)};
  }
}

[[maybe_unused]] void draw_blocks(LaneState& state, const BlockDraw& draw, std::size_t blocks,
                                  std::uint32_t* starts, std::uint32_t* lengths, OpenBlock* open,
                                  std::size_t& open_blocks) noexcept {
  LaneState lanes = state;
  open_blocks = 0;
  for (std::size_t first = 0; first < blocks; first += 8) {
    std::uint64_t words[8];
    next(lanes, words);
    words_to_blocks(words, draw, first, starts, lengths, open, open_blocks);
  }
  state = lanes;
}

[[maybe_unused]] std::uint64_t add_blocks(const std::uint64_t* running, std::uint32_t rows,
                                          const std::uint32_t* starts, const std::uint32_t* lengths,
                                          std::size_t blocks) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::uint64_t end = std::uint64_t{starts[i]} + lengths[i];
    const bool around = end > rows;
    sum += running[around ? end - rows : end] - running[starts[i]] + (around ? running[rows] : 0);
  }
  return sum;
}

}  // namespace
}  // namespace bootfold::execution::simd
