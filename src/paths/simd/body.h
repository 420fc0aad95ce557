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

/// Sixteen rows of a lane.
using Column = std::uint8_t __attribute__((vector_size(16)));

/// a[0] b[0] a[1] b[1] .. of the first eight, and of the others.
inline Column zip_low(Column a, Column b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline Column zip_high(Column a, Column b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
}

/// Half of the vectors times two: in[k] with in[k + half].
inline void zip(const Column (&in)[8], Column (&out)[8]) {
#pragma GCC unroll 4  // or the vectors are stored and loaded
  for (std::size_t k = 0; k < 4; ++k) {
    out[2 * k] = zip_low(in[k], in[k + 4]);
    out[2 * k + 1] = zip_high(in[k], in[k + 4]);
  }
}

void interleave(const std::uint8_t* counts, std::size_t stride, std::size_t rows,
                std::uint8_t* out) noexcept {
  static_assert(kLanes == 8);
  std::size_t row = 0;
  for (; row + 16 <= rows; row += 16) {
    Column a[8];
    Column b[8];
#pragma GCC unroll 8
    for (std::size_t lane = 0; lane < 8; ++lane)
      a[lane] = load<Column>(counts + lane * stride + row);
    zip(a, b);
    zip(b, a);
    zip(a, b);
#pragma GCC unroll 8
    for (std::size_t k = 0; k < 8; ++k) store(b[k], out + row * 8 + k * sizeof(Column));
  }
  for (; row < rows; ++row)
    for (std::size_t lane = 0; lane < 8; ++lane) out[row * 8 + lane] = counts[lane * stride + row];
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
  return positives / larger(positives + negatives, Doubles::all(1));
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
                          .add_spread = add_spread,
                          .add_top = add_top,
                          .add_running = add_running,
                          .first_ranks = first_ranks,
                          .tie_first_ranks = tie_first_ranks,
                          .second_ranks = second_ranks,
                          .tie_second_ranks = tie_second_ranks};

}  // namespace
}  // namespace bootfold::paths::simd
