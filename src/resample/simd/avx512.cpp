// Kernels for AVX-512 with byte permutes (VBMI) and byte dot products (VNNI).
#include "random/simd/lanes_avx512.h"
#include "resample/simd/body.h"

namespace bootfold::resample::simd {
namespace {

using random::simd::Generator;
using random::simd::Products;

/// A table of 16 bytes, four times.
__m512i table_of(const std::uint8_t* bytes) {
  return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(bytes)));
}

/// The counts of 16 rows of the third layer from 16 bits each; `undecided` marks those left open.
__m128i rare_counts(const LayerTable& table, __m256i bits, __mmask16& undecided) {
  const auto reached = [&](std::uint32_t end) {  // an end of 65536 is not reached
    return _mm256_cmpgt_epu16_mask(bits, _mm256_set1_epi16(static_cast<short>(end - 1)));
  };
  __m128i count = _mm_set1_epi8(static_cast<char>(table.rare_first));
  const __m128i one = _mm_set1_epi8(1);
  for (const std::uint32_t end : table.rare_end)
    count = _mm_mask_add_epi8(count, reached(end), count, one);
  undecided = reached(table.rare_open);
  return _mm_mask_blend_epi8(undecided, count, _mm_set1_epi8(static_cast<char>(kOpen)));
}

bool draw_counts(LaneState& state, const LayerTable& table, std::size_t rows, std::uint8_t* counts,
                 Replaced& replaced) noexcept {
  Generator generator(state);
  alignas(64) std::uint64_t words[8];
  _mm512_store_si512(words, generator());
  const std::uint32_t sparse = table.sparse_rows(words[0], words[2]);
  const std::uint32_t rare = table.rare_rows(words[1], words[3]);
  const __m512i inside = _mm512_set1_epi16(static_cast<short>(table.positions - 1));
  const __m512i with = table_of(table.sparse);
  for (std::size_t i = 0; i < sparse; i += 32) {
    const __m512i bits = generator();
    _mm512_storeu_si512(replaced.row + i, _mm512_and_si512(bits, inside));
    const __m512i count = _mm512_shuffle_epi8(with, _mm512_srli_epi16(bits, 12));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(replaced.count + i),
                        _mm512_cvtepi16_epi8(count));
  }
  bool open = false;
  for (std::size_t i = 0; i < rare; i += 16) {
    const __m512i bits = generator();
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(replaced.row + sparse + i),
        _mm256_and_si256(_mm512_castsi512_si256(bits), _mm512_castsi512_si256(inside)));
    __mmask16 undecided = 0;
    const __m128i count = rare_counts(table, _mm512_extracti64x4_epi64(bits, 1), undecided);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(replaced.count + sparse + i), count);
    const auto used =
        static_cast<std::uint32_t>((std::uint64_t{1} << (rare - i < 16 ? rare - i : 16)) - 1);
    open = open || (undecided & used) != 0;
  }
  finish_list(replaced, sparse, rare);
  // Permutes look at the low six bits of a byte; the table repeats itself, so that four count.
  const __m512i dense = table_of(table.dense);
  for (std::size_t i = 0; i < rows; i += kStepRows) {
    const __m512i bits = generator();
    _mm512_storeu_si512(counts + i, _mm512_permutexvar_epi8(bits, dense));
    _mm512_storeu_si512(counts + i + 64,
                        _mm512_permutexvar_epi8(_mm512_srli_epi16(bits, 4), dense));
  }
  generator.save(state);
  replace(replaced, counts);
  clear_tail(counts, rows);
  return open;
}

std::uint64_t total(const std::uint8_t* counts, std::size_t rows) noexcept {
  __m512i sum = _mm512_setzero_si512();
  for (std::size_t i = 0; i < rows; i += 64)
    sum = _mm512_add_epi64(sum,
                           _mm512_sad_epu8(_mm512_loadu_si512(counts + i), _mm512_setzero_si512()));
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(sum));
}

void draw_top_up_at_once(LaneState& state, const RowDraw& draw, std::size_t draws,
                         std::uint32_t* rows) noexcept {
  Generator generator(state);
  const __m512i bound = _mm512_set1_epi32(static_cast<int>(draw.rows));
  const __m512i reject = _mm512_set1_epi32(static_cast<int>(draw.reject));
  for (std::size_t made = 0; made < draws;) {
    const Products products(generator(), bound);
    const __mmask16 kept = _mm512_cmpge_epu32_mask(products.low, reject);
    if (kept == 0xFFFF) [[likely]] {
      _mm512_storeu_si512(rows + made, products.high);
      made += kStepDraws;
      continue;
    }
    _mm512_storeu_si512(rows + made, _mm512_maskz_compress_epi32(kept, products.high));
    made += static_cast<std::size_t>(__builtin_popcount(kept));
  }
  generator.save(state);
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

const Kernels kAvx512 = {.counts = draw_counts,
                         .total = total,
                         .top_up = draw_top_up_at_once,
                         .rows = draw_rows_at_once,
                         .blocks = draw_blocks_at_once,
                         .stratum_rows = draw_stratum_rows};

}  // namespace bootfold::resample::simd
