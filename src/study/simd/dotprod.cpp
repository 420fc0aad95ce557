// Kernels for NEON with the dot product extension.
#include "study/simd/neon.h"

namespace bootfold::study::simd {
namespace {

/// The instruction multiplies bytes of one sign only; counts are at most 31, so they are signed
/// bytes too.
template <int kReplicates, int kPlanes>
void dot_block(const std::uint8_t* counts, std::size_t count_stride, const std::int8_t* planes,
               std::size_t plane_stride, std::size_t plane_count, std::size_t rows,
               std::int64_t* sums) noexcept {
  int32x4_t sum[kReplicates][kPlanes];
  for (auto& row : sum)
    for (auto& value : row) value = vdupq_n_s32(0);
  for (std::size_t i = 0; i < rows; i += 16) {
    int8x16_t count[kReplicates];
    for (int r = 0; r < kReplicates; ++r)
      count[r] = vreinterpretq_s8_u8(vld1q_u8(counts + r * count_stride + i));
    for (int p = 0; p < kPlanes; ++p) {
      const int8x16_t plane = vld1q_s8(planes + p * plane_stride + i);
      for (int r = 0; r < kReplicates; ++r) sum[r][p] = vdotq_s32(sum[r][p], count[r], plane);
    }
  }
  for (int r = 0; r < kReplicates; ++r)
    for (int p = 0; p < kPlanes; ++p) sums[r * plane_count + p] += vaddlvq_s32(sum[r][p]);
}

void dot(const std::uint8_t* counts, std::size_t count_stride, std::size_t replicates,
         const std::int8_t* planes, std::size_t plane_stride, std::size_t plane_count,
         std::size_t rows, std::int64_t* sums, std::uint64_t* totals) noexcept {
  for (std::size_t r = 0; r < replicates; ++r) totals[r] += total(counts + r * count_stride, rows);
  cover<kDotReplicates>(
      replicates, plane_count, [&]<int kReplicates, int kPlanes>(std::size_t r, std::size_t p) {
        dot_block<kReplicates, kPlanes>(counts + r * count_stride, count_stride,
                                        planes + p * plane_stride, plane_stride, plane_count, rows,
                                        sums + r * plane_count + p);
      });
}

}  // namespace

const Kernels kDotprod = {.quantize = quantize_values,
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
