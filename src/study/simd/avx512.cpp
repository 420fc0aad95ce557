// Kernels for AVX-512 with byte dot products (VNNI).
#include <immintrin.h>

#include "random/simd/lanes_avx512.h"
#include "resample/simd/row_step_avx512.h"
#include "study/simd/body.h"
//
#include "study/simd/gather_draws.h"

namespace bootfold::study::simd {
namespace {

using random::simd::Generator;

/// sum + counts * digits, four bytes to a lane. As an instruction in place: from the intrinsic g++
/// 12 makes two copies of every sum in every step.
inline __m512i add_products(__m512i sum, __m512i counts, __m512i digits) noexcept {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(counts), "v"(digits));
  return sum;
}

/// The sums of all lanes of four registers, all four at once.
__m128i sum_four(__m512i a, __m512i b, __m512i c, __m512i d) noexcept {
  const auto pairs = [](__m512i x, __m512i y) {
    return _mm512_add_epi32(_mm512_unpacklo_epi32(x, y), _mm512_unpackhi_epi32(x, y));
  };
  const __m512i ab = pairs(a, b);
  const __m512i cd = pairs(c, d);
  const __m512i abcd =
      _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
  const __m256i half =
      _mm256_add_epi32(_mm512_castsi512_si256(abcd), _mm512_extracti64x4_epi64(abcd, 1));
  return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

/// kPlanes planes against the counts of four replicates; every plane is loaded once for all of
/// them. kTotals: their totals too.
template <int kPlanes, bool kTotals>
void dot_block(const std::uint8_t* counts, std::size_t count_stride, const std::int8_t* planes,
               std::size_t plane_stride, std::size_t plane_count, std::size_t rows,
               std::int64_t* sums, std::uint64_t* totals) noexcept {
  constexpr int kReplicates = kDotReplicates;
  const __m512i ones = _mm512_set1_epi8(1);
  __m512i sum[kReplicates][kPlanes];
  __m512i total[kReplicates];
  for (auto& row : sum)
    for (auto& value : row) value = _mm512_setzero_si512();
  for (auto& value : total) value = _mm512_setzero_si512();
  for (std::size_t i = 0; i < rows; i += 64) {
    __m512i count[kReplicates];
    for (int r = 0; r < kReplicates; ++r)
      count[r] = _mm512_loadu_si512(counts + r * count_stride + i);
    for (int p = 0; p < kPlanes; ++p) {
      const __m512i plane = _mm512_loadu_si512(planes + p * plane_stride + i);
      for (int r = 0; r < kReplicates; ++r) sum[r][p] = add_products(sum[r][p], count[r], plane);
    }
    if constexpr (kTotals)
      for (int r = 0; r < kReplicates; ++r) total[r] = add_products(total[r], count[r], ones);
  }
  alignas(16) std::int32_t four[kReplicates];
  for (int p = 0; p < kPlanes; ++p) {
    _mm_store_si128(reinterpret_cast<__m128i*>(four),
                    sum_four(sum[0][p], sum[1][p], sum[2][p], sum[3][p]));
    for (int r = 0; r < kReplicates; ++r) sums[r * plane_count + p] += four[r];
  }
  if constexpr (kTotals) {
    _mm_store_si128(reinterpret_cast<__m128i*>(four),
                    sum_four(total[0], total[1], total[2], total[3]));
    for (int r = 0; r < kReplicates; ++r) totals[r] += static_cast<std::uint64_t>(four[r]);
  }
}

void dot_four(const std::uint8_t* counts, std::size_t count_stride, const std::int8_t* planes,
              std::size_t plane_stride, std::size_t plane_count, std::size_t p, bool with_totals,
              std::size_t rows, std::int64_t* sums, std::uint64_t* totals) noexcept {
  const auto some = [&]<int kPlanes>() {
    const std::int8_t* own = planes + p * plane_stride;
    if (with_totals)
      dot_block<kPlanes, true>(counts, count_stride, own, plane_stride, plane_count, rows, sums + p,
                               totals);
    else
      dot_block<kPlanes, false>(counts, count_stride, own, plane_stride, plane_count, rows,
                                sums + p, totals);
  };
  switch (plane_count - p) {
    case 1:
      return some.template operator()<1>();
    case 2:
      return some.template operator()<2>();
    case 3:
      return some.template operator()<3>();
    default:
      return some.template operator()<4>();
  }
}

void dot(const std::uint8_t* counts, std::size_t count_stride, std::size_t replicates,
         const std::int8_t* planes, std::size_t plane_stride, std::size_t plane_count,
         std::size_t rows, std::int64_t* sums, std::uint64_t* totals) noexcept {
  const std::size_t whole = replicates / kDotReplicates * kDotReplicates;
  for (std::size_t p = 0; p < plane_count; p += 4)
    for (std::size_t r = 0; r < whole; r += kDotReplicates)
      dot_four(counts + r * count_stride, count_stride, planes, plane_stride, plane_count, p,
               p == 0, rows, sums + r * plane_count, totals + r);
  for (std::size_t r = whole; r < replicates; ++r) {
    const __m512i ones = _mm512_set1_epi8(1);
    __m512i total = _mm512_setzero_si512();
    for (std::size_t i = 0; i < rows; i += 64)
      total = add_products(total, _mm512_loadu_si512(counts + r * count_stride + i), ones);
    totals[r] += static_cast<std::uint64_t>(_mm512_reduce_add_epi32(total));
    for (std::size_t p = 0; p < plane_count; ++p) {
      __m512i sum = _mm512_setzero_si512();
      for (std::size_t i = 0; i < rows; i += 64)
        sum = add_products(sum, _mm512_loadu_si512(counts + r * count_stride + i),
                           _mm512_loadu_si512(planes + p * plane_stride + i));
      sums[r * plane_count + p] += _mm512_reduce_add_epi32(sum);
    }
  }
}

/// Features of eight rows at once: from two registers where all rows fit them, else from memory.
template <bool kTiny>
struct FeatureTable {
  __m512i first{};
  __m512i second{};
  const std::int64_t* values;

  FeatureTable(const std::int64_t* feature, std::uint32_t rows) : values(feature) {
    if constexpr (kTiny) {
      const auto used = static_cast<std::uint32_t>((1U << rows) - 1);
      first = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(used), feature);
      second = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(used >> 8), feature + 8);
    }
  }

