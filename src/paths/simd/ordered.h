// Kernels over counts in the order of a column, in vectors of the compiler.
#pragma once

#include <algorithm>
#include <cstring>

#include "paths/simd/kernels.h"
#include "paths/simd/vectors.h"

namespace bootfold::paths::simd {
namespace {

inline const std::uint8_t* counts_of(const std::uint8_t* counts, std::uint32_t row) {
  return counts + std::size_t{row} * kLanes;
}

inline const std::uint8_t* record_of(const std::uint8_t* records, std::uint32_t place) {
  return records + std::size_t{place} * kRecord;
}

inline Words count_in(const std::uint8_t* record) { return widened(record + sizeof(Words)); }
inline Doubles rank_in(const std::uint8_t* record) { return numbers(load<Words>(record)); }

/// Draws of the places so far are whole numbers, added up in 32 bits.
inline Words whole(const double* numbers) {
  std::uint32_t words[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    words[lane] = static_cast<std::uint32_t>(numbers[lane]);
  return load<Words>(words);
}

/// Adds the sums of the values and either the differences of pairs or the largest values. One of
/// them at a time fits the registers of AVX2.
template <bool top>
void add_gap_sums(const std::uint8_t* counts, const std::uint32_t* rows, const double* gaps,
                  std::size_t size, GapSums& sums) noexcept {
  double* const other_sums = top ? sums.top : sums.spread;
  const auto draws = load<Doubles>(sums.draws);
  const auto limit = load<Doubles>(sums.limit);
  Words below = whole(sums.below);
  auto sum = load<Doubles>(sums.sum);
  auto other = load<Doubles>(other_sums);
  for (std::size_t first = 0; first < size; first += kBlock) {
    const std::size_t last = std::min(size, first + kBlock);
    Doubles own_sum{};
    Doubles own_other{};
    for (std::size_t i = first; i < last; ++i) {
      __builtin_prefetch(counts_of(counts, rows[std::min(i + kAhead, size - 1)]));
      below += widened(counts_of(counts, rows[i]));
      const Doubles under = numbers(below);
      const Doubles above = draws - under;
      const Doubles added = gaps[i] * above;
      own_sum += added;
      own_other += top ? gaps[i] * smaller(above, limit) : added * under;
    }
    sum += own_sum;
    other += own_other;
  }
  store(numbers(below), sums.below);
  store(sum, sums.sum);
  store(other, other_sums);
}

void add_spread(const std::uint8_t* counts, const std::uint32_t* rows, const double* gaps,
                std::size_t size, GapSums& sums) noexcept {
  add_gap_sums<false>(counts, rows, gaps, size, sums);
}

void add_top(const std::uint8_t* counts, const std::uint32_t* rows, const double* gaps,
             std::size_t size, GapSums& sums) noexcept {
  add_gap_sums<true>(counts, rows, gaps, size, sums);
}

void add_running(const std::uint8_t* counts, const std::uint32_t* rows, std::size_t size,
                 std::uint32_t* below, std::uint32_t* running) noexcept {
  auto all = load<Words>(below);
  for (std::size_t first = 0; first < size; first += kRunning, running += kLanes) {
    store(all, running);
    const std::size_t last = std::min(size, first + kRunning);
    for (std::size_t i = first; i < last; ++i) {
      __builtin_prefetch(counts_of(counts, rows[std::min(i + kAhead, size - 1)]));
      all += widened(counts_of(counts, rows[i]));
    }
  }
  store(all, below);
}

void first_ranks(const std::uint8_t* counts, const std::uint32_t* rows, std::size_t size,
                 std::uint8_t* records, RankSums& sums) noexcept {
  const auto draws = load<Words>(sums.draws);
  auto below = load<Words>(sums.below);
  auto squares = load<Doubles>(sums.squares);
  for (std::size_t first = 0; first < size; first += kBlock) {
    const std::size_t last = std::min(size, first + kBlock);
    Doubles own_squares{};
    for (std::size_t i = first; i < last; ++i, records += kRecord) {
      __builtin_prefetch(counts_of(counts, rows[std::min(i + kAhead, size - 1)]));
      const Words count = widened(counts_of(counts, rows[i]));
      const Words twice = 2 * below + count - draws;
      below += count;
      const Doubles rank = numbers(twice);
      own_squares += numbers(count) * rank * rank;
      store(twice, records);
      std::memcpy(records + sizeof twice, counts_of(counts, rows[i]), kLanes);
    }
    squares += own_squares;
  }
  store(below, sums.below);
  store(squares, sums.squares);
}

void tie_first_ranks(const std::uint8_t* counts, const std::uint32_t* rows, std::size_t size,
                     std::uint8_t* records, RankSums& sums) noexcept {
  Words all{};
  for (std::size_t i = 0; i < size; ++i) all += widened(counts_of(counts, rows[i]));
  const auto below = load<Words>(sums.below);
  const Words twice = 2 * below + all - load<Words>(sums.draws);
  const Doubles rank = numbers(twice);
  for (std::size_t i = 0; i < size; ++i, records += kRecord) {
    store(twice, records);
    std::memcpy(records + sizeof twice, counts_of(counts, rows[i]), kLanes);
  }
  store(below + all, sums.below);
  store(load<Doubles>(sums.squares) + numbers(all) * rank * rank, sums.squares);
}

void second_ranks(const std::uint8_t* records, const std::uint32_t* places, std::size_t size,
                  RankSums& sums) noexcept {
  const auto draws = load<Words>(sums.draws);
  auto below = load<Words>(sums.below);
  auto squares = load<Doubles>(sums.squares);
  auto products = load<Doubles>(sums.products);
  for (std::size_t first = 0; first < size; first += kBlock) {
    const std::size_t last = std::min(size, first + kBlock);
    Doubles own_squares{};
    Doubles own_products{};
    for (std::size_t i = first; i < last; ++i) {
      const std::uint8_t* const next = record_of(records, places[std::min(i + kAhead, size - 1)]);
      __builtin_prefetch(next);
      __builtin_prefetch(next + kRecord - 1);
      const std::uint8_t* const record = record_of(records, places[i]);
      const Words count = count_in(record);
      const Doubles rank = numbers(2 * below + count - draws);
      below += count;
      const Doubles counted = numbers(count) * rank;
      own_squares += counted * rank;
      own_products += counted * rank_in(record);
    }
    squares += own_squares;
    products += own_products;
  }
  store(below, sums.below);
  store(squares, sums.squares);
  store(products, sums.products);
}

void tie_second_ranks(const std::uint8_t* records, const std::uint32_t* places, std::size_t size,
                      RankSums& sums) noexcept {
  Words all{};
  Doubles others{};
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint8_t* const record = record_of(records, places[i]);
    const Words count = count_in(record);
    all += count;
    others += numbers(count) * rank_in(record);
  }
  const auto below = load<Words>(sums.below);
  const Doubles rank = numbers(2 * below + all - load<Words>(sums.draws));
  store(below + all, sums.below);
  store(load<Doubles>(sums.squares) + numbers(all) * rank * rank, sums.squares);
  store(load<Doubles>(sums.products) + others * rank, sums.products);
}

}  // namespace
}  // namespace bootfold::paths::simd
