#include "ensemble/prediction/point_blocks.h"

#include <algorithm>

namespace bootfold::ensemble {

using simd::kPoints;

PointBlocks::PointBlocks(const float* rows, std::size_t count, std::size_t columns)
    : rows_(count), columns_(columns), blocks_((count + kPoints - 1) / kPoints) {
  values_.resize(blocks_ * kPoints * columns);
  transpose_points(rows, count, columns, values_.data());
}

void transpose_points(const float* rows, std::size_t count, std::size_t columns, float* out) {
  for (std::size_t block = 0; block * kPoints < count; ++block)
    transpose_block(rows, count, columns, block, out + block * kPoints * columns);
}

void transpose_block(const float* rows, std::size_t count, std::size_t columns, std::size_t block,
                     float* out) {
  for (std::size_t p = 0; p < kPoints; ++p) {
    const float* row = rows + std::min(block * kPoints + p, count - 1) * columns;
    for (std::size_t c = 0; c < columns; ++c) out[c * kPoints + p] = row[c];
  }
}

}  // namespace bootfold::ensemble
