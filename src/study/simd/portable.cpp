// Kernels in plain C++: the reference that the other levels must equal to the bit.
#include "study/simd/body.h"

namespace bootfold::study::simd {
namespace {

void dot(const std::uint8_t* counts, std::size_t count_stride, std::size_t replicates,
         const std::int8_t* planes, std::size_t plane_stride, std::size_t plane_count,
         std::size_t rows, std::int64_t* sums) noexcept {
  for (std::size_t r = 0; r < replicates; ++r)
    for (std::size_t p = 0; p < plane_count; ++p) {
      const std::uint8_t* count = counts + r * count_stride;
      const std::int8_t* plane = planes + p * plane_stride;
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < rows; ++i)
        sum += static_cast<std::int16_t>(count[i]) * static_cast<std::int16_t>(plane[i]);
      sums[r * plane_count + p] += sum;
    }
}

}  // namespace

const Kernels kPortable = {.quantize = quantize_values,
                           .split = split_integers,
                           .dot = dot,
                           .gather = gather_features,
                           .weigh = weigh_features,
                           .sum_blocks = add_blocks};

}  // namespace bootfold::study::simd
