// Kernels for NEON without the dot product extension.
#include "study/simd/neon.h"

namespace bootfold::study::simd {
namespace {

/// Counts are at most 31, so eight products (31 * 128 each) fit 16 bits.
template <int kReplicates, int kPlanes>
void dot_block(const std::uint8_t* counts, std::size_t count_stride, const std::int8_t* planes,
               std::size_t plane_stride, std::size_t plane_count, std::size_t rows,
               std::int64_t* sums) noexcept {
  int32x4_t sum[kReplicates][kPlanes];
  for (auto& row : sum)
    for (auto& value : row) value = vdupq_n_s32(0);
  for (std::size_t i = 0; i < rows; i += 64) {
    int16x8_t products[kReplicates][kPlanes];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) {
      int8x16_t count[kReplicates];
      for (int r = 0; r < kReplicates; ++r)
        count[r] = vreinterpretq_s8_u8(vld1q_u8(counts + r * count_stride + i + 16 * v));
#pragma GCC unroll 4
      for (int p = 0; p < kPlanes; ++p) {
        const int8x16_t plane = vld1q_s8(planes + p * plane_stride + i + 16 * v);
#pragma GCC unroll 2
        for (int r = 0; r < kReplicates; ++r) {
          const int8x8_t low = vget_low_s8(count[r]);
          products[r][p] = v == 0 ? vmull_s8(low, vget_low_s8(plane))
                                  : vmlal_s8(products[r][p], low, vget_low_s8(plane));
          products[r][p] = vmlal_high_s8(products[r][p], count[r], plane);
        }
      }
    }
    for (int r = 0; r < kReplicates; ++r)
      for (int p = 0; p < kPlanes; ++p) sum[r][p] = vpadalq_s16(sum[r][p], products[r][p]);
  }
  for (int r = 0; r < kReplicates; ++r)
    for (int p = 0; p < kPlanes; ++p) sums[r * plane_count + p] += vaddlvq_s32(sum[r][p]);
}

void dot(const std::uint8_t* counts, std::size_t count_stride, std::size_t replicates,
         const std::int8_t* planes, std::size_t plane_stride, std::size_t plane_count,
         std::size_t rows, std::int64_t* sums, std::uint64_t* totals) noexcept {
  for (std::size_t r = 0; r < replicates; ++r) totals[r] += total(counts + r * count_stride, rows);
  cover<2>(replicates, plane_count,
           [&]<int kReplicates, int kPlanes>(std::size_t r, std::size_t p) {
             dot_block<kReplicates, kPlanes>(counts + r * count_stride, count_stride,
                                             planes + p * plane_stride, plane_stride, plane_count,
                                             rows, sums + r * plane_count + p);
           });
}

}  // namespace

const Kernels kNeon = {.quantize = quantize_values,
                       .split = split_at_once,
                       .dot = dot,
                       .gather = gather,
                       .repeat = repeat_values,
                       .means = find_means,
                       .weigh = weigh_features,
                       .weigh_integers = add_weighed_integers,
                       .weigh_masks = add_masked_weights,
                       .sum_blocks = add_blocks};

}  // namespace bootfold::study::simd
