// Transposes matrices.
//
// Included by the file of each instruction set.
#pragma once

#include <cstddef>
#include <cstring>

namespace bootfold::ensemble::simd {
namespace {

/// out[c][r] = in[r][c] for 8 rows and 4 columns, with the shuffles of the instruction set.
inline void transpose_tile(const float* in, std::size_t in_stride, std::size_t out_stride,
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
    std::memcpy(&upper, in + r * in_stride, sizeof(Four));
    std::memcpy(&lower, in + (r + 4) * in_stride, sizeof(Four));
    both = __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7);
  };
  load(0, a);
  load(1, b);
  load(2, c);
  load(3, d);
  const auto store = [&](std::size_t column, const Eight& both) {
    std::memcpy(out + column * out_stride, &both, sizeof(Eight));
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

/// out[c][r] = in[r][c].
inline void transpose(const float* in, std::size_t rows, std::size_t columns, std::size_t in_stride,
                      std::size_t out_stride, float* out) {
  constexpr std::size_t kRows = 8;
  constexpr std::size_t kColumns = 4;
  const auto one_by_one = [&](std::size_t r, std::size_t from) {
    for (std::size_t c = from; c < columns; ++c) out[c * out_stride + r] = in[r * in_stride + c];
  };
  std::size_t r = 0;
  for (; r + kRows <= rows; r += kRows) {
    std::size_t c = 0;
    for (; c + kColumns <= columns; c += kColumns)
      transpose_tile(in + r * in_stride + c, in_stride, out_stride, out + c * out_stride + r);
    for (std::size_t some = r; some < r + kRows; ++some) one_by_one(some, c);
  }
  for (; r < rows; ++r) one_by_one(r, 0);
}

}  // namespace
}  // namespace bootfold::ensemble::simd