  [[nodiscard]] __m512i look_up(__m512i row) const {
    if constexpr (kTiny) return _mm512_permutex2var_epi64(first, row, second);
    return _mm512_i64gather_epi64(row, values, 8);
  }
};

constexpr std::uint32_t kTinyRows = 16;

template <bool kTiny>
void gather_one(LaneState& state, const RowDraw& draw, std::size_t steps,
                const std::int64_t* feature, std::int64_t* sums, std::uint32_t* rejected,
                std::size_t& rejections) noexcept {
  Generator generator(state);
  const FeatureTable<kTiny> table(feature, draw.rows);
  const __m512i rows = _mm512_set1_epi64(draw.rows);
  const __m512i reject = _mm512_set1_epi64(draw.reject);
  const __m512i low_half = _mm512_set1_epi64(0xFFFFFFFF);
  __m512i even_sum = _mm512_setzero_si512();
  __m512i odd_sum = _mm512_setzero_si512();
  for (std::size_t step = 0; step < steps; ++step) {
    const __m512i bits = generator();
    const __m512i even = _mm512_mul_epu32(bits, rows);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(bits, 32), rows);
    __m512i even_add = table.look_up(_mm512_srli_epi64(even, 32));
    __m512i odd_add = table.look_up(_mm512_srli_epi64(odd, 32));
    const __mmask8 even_out = _mm512_cmplt_epu64_mask(_mm512_and_si512(even, low_half), reject);
    const __mmask8 odd_out = _mm512_cmplt_epu64_mask(_mm512_and_si512(odd, low_half), reject);
    if ((even_out | odd_out) != 0) [[unlikely]] {
      even_add = _mm512_mask_mov_epi64(even_add, even_out, _mm512_setzero_si512());
      odd_add = _mm512_mask_mov_epi64(odd_add, odd_out, _mm512_setzero_si512());
      for (std::uint32_t lane = 0; lane < 8; ++lane) {
        const auto position = static_cast<std::uint32_t>(step * kStepDraws) + 2 * lane;
        if ((even_out >> lane & 1) != 0) rejected[rejections++] = position;
        if ((odd_out >> lane & 1) != 0) rejected[rejections++] = position + 1;
      }
    }
    even_sum = _mm512_add_epi64(even_sum, even_add);
    odd_sum = _mm512_add_epi64(odd_sum, odd_add);
  }
  generator.save(state);
  alignas(64) std::int64_t even_parts[8];
  alignas(64) std::int64_t odd_parts[8];
  _mm512_store_si512(even_parts, even_sum);
  _mm512_store_si512(odd_parts, odd_sum);
  for (std::size_t lane = 0; lane < 8; ++lane) {
    sums[2 * lane] += even_parts[lane];
    sums[2 * lane + 1] += odd_parts[lane];
  }
}

