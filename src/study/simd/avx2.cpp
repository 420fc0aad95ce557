// Kernels for AVX2.
#include <immintrin.h>

#include "resample/simd/row_step_avx2.h"
#include "study/simd/body.h"
//
#include "study/simd/gather_draws.h"

namespace bootfold::study::simd {
namespace {

using random::simd::Generator;
using random::simd::Products;

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
  if constexpr (kPlanes == 4) {
    const __m256i halves =
        _mm256_hadd_epi32(_mm256_hadd_epi32(sum[0], sum[1]), _mm256_hadd_epi32(sum[2], sum[3]));
    const __m128i four =
        _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    __m256i* const to = reinterpret_cast<__m256i*>(sums);
    _mm256_storeu_si256(to, _mm256_add_epi64(_mm256_loadu_si256(to), _mm256_cvtepi32_epi64(four)));
  } else {
    for (int p = 0; p < kPlanes; ++p) sums[p] += sum_of(sum[p]);
  }
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

/// Lists the rejected draws of a step, if there are any.
void list_rejected(const __m256i rejected[2], std::size_t step, std::uint32_t* list,
                   std::size_t& count) {
  for (std::uint32_t h = 0; h < 2; ++h) {
    auto lanes = static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(rejected[h])));
    for (; lanes != 0; lanes &= lanes - 1)
      list[count++] = static_cast<std::uint32_t>(step * kStepDraws) + 8 * h +
                      static_cast<std::uint32_t>(__builtin_ctz(lanes));
  }
}

constexpr std::uint32_t kTinyRows = 16;

/// One feature of at most 16 rows: a shuffle looks up one byte of the feature for two draws of all
/// 16 lanes. `steps` is even.
void gather_tiny(LaneState& state, const RowDraw& draw, std::size_t steps,
                 const std::int64_t* feature, std::int64_t* sums, std::uint32_t* rejected,
                 std::size_t& rejections) noexcept {
  constexpr std::size_t kBytes = 7;
  constexpr std::int64_t kBias = std::int64_t{1} << 55;  // makes all integers positive
  alignas(16) std::uint8_t bytes[kBytes][16] = {};
  for (std::size_t row = 0; row < draw.rows; ++row)
    for (std::size_t b = 0; b < kBytes; ++b)
      bytes[b][row] =
          static_cast<std::uint8_t>(static_cast<std::uint64_t>(feature[row] + kBias) >> (8 * b));
  __m256i table[kBytes];
  __m256i sum[kBytes];  // 16 bits each, in the order of kLane
  for (std::size_t b = 0; b < kBytes; ++b) {
    table[b] =
        _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(bytes[b])));
    sum[b] = _mm256_setzero_si256();
  }
  constexpr std::size_t kLane[16] = {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15};
  Generator generator(state);
  const __m256i rows = _mm256_set1_epi32(static_cast<int>(draw.rows));
  const __m256i reject = Products::flipped(draw.reject);
  const __m256i ones = _mm256_set1_epi8(1);
  const __m256i nothing = _mm256_set1_epi32(0x80);  // what a shuffle makes 0
  for (std::size_t step = 0; step < steps; step += 2) {
    __m256i row[2][2];
    __m256i out[2][2];
    for (int k = 0; k < 2; ++k)
      for (int h = 0; h < 2; ++h) {
        const Products products(generator.next(h), rows);
        row[k][h] = products.high;
        out[k][h] = products.low_below(reject);
      }
    const __m256i any = _mm256_or_si256(_mm256_or_si256(out[0][0], out[0][1]),
                                        _mm256_or_si256(out[1][0], out[1][1]));
    if (_mm256_testz_si256(any, any) == 0) [[unlikely]]
      for (std::size_t k = 0; k < 2; ++k) {
        const std::size_t listed = rejections;
        list_rejected(out[k], step + k, rejected, rejections);
        for (std::size_t i = listed; i < rejections; ++i) sums[rejected[i] % kStepDraws] += kBias;
        for (int h = 0; h < 2; ++h) row[k][h] = _mm256_blendv_epi8(row[k][h], nothing, out[k][h]);
      }
    const auto both = [&](int h) {
      return _mm256_or_si256(row[0][h], _mm256_slli_epi32(row[1][h], 8));
    };
    const __m256i index = _mm256_packus_epi32(both(0), both(1));
    for (std::size_t b = 0; b < kBytes; ++b)
      sum[b] = _mm256_add_epi16(sum[b],
                                _mm256_maddubs_epi16(_mm256_shuffle_epi8(table[b], index), ones));
  }
  generator.save(state);
  alignas(32) std::uint16_t parts[kBytes][16];
  for (std::size_t b = 0; b < kBytes; ++b)
    _mm256_store_si256(reinterpret_cast<__m256i*>(parts[b]), sum[b]);
  for (std::size_t i = 0; i < kStepDraws; ++i) {
    std::uint64_t all = 0;
    for (std::size_t b = 0; b < kBytes; ++b) all += std::uint64_t{parts[b][i]} << (8 * b);
    sums[kLane[i]] += static_cast<std::int64_t>(all - steps * static_cast<std::uint64_t>(kBias));
  }
}

