// Kernels for AVX2: compares in place of byte tables.
#include "random/simd/lanes_avx2.h"
#include "resample/simd/body.h"

namespace bootfold::resample::simd {
namespace {

using random::simd::Generator;

__m256i bytes(std::uint8_t value) { return _mm256_set1_epi8(static_cast<char>(value)); }

/// AVX2 compares signed bytes only; flipping the top bit makes unsigned ones comparable.
__m256i flip(__m256i x) { return _mm256_xor_si256(x, bytes(0x80)); }

std::uint64_t draw_counts(LaneState& state, const PoissonTable& table, std::size_t rows,
                          std::uint8_t* counts, OpenRow* open, std::size_t& open_rows) noexcept {
  Generator generator(state);
  const std::size_t cells = table.cells;
  __m256i cell[16];
  __m256i cell_split[16];
  for (std::size_t k = 0; k < cells; ++k) {
    cell[k] = flip(bytes(table.cell[k]));
    cell_split[k] = bytes(table.cell_split[k]);
  }
  const __m256i top_cell = flip(bytes(255));
  const __m256i top_first = bytes(table.top_first);
  const __m256i top_second = flip(bytes(table.top.second));
  const __m256i below_open = flip(bytes(static_cast<std::uint8_t>(table.top.open - 1)));
  __m256i total = _mm256_setzero_si256();
  open_rows = 0;
  for (std::size_t first = 0; first < rows; first += kStepRows) {
    __m256i high_half[2] = {generator.next(0), generator.next(1)};
    __m256i low_half[2] = {generator.next(0), generator.next(1)};
    for (int h = 0; h < 2; ++h) {
      const __m256i high = flip(high_half[h]);
      const __m256i low = low_half[h];
      const __m256i low_flipped = flip(low);
      __m256i minus_count = _mm256_setzero_si256();
      const __m256i top = _mm256_cmpeq_epi8(high, top_cell);
      __m256i in_cell = top;
      __m256i split = _mm256_and_si256(top, top_first);
      for (std::size_t k = 0; k < cells; ++k) {
        minus_count = _mm256_add_epi8(minus_count, _mm256_cmpgt_epi8(high, cell[k]));
        const __m256i here = _mm256_cmpeq_epi8(high, cell[k]);
        in_cell = _mm256_or_si256(in_cell, here);
        split = _mm256_or_si256(split, _mm256_and_si256(here, cell_split[k]));
      }
      const __m256i above = _mm256_cmpgt_epi8(low_flipped, flip(split));
      minus_count = _mm256_add_epi8(minus_count, _mm256_and_si256(in_cell, above));
      const __m256i above_second = _mm256_cmpgt_epi8(low_flipped, top_second);
      minus_count = _mm256_add_epi8(minus_count, _mm256_and_si256(top, above_second));
      const __m256i at_top = _mm256_or_si256(_mm256_cmpeq_epi8(low_flipped, top_second),
                                             _mm256_cmpgt_epi8(low_flipped, below_open));
      const __m256i undecided = _mm256_or_si256(
          _mm256_and_si256(in_cell, _mm256_cmpeq_epi8(low, split)), _mm256_and_si256(top, at_top));
      __m256i count = _mm256_sub_epi8(_mm256_setzero_si256(), minus_count);
      auto left = static_cast<std::uint32_t>(_mm256_movemask_epi8(undecided));
      if (left != 0) [[unlikely]] {
        alignas(32) std::uint8_t high_bytes[32];
        alignas(32) std::uint8_t low_bytes[32];
        _mm256_store_si256(reinterpret_cast<__m256i*>(high_bytes), high_half[h]);
        _mm256_store_si256(reinterpret_cast<__m256i*>(low_bytes), low);
        count = _mm256_andnot_si256(undecided, count);
        for (; left != 0; left &= left - 1) {
          const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
          open[open_rows++] = {
              static_cast<std::uint32_t>(first) + 32U * static_cast<std::uint32_t>(h) + lane,
              static_cast<std::uint32_t>(high_bytes[lane]) << 8 | low_bytes[lane]};
        }
      }
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts + first) + h, count);
      total = _mm256_add_epi64(total, _mm256_sad_epu8(count, _mm256_setzero_si256()));
    }
  }
  generator.save(state);
  alignas(32) std::uint64_t parts[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(parts), total);
  return parts[0] + parts[1] + parts[2] + parts[3] - clear_tail(counts, rows, open, open_rows);
}

}  // namespace

const Kernels kAvx2 = {.counts = draw_counts, .rows = draw_rows, .blocks = draw_blocks};

}  // namespace bootfold::resample::simd
