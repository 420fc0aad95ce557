// Kernels for AVX2.
#include "random/simd/lanes_avx2.h"
#include "resample/simd/body.h"
#include "resample/simd/row_step_avx2.h"
//
#include "resample/simd/row_draws.h"

namespace bootfold::resample::simd {
namespace {

__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
void store(void* to, __m256i value) { _mm256_storeu_si256(static_cast<__m256i*>(to), value); }

/// A table of 16 bytes for both halves of a register.
__m256i table_of(const std::uint8_t* bytes) {
  return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(bytes)));
}

/// Sixteen counts of 16 bits each as bytes.
void store_bytes(std::uint8_t* to, __m256i counts) {
  const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(counts, counts), 8);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(bytes));
}

/// Unsigned 16-bit numbers as signed ones in the same order.
__m256i flip(__m256i x) { return _mm256_xor_si256(x, _mm256_set1_epi16(-0x8000)); }

/// For signed comparisons: 16 bits that are above this reach `end`.
__m256i below(std::uint32_t end) {
  return _mm256_set1_epi16(static_cast<short>(static_cast<int>(end) - 1 - 0x8000));
}

bool draw_counts(LaneState& state, const LayerTable& table, std::size_t rows, std::uint8_t* counts,
                 Replaced& replaced) noexcept {
  Generator generator(state);
  alignas(32) std::uint64_t words[4];
  store(words, generator.next(0));
  generator.next(1);
  const std::uint32_t sparse = table.sparse_rows(words[0], words[2]);
  const std::uint32_t rare = table.rare_rows(words[1], words[3]);
  const __m256i inside = _mm256_set1_epi16(static_cast<short>(table.positions - 1));
  const __m256i with = table_of(table.sparse);
  const __m256i byte = _mm256_set1_epi16(255);
  for (std::size_t i = 0; i < sparse; i += 32)
    for (int h = 0; h < 2; ++h) {
      const __m256i bits = generator.next(h);
      store(replaced.row + i + 16 * h, _mm256_and_si256(bits, inside));
      store_bytes(replaced.count + i + 16 * h,
                  _mm256_and_si256(_mm256_shuffle_epi8(with, _mm256_srli_epi16(bits, 12)), byte));
    }
  bool open = false;
  for (std::size_t i = 0; i < rare; i += 16) {
    store(replaced.row + sparse + i, _mm256_and_si256(generator.next(0), inside));
    const __m256i bits = flip(generator.next(1));
    __m256i minus = _mm256_setzero_si256();
    for (const std::uint32_t end : table.rare_end)
      minus = _mm256_add_epi16(minus, _mm256_cmpgt_epi16(bits, below(end)));
    const __m256i undecided = _mm256_cmpgt_epi16(bits, below(table.rare_open));
    __m256i count = _mm256_sub_epi16(_mm256_set1_epi16(table.rare_first), minus);
    count = _mm256_or_si256(count, _mm256_and_si256(undecided, byte));
    store_bytes(replaced.count + sparse + i, count);
    auto lanes = static_cast<std::uint32_t>(_mm256_movemask_epi8(undecided));
    if (rare - i < 16) lanes &= (1U << (2 * (rare - i))) - 1;
    open = open || lanes != 0;
  }
  finish_list(replaced, sparse, rare);
  const __m256i dense = table_of(table.dense);
  const __m256i low = _mm256_set1_epi8(15);
  for (std::size_t i = 0; i < rows; i += kStepRows)
    for (int h = 0; h < 2; ++h) {
      const __m256i bits = generator.next(h);
      store(counts + i + 32 * h, _mm256_shuffle_epi8(dense, _mm256_and_si256(bits, low)));
      store(counts + i + 64 + 32 * h,
            _mm256_shuffle_epi8(dense, _mm256_and_si256(_mm256_srli_epi16(bits, 4), low)));
    }
  generator.save(state);
  replace(replaced, counts);
  clear_tail(counts, rows);
  return open;
}

std::uint64_t total(const std::uint8_t* counts, std::size_t rows) noexcept {
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t i = 0; i < rows; i += 32)
    sum = _mm256_add_epi64(sum, _mm256_sad_epu8(load(counts + i), _mm256_setzero_si256()));
  alignas(32) std::uint64_t parts[4];
  store(parts, sum);
  return parts[0] + parts[1] + parts[2] + parts[3];
}

}  // namespace

const Kernels kAvx2 = {.counts = draw_counts,
                       .total = total,
                       .top_up = draw_top_up_at_once,
                       .rows = draw_rows_at_once,
                       .blocks = draw_blocks,
                       .stratum_rows = draw_stratum_rows};

}  // namespace bootfold::resample::simd
