// The kernels in vectors of the compiler, which each file of this folder compiles with its own
// flags. Everything has internal linkage, because the definitions differ.
#pragma once

#include <algorithm>
#include <cstring>

#include "paths/simd/kernels.h"
#include "paths/simd/ordered.h"
#include "paths/simd/vectors.h"

namespace bootfold::paths::simd {
namespace {

inline const std::uint8_t* row_of(const std::uint8_t* counts, std::uint32_t place) {
  return counts + std::size_t{place >> 1} * kLanes;
}

inline Words counts_at(const std::uint8_t* counts, std::uint32_t place) {
  return widened(row_of(counts, place));
}

inline Doubles numbers_at(const std::uint8_t* counts, std::uint32_t place) {
  return numbers(counts_at(counts, place));
}

/// Swaps the bits of `low` that are left of `shift` with those of `high` that are not.
inline void swap_bits(std::uint64_t& low, std::uint64_t& high, int shift, std::uint64_t mask) {
  const std::uint64_t changed = ((low >> shift) ^ high) & mask;
  high ^= changed;
  low ^= changed << shift;
}

void interleave(const std::uint8_t* counts, std::size_t stride, std::size_t rows,
                std::uint8_t* out) noexcept {
  static_assert(kLanes == 8);
  for (std::size_t row = 0; row < rows; row += 8) {
    std::uint64_t word[8];  // the transpose of 8 x 8 bytes
    for (std::size_t i = 0; i < 8; ++i) std::memcpy(word + i, counts + i * stride + row, 8);
    for (std::size_t i = 0; i < 4; ++i) swap_bits(word[i], word[i + 4], 32, 0x00000000FFFFFFFF);
    for (const std::size_t i : {0, 1, 4, 5})
      swap_bits(word[i], word[i + 2], 16, 0x0000FFFF0000FFFF);
    for (std::size_t i = 0; i < 8; i += 2) swap_bits(word[i], word[i + 1], 8, 0x00FF00FF00FF00FF);
    std::memcpy(out + row * 8, word, sizeof word);
  }
}

void add_area(const std::uint8_t* counts, const std::uint32_t* places, std::size_t size,
              Area& area) noexcept {
  auto beaten = load<Longs>(area.beaten);
  auto negatives = load<Longs>(area.negatives);
  auto positives = load<Longs>(area.positives);
  for (std::size_t first = 0; first < size; first += kBlock) {
    const std::size_t last = std::min(size, first + kBlock);
    Words own_beaten{};
    Words own_negatives{};
    Words own_positives{};
    for (std::size_t i = first; i < last; ++i) {
      __builtin_prefetch(row_of(counts, places[std::min(i + kAhead, size - 1)]));
      const Words count = counts_at(counts, places[i]);
      const Words positive = count & (0U - (places[i] & 1U));
      own_negatives += count - positive;
      own_positives += positive;
      own_beaten += positive * own_negatives;
    }
    beaten += 2 * (wide(own_beaten) + wide(own_positives) * negatives);
    negatives += wide(own_negatives);
    positives += wide(own_positives);
  }
  store(beaten, area.beaten);
  store(negatives, area.negatives);
  store(positives, area.positives);
}

void tie_area(const std::uint8_t* counts, const std::uint32_t* places, std::size_t size,
              Area& area) noexcept {
  Longs own_negatives{};
  Longs own_positives{};
  for (std::size_t i = 0; i < size; ++i) {
    const Words count = counts_at(counts, places[i]);
    const Words positive = count & (0U - (places[i] & 1U));
    own_negatives += wide(count - positive);
    own_positives += wide(positive);
  }
  const auto negatives = load<Longs>(area.negatives);
  store(load<Longs>(area.beaten) + own_positives * (2 * negatives + own_negatives), area.beaten);
  store(negatives + own_negatives, area.negatives);
  store(load<Longs>(area.positives) + own_positives, area.positives);
}

/// The share of positive rows among those so far, and 0 if there are none.
inline Doubles share(const Doubles& positives, const Doubles& negatives) {
  const Doubles one = Doubles{} + 1.0;
  const Doubles all = positives + negatives;
  return positives / (all < one ? one : all);
}

void add_precision(const std::uint8_t* counts, const std::uint32_t* places, std::size_t size,
                   Precision& precision) noexcept {
  auto sum = load<Doubles>(precision.sum);
  auto negatives = load<Doubles>(precision.negatives);
  auto positives = load<Doubles>(precision.positives);
  for (std::size_t last = size; last > 0;) {
    const std::size_t first = last > kBlock ? last - kBlock : 0;
    Doubles own_sum{};
    for (std::size_t i = last; i-- > first;) {
      __builtin_prefetch(row_of(counts, places[i < kAhead ? 0 : i - kAhead]));
      const Doubles count = numbers_at(counts, places[i]);
      if ((places[i] & 1U) != 0) {
        positives += count;
        own_sum += count * share(positives, negatives);
      } else {
        negatives += count;
      }
    }
    sum += own_sum;
    last = first;
  }
  store(sum, precision.sum);
  store(negatives, precision.negatives);
  store(positives, precision.positives);
}

void tie_precision(const std::uint8_t* counts, const std::uint32_t* places, std::size_t size,
                   Precision& precision) noexcept {
  Doubles own_negatives{};
  Doubles own_positives{};
  for (std::size_t i = 0; i < size; ++i) {
    const Doubles count = numbers_at(counts, places[i]);
    if ((places[i] & 1U) != 0)
      own_positives += count;
    else
      own_negatives += count;
  }
  const Doubles negatives = load<Doubles>(precision.negatives) + own_negatives;
  const Doubles positives = load<Doubles>(precision.positives) + own_positives;
  store(load<Doubles>(precision.sum) + own_positives * share(positives, negatives), precision.sum);
  store(negatives, precision.negatives);
  store(positives, precision.positives);
}

constexpr Kernels kAll = {.interleave = interleave,
                          .add_area = add_area,
                          .tie_area = tie_area,
                          .add_precision = add_precision,
                          .tie_precision = tie_precision,
                          .add_gaps = add_gaps,
                          .add_running = add_running,
                          .first_ranks = first_ranks,
                          .tie_first_ranks = tie_first_ranks,
                          .second_ranks = second_ranks,
                          .tie_second_ranks = tie_second_ranks};

}  // namespace
}  // namespace bootfold::paths::simd
