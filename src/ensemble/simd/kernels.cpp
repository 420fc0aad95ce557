#include "ensemble/simd/kernels.h"

#include <algorithm>

#include "simd/table.h"

namespace bootfold::ensemble::simd {

std::size_t pack_contrast_place(const Shape& shape) {
  const std::size_t normal = shape.normalizes ? shape.units + shape.layers.size() : 0;
  const std::size_t added = shape.adds_inputs ? shape.widest : 0;
  return (shape.inputs() + 2 * shape.units + 2 * shape.widest + added + normal) * kBlock;
}

std::size_t pack_scratch_size(const Shape& shape) {
  const std::size_t contrast = shape.outputs() == 2 ? 2 * (shape.layers.back().in + 1) : 0;
  return pack_contrast_place(shape) + contrast;
}

std::size_t points_scratch_size(const Shape& shape) {
  const std::size_t contrast = shape.outputs() == 2 ? shape.layers.back().in + 1 : 0;
  return shape.widest * (2 * kPoints + kMostPanel) + contrast;
}

std::size_t solo_scratch_size(const Shape& shape, std::size_t rows, std::size_t threads) {
  const std::size_t units = shape.inputs() + shape.units;
  const std::size_t along = padded_size(rows) * row_stride(shape.widest);
  const std::size_t normal = shape.normalizes
                                 ? (shape.units + shape.layers.size()) * row_stride(rows) + along +
                                       2 * padded_size(shape.widest)
                                 : 0;
  const std::size_t added = shape.adds_inputs ? along : 0;
  return solo_contrast_size(shape) + 2 * units * row_stride(rows) + 4 * along +
         threads * std::max(rows, shape.widest) * kMostPanel + added + normal;
}

const Kernels& kernels(execution::Level level) noexcept {
  return bootfold::simd::table<kPortable, kAvx2, kAvx512, kNeon>(level);
}

const Kernels& kernels(execution::Level level, std::size_t members) noexcept {
  using execution::Level;
  if (level == Level::avx512 && members <= kernels(Level::avx2).lanes) return kernels(Level::avx2);
  return kernels(level);
}

}  // namespace bootfold::ensemble::simd
