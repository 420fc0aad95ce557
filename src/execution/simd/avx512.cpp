// Kernels for AVX-512 with byte permutes (VBMI) and byte dot products (VNNI).
#include <immintrin.h>

#include "execution/simd/body.h"

namespace bootfold::execution::simd {
namespace {

/// xoshiro256++, all eight lanes in four registers.
struct Generator {
  __m512i s0, s1, s2, s3;

  explicit Generator(const LaneState& state)
      : s0(_mm512_load_si512(state.word[0])),
        s1(_mm512_load_si512(state.word[1])),
        s2(_mm512_load_si512(state.word[2])),
        s3(_mm512_load_si512(state.word[3])) {}

  void save(LaneState& state) const {
    _mm512_store_si512(state.word[0], s0);
    _mm512_store_si512(state.word[1], s1);
    _mm512_store_si512(state.word[2], s2);
    _mm512_store_si512(state.word[3], s3);
  }

  __m512i operator()() {
    const __m512i result = _mm512_add_epi64(_mm512_rol_epi64(_mm512_add_epi64(s0, s3), 23), s0);
    const __m512i shifted = _mm512_slli_epi64(s1, 17);
    s2 = _mm512_xor_si512(s2, s0);
    s3 = _mm512_xor_si512(s3, s1);
    s1 = _mm512_xor_si512(s1, s2);
    s0 = _mm512_xor_si512(s0, s3);
    s2 = _mm512_xor_si512(s2, shifted);
    s3 = _mm512_rol_epi64(s3, 45);
    return result;
  }
};

/// High and low halves of 16 products of 32 bits.
struct Products {
  __m512i high;
  __m512i low;

  Products(__m512i x, __m512i factor) {
    constexpr __mmask16 kOdd = 0xAAAA;
    const __m512i even = _mm512_mul_epu32(x, factor);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), factor);
    high = _mm512_mask_blend_epi32(kOdd, _mm512_srli_epi64(even, 32), odd);
    low = _mm512_mask_blend_epi32(kOdd, even, _mm512_slli_epi64(odd, 32));
  }
};

/// seed_lanes with the 16 calls in the lanes of four registers.
void seed(const Counter& counter, LaneState& lanes) noexcept {
  const auto all = [](std::uint32_t word) { return _mm512_set1_epi32(static_cast<int>(word)); };
  const __m512i factor0 = all(0xD2511F53U);
  const __m512i factor2 = all(0xCD9E8D57U);
  __m512i c0 = _mm512_add_epi32(all(counter.word[0]), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8,
                                                                        9, 10, 11, 12, 13, 14, 15));
  __m512i c1 = all(counter.word[1]);
  __m512i c2 = all(counter.word[2]);
  __m512i c3 = all(counter.word[3]);
  __m512i key0 = all(counter.key[0]);
  __m512i key1 = all(counter.key[1]);
  for (int round = 0; round < 10; ++round) {
    const Products a(c0, factor0);
    const Products b(c2, factor2);
    c0 = _mm512_xor_si512(_mm512_xor_si512(b.high, c1), key0);
    c1 = b.low;
    c2 = _mm512_xor_si512(_mm512_xor_si512(a.high, c3), key1);
    c3 = a.low;
    key0 = _mm512_add_epi32(key0, all(0x9E3779B9U));
    key1 = _mm512_add_epi32(key1, all(0xBB67AE85U));
  }
  _mm512_store_si512(lanes.word[0], c0);
  _mm512_store_si512(lanes.word[1], c1);
  _mm512_store_si512(lanes.word[2], c2);
  _mm512_store_si512(lanes.word[3], c3);
}

void draw_words_at_once(LaneState& state, std::size_t steps, std::uint64_t* words) noexcept {
  Generator generator(state);
  for (std::size_t step = 0; step < steps; ++step)
    _mm512_storeu_si512(words + 8 * step, generator());
  generator.save(state);
}

