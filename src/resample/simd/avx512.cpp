// Kernels for AVX-512 with byte permutes (VBMI) and byte dot products (VNNI).
#include "random/simd/lanes_avx512.h"
#include "resample/simd/body.h"

namespace bootfold::resample::simd {
namespace {

using random::simd::Generator;
using random::simd::Products;

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

}  // namespace

const Kernels kAvx512 = {
    .counts = draw_counts, .rows = draw_rows_at_once, .blocks = draw_blocks_at_once};

}  // namespace bootfold::resample::simd
