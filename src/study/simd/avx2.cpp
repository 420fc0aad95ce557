// Kernels for AVX2.
#include <immintrin.h>

#include "study/simd/body.h"

namespace bootfold::study::simd {
namespace {

/// Counts are at most 31, so four products of pairs (2 * 31 * 128 each) fit 16 bits.
template <int kPlanes>
void dot_block(const std::uint8_t* counts, const std::int8_t* planes, std::size_t plane_stride,
               std::size_t rows, std::int64_t* sums) noexcept {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sum[kPlanes];
  for (auto& value : sum) value = _mm256_setzero_si256();
  for (std::size_t i = 0; i < rows; i += kStepRows) {
    const __m256i count0 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(counts + i));
    const __m256i count1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(counts + i) + 1);
    for (int p = 0; p < kPlanes; ++p) {
      const auto* plane = reinterpret_cast<const __m256i*>(planes + p * plane_stride + i);
      const __m256i pairs =
          _mm256_add_epi16(_mm256_maddubs_epi16(count0, _mm256_loadu_si256(plane)),
                           _mm256_maddubs_epi16(count1, _mm256_loadu_si256(plane + 1)));
      sum[p] = _mm256_add_epi32(sum[p], _mm256_madd_epi16(pairs, ones));
    }
  }
  for (int p = 0; p < kPlanes; ++p) {
    alignas(32) std::int32_t parts[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(parts), sum[p]);
    for (const std::int32_t part : parts) sums[p] += part;
  }
}

void dot(const std::uint8_t* counts, std::size_t count_stride, std::size_t replicates,
         const std::int8_t* planes, std::size_t plane_stride, std::size_t plane_count,
         std::size_t rows, std::int64_t* sums) noexcept {
  for (std::size_t r = 0; r < replicates; ++r) {
    const std::uint8_t* count = counts + r * count_stride;
    std::int64_t* sum = sums + r * plane_count;
    std::size_t p = 0;
    for (; p + 4 <= plane_count; p += 4)
      dot_block<4>(count, planes + p * plane_stride, plane_stride, rows, sum + p);
    for (; p < plane_count; ++p)
      dot_block<1>(count, planes + p * plane_stride, plane_stride, rows, sum + p);
  }
}

}  // namespace

const Kernels kAvx2 = {.quantize = quantize_values,
                       .split = split_integers,
                       .dot = dot,
                       .gather = gather_features,
                       .weigh = weigh_features,
                       .sum_blocks = add_blocks};

}  // namespace bootfold::study::simd
