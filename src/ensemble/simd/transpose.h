// Transposes matrices.
//
// Included by the file of each instruction set.
#pragma once

#include <cstddef>
#include <cstring>

namespace bootfold::ensemble::simd {
namespace {

constexpr std::size_t kTransposed = 8;  // rows at a time

/// out[c][r] = rows[r][column + c] for 8 rows and 4 columns, with the shuffles of the instruction
/// set.
inline void transpose_tile(const float* const* rows, std::size_t column, std::size_t out_stride,
                           float* out) {
  using Four = float __attribute__((vector_size(16)));
  using Eight = float __attribute__((vector_size(32)));
  // Rows r and r + 4 side by side: both halves are then turned over as one.
  Eight a;
  Eight b;
  Eight c;
  Eight d;
  const auto load = [&](std::size_t r, Eight& both) {
    Four upper;
    Four lower;
    std::memcpy(&upper, rows[r] + column, sizeof(Four));
    std::memcpy(&lower, rows[r + 4] + column, sizeof(Four));
    both = __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7);
  };
  load(0, a);
  load(1, b);
  load(2, c);
  load(3, d);
  const auto store = [&](std::size_t line, const Eight& both) {
    std::memcpy(out + line * out_stride, &both, sizeof(Eight));
  };
  const Eight ab_first = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
  const Eight ab_second = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  const Eight cd_first = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  const Eight cd_second = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  store(0, __builtin_shufflevector(ab_first, cd_first, 0, 1, 8, 9, 4, 5, 12, 13));
  store(1, __builtin_shufflevector(ab_first, cd_first, 2, 3, 10, 11, 6, 7, 14, 15));
  store(2, __builtin_shufflevector(ab_second, cd_second, 0, 1, 8, 9, 4, 5, 12, 13));
  store(3, __builtin_shufflevector(ab_second, cd_second, 2, 3, 10, 11, 6, 7, 14, 15));
}

/// out[c][r] = rows[r][c] for 8 rows.
inline void transpose_rows(const float* const* rows, std::size_t columns, std::size_t out_stride,
                           float* out) {
  constexpr std::size_t kColumns = 4;
  std::size_t c = 0;
  for (; c + kColumns <= columns; c += kColumns)
    transpose_tile(rows, c, out_stride, out + c * out_stride);
  for (; c < columns; ++c)
    for (std::size_t r = 0; r < kTransposed; ++r) out[c * out_stride + r] = rows[r][c];
}

/// out[c][r] = in[r][c].
inline void transpose(const float* in, std::size_t rows, std::size_t columns, std::size_t in_stride,
                      std::size_t out_stride, float* out) {
  std::size_t r = 0;
  for (; r + kTransposed <= rows; r += kTransposed) {
    const float* from[kTransposed];
    for (std::size_t i = 0; i < kTransposed; ++i) from[i] = in + (r + i) * in_stride;
    transpose_rows(from, columns, out_stride, out + r);
  }
  for (; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) out[c * out_stride + r] = in[r * in_stride + c];
}

}  // namespace
}  // namespace bootfold::ensemble::simd