/// The sums of one feature stay in registers too, over whole steps.
void gather(LaneState& state, const RowDraw& draw, std::size_t steps, std::size_t last_lanes,
            const std::int64_t* features, std::size_t feature_stride, std::size_t feature_count,
            std::int64_t* sums, std::uint32_t* rejected, std::size_t& rejections) noexcept {
  const std::size_t whole = last_lanes == kStepDraws ? steps : steps - 1;
  if (feature_count != 1) {
    gather_at_once(state, draw, steps, last_lanes, features, feature_stride, feature_count, sums,
                   rejected, rejections);
    return;
  }
  rejections = 0;
  if (draw.rows <= kTinyRows) {
    gather_one<true>(state, draw, whole, features, sums, rejected, rejections);
  } else {
    gather_one<false>(state, draw, whole, features, sums, rejected, rejections);
  }
  if (whole == steps) return;
  std::size_t last_rejections = 0;
  gather_at_once(state, draw, 1, last_lanes, features, feature_stride, 1, sums,
                 rejected + rejections, last_rejections);
  for (std::size_t i = 0; i < last_rejections; ++i)
    rejected[rejections + i] += static_cast<std::uint32_t>(whole * kStepDraws);
  rejections += last_rejections;
}

std::uint64_t add_blocks_at_once(const std::uint64_t* running, std::uint32_t rows,
                                 const std::uint32_t* starts, const std::uint32_t* lengths,
                                 std::size_t blocks) noexcept {
  const __m512i all = _mm512_set1_epi64(rows);
  const __m512i total = _mm512_set1_epi64(static_cast<std::int64_t>(running[rows]));
  const auto get = [](const std::uint32_t* from) {
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  };
  __m512i sum = _mm512_setzero_si512();
  std::size_t i = 0;
  for (; i + 8 <= blocks; i += 8) {
    const __m512i start = get(starts + i);
    __m512i end = _mm512_add_epi64(start, get(lengths + i));
    const __mmask8 around = _mm512_cmpgt_epu64_mask(end, all);
    end = _mm512_mask_sub_epi64(end, around, end, all);
    sum = _mm512_sub_epi64(_mm512_add_epi64(sum, _mm512_i64gather_epi64(end, running, 8)),
                           _mm512_i64gather_epi64(start, running, 8));
    sum = _mm512_mask_add_epi64(sum, around, sum, total);
  }
  // Modulo 2^64, which _mm512_reduce_add_epi64 with its signed sums does not promise.
  alignas(64) std::uint64_t lanes[8];
  _mm512_store_si512(lanes, sum);
  std::uint64_t result = add_blocks(running, rows, starts + i, lengths + i, blocks - i);
  for (const std::uint64_t lane : lanes) result += lane;
  return result;
}

/// Products of even and of odd rows, 64 of them in each lane.
template <int kCount>
void weigh_some(const std::uint32_t* weights, const std::int32_t* integers, std::size_t stride,
                std::size_t rows, __int128* sums) noexcept {
  __m512i even[kCount];
  __m512i odd[kCount];
  for (int f = 0; f < kCount; ++f) even[f] = odd[f] = _mm512_setzero_si512();
  for (std::size_t i = 0; i < rows; i += 16) {
    const __m512i weight = _mm512_loadu_si512(weights + i);
    const __m512i odd_weight = _mm512_srli_epi64(weight, 32);
    for (int f = 0; f < kCount; ++f) {
      const __m512i integer = _mm512_loadu_si512(integers + f * stride + i);
      even[f] = _mm512_add_epi64(even[f], _mm512_mul_epi32(weight, integer));
      odd[f] =
          _mm512_add_epi64(odd[f], _mm512_mul_epi32(odd_weight, _mm512_srli_epi64(integer, 32)));
    }
  }
  for (int f = 0; f < kCount; ++f) {
    alignas(64) std::int64_t parts[16];
    _mm512_store_si512(parts, even[f]);
    _mm512_store_si512(parts + 8, odd[f]);
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

const Kernels kAvx512 = {.quantize = quantize_values,
                         .split = split_integers,
                         .dot = dot,
                         .gather = gather,
                         .repeat = repeat_values,
                         .means = find_means,
                         .weigh = weigh_features,
                         .weigh_integers = weigh_integers,
                         .weigh_masks = add_masked_weights,
                         .sum_blocks = add_blocks_at_once};

}  // namespace bootfold::study::simd
