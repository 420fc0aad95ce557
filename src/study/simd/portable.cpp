// Kernels in plain C++: the reference that the other levels must equal to the bit.
#include "study/simd/body.h"

namespace bootfold::study::simd {
namespace {

void dot(const std::uint8_t* counts, std::size_t count_stride, std::size_t replicates,
         const std::int8_t* planes, std::size_t plane_stride, std::size_t plane_count,
         std::size_t rows, std::int64_t* sums, std::uint64_t* totals) noexcept {
  for (std::size_t r = 0; r < replicates; ++r) {
    const std::uint8_t* own = counts + r * count_stride;
    std::uint32_t total = 0;
    for (std::size_t i = 0; i < rows; ++i) total += own[i];
    totals[r] += total;
    for (std::size_t p = 0; p < plane_count; ++p) {
      const std::int8_t* plane = planes + p * plane_stride;
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < rows; ++i) sum += own[i] * plane[i];
      sums[r * plane_count + p] += sum;
    }
  }
}

}  // namespace

const Kernels kPortable = {.quantize = quantize_values,
                           .split = split_integers,
                           .dot = dot,
                           .gather = gather_features,
                           .repeat = repeat_values,
                           .means = find_means,
                           .weigh = weigh_features,
                           .weigh_integers = add_weighed_integers,
                           .weigh_masks = add_masked_weights,
                           .sum_blocks = add_blocks};

}  // namespace bootfold::study::simd