/// The few rows of a step that the comparisons left open: most need a closer look only.
void look_closer(__mmask64 open_lanes, __m512i high, __m512i low, const PoissonTable& table,
                 std::size_t first, __m512i& count, OpenRow* open,
                 std::size_t& open_rows) noexcept {
  alignas(64) std::uint8_t high_bytes[64];
  alignas(64) std::uint8_t low_bytes[64];
  alignas(64) std::uint8_t counts[64];
  _mm512_store_si512(high_bytes, high);
  _mm512_store_si512(low_bytes, low);
  _mm512_store_si512(counts, count);
  for (; open_lanes != 0; open_lanes &= open_lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctzll(open_lanes));
    const auto bits = static_cast<std::uint32_t>(high_bytes[lane]) << 8 | low_bytes[lane];
    counts[lane] = table.lookup[bits];
    if (counts[lane] != kOpen) continue;
    counts[lane] = 0;
    open[open_rows++] = {static_cast<std::uint32_t>(first) + lane, bits};
  }
  count = _mm512_load_si512(counts);
}

/// A wide cell's count and first threshold are looked up by one byte permute each.
std::uint64_t draw_counts(LaneState& state, const PoissonTable& table, std::size_t rows,
                          std::uint8_t* counts, OpenRow* open, std::size_t& open_rows) noexcept {
  Generator generator(state);
  const __m512i wide_count = _mm512_load_si512(table.wide_count);
  const __m512i wide_high = _mm512_load_si512(table.wide_high);
  const __m512i wide_low = _mm512_load_si512(table.wide_low);
  const __m512i all = _mm512_set1_epi8(-1);
  const __m512i one = _mm512_set1_epi8(1);
  const __m512i top_second = _mm512_set1_epi8(static_cast<char>(table.wide_top.second));
  const __m512i top_open = _mm512_set1_epi8(static_cast<char>(table.wide_top.open));
  __m512i total = _mm512_setzero_si512();
  open_rows = 0;
  for (std::size_t first = 0; first < rows; first += kStepRows) {
    const __m512i high = generator();
    const __m512i low = generator();
    const __m512i wide = _mm512_srli_epi64(high, 2);  // permutes see the low 6 bits of a byte
    const __m512i split_high = _mm512_permutexvar_epi8(wide, wide_high);
    const __m512i split_low = _mm512_permutexvar_epi8(wide, wide_low);
    __m512i count = _mm512_permutexvar_epi8(wide, wide_count);
    const __mmask64 same = _mm512_cmpeq_epi8_mask(high, split_high);
    const __mmask64 above = _mm512_cmpgt_epu8_mask(high, split_high) |
                            _mm512_mask_cmpgt_epu8_mask(same, low, split_low);
    count = _mm512_mask_add_epi8(count, above, count, one);
    const __mmask64 top = _mm512_cmpeq_epi8_mask(high, all);
    count =
        _mm512_mask_add_epi8(count, _mm512_mask_cmpgt_epu8_mask(top, low, top_second), count, one);
    const __mmask64 open_lanes = _mm512_mask_cmpeq_epi8_mask(same, low, split_low) |
                                 _mm512_mask_cmpeq_epi8_mask(top, low, top_second) |
                                 _mm512_mask_cmpge_epu8_mask(top, low, top_open);
    if (open_lanes != 0) [[unlikely]]
      look_closer(open_lanes, high, low, table, first, count, open, open_rows);
    _mm512_storeu_si512(counts + first, count);
    total = _mm512_dpbusd_epi32(total, count, one);
  }
  generator.save(state);
  const auto sum = static_cast<std::uint64_t>(_mm512_reduce_add_epi32(total));
  return sum - clear_tail(counts, rows, open, open_rows);
}

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
/// them.
template <int kPlanes>
void dot_block(const std::uint8_t* counts, std::size_t count_stride, const std::int8_t* planes,
               std::size_t plane_stride, std::size_t plane_count, std::size_t rows,
               std::int64_t* sums) noexcept {
  constexpr int kReplicates = kDotReplicates;
  __m512i sum[kReplicates][kPlanes];
  for (auto& row : sum)
    for (auto& value : row) value = _mm512_setzero_si512();
  for (std::size_t i = 0; i < rows; i += kStepRows) {
    __m512i count[kReplicates];
    for (int r = 0; r < kReplicates; ++r)
      count[r] = _mm512_loadu_si512(counts + r * count_stride + i);
    for (int p = 0; p < kPlanes; ++p) {
      const __m512i plane = _mm512_loadu_si512(planes + p * plane_stride + i);
      for (int r = 0; r < kReplicates; ++r) sum[r][p] = add_products(sum[r][p], count[r], plane);
    }
  }
  for (int p = 0; p < kPlanes; ++p) {
    alignas(16) std::int32_t four[kReplicates];
    _mm_store_si128(reinterpret_cast<__m128i*>(four),
                    sum_four(sum[0][p], sum[1][p], sum[2][p], sum[3][p]));
    for (int r = 0; r < kReplicates; ++r) sums[r * plane_count + p] += four[r];
  }
}

