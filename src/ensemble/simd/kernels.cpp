#include "ensemble/simd/kernels.h"

#include <algorithm>

#include "simd/table.h"

namespace bootfold::ensemble::simd {

std::size_t pack_scratch_size(const Shape& shape) {
  return (shape.inputs() + 2 * shape.units + 2 * shape.widest) * kBlock;
}

std::size_t points_scratch_size(const Shape& shape) {
  return shape.widest * (2 * kPoints + kMostPanel);
}

std::size_t solo_scratch_size(const Shape& shape, std::size_t rows, std::size_t threads) {
  const std::size_t units = shape.inputs() + shape.units;
  return 2 * units * row_stride(rows) + 4 * padded_size(rows) * row_stride(shape.widest) +
         threads * std::max(rows, shape.widest) * kMostPanel;
}

const Kernels& kernels(execution::Level level) noexcept {
  return bootfold::simd::table<kPortable, kAvx2, kAvx512, kNeon>(level);
}

}  // namespace bootfold::ensemble::simd
