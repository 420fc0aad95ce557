#include <algorithm>

#include "ensemble/simd/kernels.h"

namespace bootfold::ensemble::simd {

std::size_t pack_scratch_size(const Shape& shape) {
  return (shape.inputs() + 2 * shape.units + 2 * shape.widest) * kBlock;
}

std::size_t points_scratch_size(const Shape& shape) {
  return shape.widest * (2 * kPoints + kMostPanel);
}

std::size_t solo_scratch_size(const Shape& shape, std::size_t rows) {
  const std::size_t units = shape.inputs() + shape.units;
  return 2 * units * row_stride(rows) + 4 * padded_size(rows) * row_stride(shape.widest) +
         std::max(rows, shape.widest) * kMostPanel;
}

const Kernels& kernels(execution::Level level) noexcept {
  switch (level) {
#if defined(BOOTFOLD_X86_KERNELS)
    case execution::Level::avx2:
      return kAvx2;
    case execution::Level::avx512:
      return kAvx512;
#endif
    default:
      return kPortable;
  }
}

}  // namespace bootfold::ensemble::simd
