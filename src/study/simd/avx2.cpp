// Kernels for AVX2.
#include <immintrin.h>

#include "resample/simd/row_step_avx2.h"
#include "study/simd/body.h"
//
#include "study/simd/gather_draws.h"

namespace bootfold::study::simd {
namespace {

__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

std::int64_t sum_of(__m256i lanes) {
  alignas(32) std::int32_t parts[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(parts), lanes);
  std::int64_t sum = 0;
  for (const std::int32_t part : parts) sum += part;
  return sum;
}

/// Counts are at most 31, so four products of pairs (2 * 31 * 128 each) fit 16 bits.
template <int kPlanes>
void dot_block(const std::uint8_t* counts, const std::int8_t* planes, std::size_t plane_stride,
               std::size_t rows, std::int64_t* sums) noexcept {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sum[kPlanes];
  for (auto& value : sum) value = _mm256_setzero_si256();
  for (std::size_t i = 0; i < rows; i += kStepRows) {
    __m256i pairs[kPlanes];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) {
      const __m256i count = load(counts + i + 32 * v);
#pragma GCC unroll 4
      for (int p = 0; p < kPlanes; ++p) {
        const __m256i product =
            _mm256_maddubs_epi16(count, load(planes + p * plane_stride + i + 32 * v));
        pairs[p] = v == 0 ? product : _mm256_add_epi16(pairs[p], product);
        asm("" : "+x"(pairs[p]));  // otherwise g++ 12 puts all additions last, and spills
      }
    }
    for (int p = 0; p < kPlanes; ++p)
      sum[p] = _mm256_add_epi32(sum[p], _mm256_madd_epi16(pairs[p], ones));
  }
  for (int p = 0; p < kPlanes; ++p) sums[p] += sum_of(sum[p]);
}

std::uint64_t total(const std::uint8_t* counts, std::size_t rows) noexcept {
  const __m256i zero = _mm256_setzero_si256();
  __m256i sum = zero;
  for (std::size_t i = 0; i < rows; i += kStepRows) {
    // Four counts of at most 31 fit a byte.
    const __m256i bytes =
        _mm256_add_epi8(_mm256_add_epi8(load(counts + i), load(counts + i + 32)),
                        _mm256_add_epi8(load(counts + i + 64), load(counts + i + 96)));
    sum = _mm256_add_epi64(sum, _mm256_sad_epu8(bytes, zero));
  }
  alignas(32) std::uint64_t parts[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(parts), sum);
  return parts[0] + parts[1] + parts[2] + parts[3];
}

void dot(const std::uint8_t* counts, std::size_t count_stride, std::size_t replicates,
         const std::int8_t* planes, std::size_t plane_stride, std::size_t plane_count,
         std::size_t rows, std::int64_t* sums, std::uint64_t* totals) noexcept {
  for (std::size_t r = 0; r < replicates; ++r) totals[r] += total(counts + r * count_stride, rows);
  std::size_t p = 0;
  const auto some = [&]<int kPlanes>() {
    for (std::size_t r = 0; r < replicates; ++r)
      dot_block<kPlanes>(counts + r * count_stride, planes + p * plane_stride, plane_stride, rows,
                         sums + r * plane_count + p);
    p += kPlanes;
  };
  while (p + 4 <= plane_count) some.template operator()<4>();
  if (p + 2 <= plane_count) some.template operator()<2>();
  if (p < plane_count) some.template operator()<1>();
}

}  // namespace

const Kernels kAvx2 = {.quantize = quantize_values,
                       .split = split_integers,
                       .dot = dot,
                       .gather = gather_at_once,
                       .weigh = weigh_features,
                       .sum_blocks = add_blocks};

}  // namespace bootfold::study::simd