void dot_four(const std::uint8_t* counts, std::size_t count_stride, const std::int8_t* planes,
              std::size_t plane_stride, std::size_t plane_count, std::size_t rows,
              std::int64_t* sums) noexcept {
  std::size_t p = 0;
  for (; p + 4 <= plane_count; p += 4)
    dot_block<4>(counts, count_stride, planes + p * plane_stride, plane_stride, plane_count, rows,
                 sums + p);
  for (; p < plane_count; ++p)
    dot_block<1>(counts, count_stride, planes + p * plane_stride, plane_stride, plane_count, rows,
                 sums + p);
}

void dot(const std::uint8_t* counts, std::size_t count_stride, std::size_t replicates,
         const std::int8_t* planes, std::size_t plane_stride, std::size_t plane_count,
         std::size_t rows, std::int64_t* sums) noexcept {
  if (replicates == kDotReplicates) {
    dot_four(counts, count_stride, planes, plane_stride, plane_count, rows, sums);
    return;
  }
  for (std::size_t r = 0; r < replicates; ++r)
    for (std::size_t p = 0; p < plane_count; ++p) {
      __m512i sum = _mm512_setzero_si512();
      for (std::size_t i = 0; i < rows; i += kStepRows)
        sum = add_products(sum, _mm512_loadu_si512(counts + r * count_stride + i),
                           _mm512_loadu_si512(planes + p * plane_stride + i));
      sums[r * plane_count + p] += _mm512_reduce_add_epi32(sum);
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

/// One feature and whole steps go through registers; the rest takes the shared way.
void gather(LaneState& state, const RowDraw& draw, std::size_t steps, std::size_t last_lanes,
            const std::int64_t* features, std::size_t feature_stride, std::size_t feature_count,
            std::int64_t* sums, std::uint32_t* rejected, std::size_t& rejections) noexcept {
  const std::size_t whole = last_lanes == kStepDraws ? steps : steps - 1;
  if (feature_count != 1) {
    gather_features(state, draw, steps, last_lanes, features, feature_stride, feature_count, sums,
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
  gather_features(state, draw, 1, last_lanes, features, feature_stride, 1, sums,
                  rejected + rejections, last_rejections);
  for (std::size_t i = 0; i < last_rejections; ++i)
    rejected[rejections + i] += static_cast<std::uint32_t>(whole * kStepDraws);
  rejections += last_rejections;
}

void draw_rows_at_once(LaneState& state, const RowDraw& draw, std::size_t draws,
                       std::uint32_t* rows, std::uint32_t* rejected,
                       std::size_t& rejections) noexcept {
  Generator generator(state);
  const __m512i bound = _mm512_set1_epi32(static_cast<int>(draw.rows));
  const __m512i reject = _mm512_set1_epi32(static_cast<int>(draw.reject));
  rejections = 0;
  for (std::size_t first = 0; first < draws; first += kStepDraws) {
    const Products products(generator(), bound);
    _mm512_storeu_si512(rows + first, products.high);
    std::uint32_t out = _mm512_cmplt_epu32_mask(products.low, reject);
    for (; out != 0; out &= out - 1) {
      const std::size_t position = first + static_cast<std::size_t>(__builtin_ctz(out));
      if (position < draws) rejected[rejections++] = static_cast<std::uint32_t>(position);
    }
  }
  generator.save(state);
}

void draw_exponentials_at_once(LaneState& state, std::size_t rows, double* weights) noexcept {
  Generator generator(state);
  for (std::size_t first = 0; first < rows; first += 8)
    _mm512_storeu_si512(weights + first, generator());
  generator.save(state);
  words_to_exponentials(rows, weights);
}

/// The steps that all words decide, in registers.
void draw_blocks_at_once(LaneState& state, const BlockDraw& draw, std::size_t blocks,
                         std::uint32_t* starts, std::uint32_t* lengths, OpenBlock* open,
                         std::size_t& open_blocks) noexcept {
  Generator generator(state);
  const __m512i rows = _mm512_set1_epi64(draw.start.rows);
  const __m512i reject = _mm512_set1_epi64(draw.start.reject);
  const __m512i low_half = _mm512_set1_epi64(0xFFFFFFFF);
  const __m256i last = _mm256_set1_epi32(0xFFFFF);
  const __m256i undecided = _mm256_set1_epi32(static_cast<int>(kUndecided));
  const auto put = [](std::uint32_t* out, __m256i values) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), values);
  };
  open_blocks = 0;
  for (std::size_t first = 0; first < blocks; first += 8) {
    const __m512i words = generator();
    const __m512i product = _mm512_mul_epu32(_mm512_srli_epi64(words, 32), rows);
    __mmask8 needs_more = _mm512_cmplt_epu64_mask(_mm512_and_si512(product, low_half), reject);
    __m256i length = _mm256_set1_epi32(static_cast<int>(draw.length));
    if (draw.table != nullptr) {
      const __m256i bits = _mm512_cvtepi64_epi32(words);
      const __m256i entry = _mm256_i32gather_epi32(reinterpret_cast<const int*>(draw.table),
                                                   _mm256_srli_epi32(bits, 20), 4);
      const __m256i bits_last = _mm256_and_si256(bits, last);
      const __m256i entry_last = _mm256_and_si256(entry, last);
      needs_more = static_cast<__mmask8>(needs_more | _mm256_cmpge_epu32_mask(entry, undecided) |
                                         _mm256_cmpeq_epi32_mask(bits_last, entry_last));
      length = _mm256_srli_epi32(entry, 20);
      length = _mm256_mask_add_epi32(length, _mm256_cmpgt_epi32_mask(bits_last, entry_last), length,
                                     _mm256_set1_epi32(1));
    }
    put(starts + first, _mm512_cvtepi64_epi32(_mm512_srli_epi64(product, 32)));
    put(lengths + first, length);
    if (needs_more != 0) [[unlikely]] {
      alignas(64) std::uint64_t list[8];
      _mm512_store_si512(list, words);
      words_to_blocks(list, draw, first, starts, lengths, open, open_blocks);
    }
  }
  generator.save(state);
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

}  // namespace

const Kernels kAvx512 = {seed,
                         draw_words_at_once,
                         draw_counts,
                         dot,
                         quantize_values,
                         split_integers,
                         gather,
                         draw_rows_at_once,
                         draw_exponentials_at_once,
                         weigh_features,
                         draw_blocks_at_once,
                         add_blocks_at_once};

}  // namespace bootfold::execution::simd
