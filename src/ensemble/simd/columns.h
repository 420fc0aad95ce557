// What a training needs of the columns of its table, a tile of values at a time: the sums behind
// means and deviations, ranges, and standardized rows. All levels give the same bits: each sum adds
// its terms in the order of the rows, and quotients are rounded as divisions are.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ensemble/simd/kernels.h"
#include "ensemble/simd/tiles.h"
#include "ensemble/simd/transpose.h"

namespace bootfold::ensemble::simd {
namespace {

constexpr std::size_t kDoubles = 8;  // that loops take together, so that they become vectors

/// Divides numbers by one divisor.
///
/// With fused multiply-add a quotient takes a product and two corrections. The first gives one of
/// the two numbers next to the quotient, and the second then rounds it as a division does, because
/// the reciprocal is rounded correctly (Markstein, "Computation of elementary functions on the IBM
/// RISC System/6000 processor", 1990), and numbers and divisor are far from overflow and
/// underflow. Other numbers are divided.
class Divisor {
 public:
  explicit Divisor(double value) : value_(value), reciprocal_(1 / value) {}

  /// out[i] = value(i) / divisor for a multiple of kDoubles numbers.
  template <class Value>
  void operator()(std::size_t count, Value value, double* out) const {
    const double most = std::abs(value_);
    bool fused = kFuses && most > kLeast && most < kMost;
    if (fused) {
      double smallest[kDoubles];
      double largest[kDoubles];
      std::fill_n(smallest, kDoubles, 1.0);
      std::fill_n(largest, kDoubles, 0.0);
      for (std::size_t i = 0; i < count; i += kDoubles)
        for (std::size_t k = 0; k < kDoubles; ++k) {
          const double a = value(i + k);
          const double size = std::abs(a);
          const double unlike_zero = size > 0 ? size : 1.0;
          smallest[k] = unlike_zero < smallest[k] ? unlike_zero : smallest[k];
          largest[k] = size > largest[k] ? size : largest[k];
          const double about = a * reciprocal_;
          const double near = __builtin_fma(__builtin_fma(-about, value_, a), reciprocal_, about);
          const double exact = __builtin_fma(__builtin_fma(-near, value_, a), reciprocal_, near);
          out[i + k] = size > 0 ? exact : about;  // which has the sign of a zero
        }
      fused = *std::min_element(smallest, smallest + kDoubles) > kSmallest &&
              *std::max_element(largest, largest + kDoubles) < kLargest;
    }
    if (fused) return;
    for (std::size_t i = 0; i < count; ++i) out[i] = value(i) / value_;
  }

 private:
#if defined(__FMA__) || defined(__aarch64__)
  static constexpr bool kFuses = true;
#else
  static constexpr bool kFuses = false;
#endif
  static constexpr double kLeast = 0x1p-200;
  static constexpr double kMost = 0x1p200;
  static constexpr double kSmallest = 0x1p-600;
  static constexpr double kLargest = 0x1p600;
  double value_;
  double reciprocal_;
};

constexpr std::size_t padded_rows(const ColumnTile& tile) {
  return (tile.rows + kDoubles - 1) / kDoubles * kDoubles;
}

/// Adds the terms of all columns, row by row: columns go side by side, because each addition waits
/// for the one before.
inline void add_in_order(const double (*terms)[ColumnTile::kRows], std::size_t rows,
                         std::size_t columns, double* sums) {
  constexpr std::size_t kTogether = 8;
  for (std::size_t first = 0; first < columns; first += kTogether) {
    double own[kTogether];
    repeat<kTogether>(
        [&](auto k) BOOTFOLD_INLINE { own[k] = first + k < columns ? sums[first + k] : 0.0; });
    for (std::size_t i = 0; i < rows; ++i)
      repeat<kTogether>([&](auto k) BOOTFOLD_INLINE { own[k] += terms[first + k][i]; });
    for (std::size_t k = 0; k < kTogether && first + k < columns; ++k) sums[first + k] = own[k];
  }
}

void add_means(const ColumnTile& tile, double rows, double* sums, double* low,
               double* high) noexcept {
  alignas(64) double terms[ColumnTile::kColumns][ColumnTile::kRows];
  const Divisor divide(rows);
  for (std::size_t c = 0; c < tile.columns; ++c) {
    const double* values = tile.values[c];
    divide(
        padded_rows(tile), [&](std::size_t i) { return values[i]; }, terms[c]);
    double lows[kDoubles];
    double highs[kDoubles];
    std::fill_n(lows, kDoubles, low[c]);
    std::fill_n(highs, kDoubles, high[c]);
    std::size_t i = 0;
    for (; i + kDoubles <= tile.rows; i += kDoubles)
      for (std::size_t k = 0; k < kDoubles; ++k) {  // NaN is left out
        lows[k] = values[i + k] < lows[k] ? values[i + k] : lows[k];
        highs[k] = values[i + k] > highs[k] ? values[i + k] : highs[k];
      }
    for (; i < tile.rows; ++i) {
      lows[0] = values[i] < lows[0] ? values[i] : lows[0];
      highs[0] = values[i] > highs[0] ? values[i] : highs[0];
    }
    low[c] = *std::min_element(lows, lows + kDoubles) + 0.0;  // -0 is 0
    high[c] = *std::max_element(highs, highs + kDoubles) + 0.0;
  }
  add_in_order(terms, tile.rows, tile.columns, sums);
}

void add_squares(const ColumnTile& tile, double rows, const double* mean, double* sums) noexcept {
  alignas(64) double terms[ColumnTile::kColumns][ColumnTile::kRows];
  const Divisor divide(rows);
  for (std::size_t c = 0; c < tile.columns; ++c) {
    const double* values = tile.values[c];
    const double centre = mean[c];
    divide(
        padded_rows(tile),
        [&](std::size_t i) { return (values[i] - centre) * (values[i] - centre); }, terms[c]);
  }
  add_in_order(terms, tile.rows, tile.columns, sums);
}

void standardize(const ColumnTile& tile, const double* mean, const double* scale, float* out,
                 std::size_t stride) noexcept {
  alignas(64) float scaled[ColumnTile::kColumns][ColumnTile::kRows];
  alignas(64) double quotients[ColumnTile::kRows];
  for (std::size_t c = 0; c < tile.columns; ++c) {
    const double* values = tile.values[c];
    const double centre = mean[c];
    Divisor{scale[c]}(
        padded_rows(tile), [&](std::size_t i) { return values[i] - centre; }, quotients);
    for (std::size_t i = 0; i < padded_rows(tile); ++i)
      scaled[c][i] = static_cast<float>(quotients[i]);
  }
  transpose(scaled[0], tile.columns, tile.rows, ColumnTile::kRows, stride, out);
}

}  // namespace
}  // namespace bootfold::ensemble::simd