/// One feature of few rows goes through registers; the rest takes the shared way.
void gather(LaneState& state, const RowDraw& draw, std::size_t steps, std::size_t last_lanes,
            const std::int64_t* features, std::size_t feature_stride, std::size_t feature_count,
            std::int64_t* sums, std::uint32_t* rejected, std::size_t& rejections) noexcept {
  rejections = 0;
  std::size_t done = 0;
  if (feature_count == 1 && draw.rows <= kTinyRows) {
    done = (last_lanes == kStepDraws ? steps : steps - 1) / 2 * 2;
    gather_tiny(state, draw, done, features, sums, rejected, rejections);
  }
  if (done == steps) return;
  std::size_t more = 0;
  gather_at_once(state, draw, steps - done, last_lanes, features, feature_stride, feature_count,
                 sums, rejected + rejections, more);
  for (std::size_t i = 0; i < more; ++i)
    rejected[rejections + i] += static_cast<std::uint32_t>(done * kStepDraws);
  rejections += more;
}

/// Products of even and of odd rows, 128 of them in each lane.
template <int kCount>
void weigh_some(const std::uint32_t* weights, const std::int32_t* integers, std::size_t stride,
                std::size_t rows, __int128* sums) noexcept {
  __m256i even[kCount];
  __m256i odd[kCount];
  for (int f = 0; f < kCount; ++f) even[f] = odd[f] = _mm256_setzero_si256();
  for (std::size_t i = 0; i < rows; i += 8) {
    const __m256i weight = load(weights + i);
    const __m256i odd_weight = _mm256_srli_epi64(weight, 32);
    for (int f = 0; f < kCount; ++f) {
      const __m256i integer = load(integers + f * stride + i);
      even[f] = _mm256_add_epi64(even[f], _mm256_mul_epi32(weight, integer));
      odd[f] =
          _mm256_add_epi64(odd[f], _mm256_mul_epi32(odd_weight, _mm256_srli_epi64(integer, 32)));
    }
  }
  for (int f = 0; f < kCount; ++f) {
    alignas(32) std::int64_t parts[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(parts), even[f]);
    _mm256_store_si256(reinterpret_cast<__m256i*>(parts + 4), odd[f]);
    for (const std::int64_t part : parts) sums[f] += part;
  }
}

void weigh_integers(const std::uint32_t* weights, const std::int32_t* integers, std::size_t stride,
                    std::size_t count, std::size_t rows, __int128* sums) noexcept {
  std::size_t f = 0;
  for (; f + 4 <= count; f += 4)
    weigh_some<4>(weights, integers + f * stride, stride, rows, sums + f);
  for (; f + 2 <= count; f += 2)
    weigh_some<2>(weights, integers + f * stride, stride, rows, sums + f);
  if (f < count) weigh_some<1>(weights, integers + f * stride, stride, rows, sums + f);
}

}  // namespace

const Kernels kAvx2 = {.quantize = quantize_values,
                       .split = split_integers,
                       .dot = dot,
                       .gather = gather,
                       .repeat = repeat_values,
                       .means = find_means,
                       .weigh = weigh_features,
                       .weigh_integers = weigh_integers,
                       .weigh_masks = add_masked_weights,
                       .sum_blocks = add_blocks};

}  // namespace bootfold::study::simd
