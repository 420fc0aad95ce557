// Kernels for AVX2: compares in place of byte tables.
#include <immintrin.h>

#include "execution/simd/body.h"

namespace bootfold::execution::simd {
namespace {

/// xoshiro256++: lanes 0-3 and 4-7 in two registers a word.
struct Generator {
  __m256i s[4][2];

  explicit Generator(const LaneState& state) {
    for (int w = 0; w < 4; ++w)
      for (int h = 0; h < 2; ++h)
        s[w][h] = _mm256_load_si256(reinterpret_cast<const __m256i*>(state.word[w]) + h);
  }

  void save(LaneState& state) const {
    for (int w = 0; w < 4; ++w)
      for (int h = 0; h < 2; ++h)
        _mm256_store_si256(reinterpret_cast<__m256i*>(state.word[w]) + h, s[w][h]);
  }

  template <int kBits>
  static __m256i rotate(__m256i x) {
    return _mm256_or_si256(_mm256_slli_epi64(x, kBits), _mm256_srli_epi64(x, 64 - kBits));
  }

  __m256i next(int h) {
    const __m256i result =
        _mm256_add_epi64(rotate<23>(_mm256_add_epi64(s[0][h], s[3][h])), s[0][h]);
    const __m256i shifted = _mm256_slli_epi64(s[1][h], 17);
    s[2][h] = _mm256_xor_si256(s[2][h], s[0][h]);
    s[3][h] = _mm256_xor_si256(s[3][h], s[1][h]);
    s[1][h] = _mm256_xor_si256(s[1][h], s[2][h]);
    s[0][h] = _mm256_xor_si256(s[0][h], s[3][h]);
    s[2][h] = _mm256_xor_si256(s[2][h], shifted);
    s[3][h] = rotate<45>(s[3][h]);
    return result;
  }
};

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

/// Counts are at most 31, so four products of pairs (2 * 31 * 128 each) fit 16 bits.
template <int kPlanes>
void dot_block(const std::uint8_t* counts, const std::int8_t* planes, std::size_t plane_stride,
               std::size_t rows, std::int64_t* sums) noexcept {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sum[kPlanes];
  for (auto& value : sum) value = _mm256_setzero_si256();
  for (std::size_t i = 0; i < rows; i += kStepRows) {
    const __m256i count0 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(counts + i));
    const __m256i count1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(counts + i) + 1);
    for (int p = 0; p < kPlanes; ++p) {
      const auto* plane = reinterpret_cast<const __m256i*>(planes + p * plane_stride + i);
      const __m256i pairs =
          _mm256_add_epi16(_mm256_maddubs_epi16(count0, _mm256_loadu_si256(plane)),
                           _mm256_maddubs_epi16(count1, _mm256_loadu_si256(plane + 1)));
      sum[p] = _mm256_add_epi32(sum[p], _mm256_madd_epi16(pairs, ones));
    }
  }
  for (int p = 0; p < kPlanes; ++p) {
    alignas(32) std::int32_t parts[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(parts), sum[p]);
    for (const std::int32_t part : parts) sums[p] += part;
  }
}

void dot(const std::uint8_t* counts, std::size_t count_stride, std::size_t replicates,
         const std::int8_t* planes, std::size_t plane_stride, std::size_t plane_count,
         std::size_t rows, std::int64_t* sums) noexcept {
  for (std::size_t r = 0; r < replicates; ++r) {
    const std::uint8_t* count = counts + r * count_stride;
    std::int64_t* sum = sums + r * plane_count;
    std::size_t p = 0;
    for (; p + 4 <= plane_count; p += 4)
      dot_block<4>(count, planes + p * plane_stride, plane_stride, rows, sum + p);
    for (; p < plane_count; ++p)
      dot_block<1>(count, planes + p * plane_stride, plane_stride, rows, sum + p);
  }
}

void draw_exponentials_at_once(LaneState& state, std::size_t rows, double* weights) noexcept {
  Generator generator(state);
  for (std::size_t first = 0; first < rows; first += 8)
    for (int h = 0; h < 2; ++h)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(weights + first) + h, generator.next(h));
  generator.save(state);
  words_to_exponentials(rows, weights);
}

}  // namespace

const Kernels kAvx2 = {seed_lanes,
                       draw_words,
                       draw_counts,
                       dot,
                       quantize_values,
                       split_integers,
                       gather_features,
                       draw_rows,
                       draw_exponentials_at_once,
                       weigh_features,
                       draw_blocks,
                       add_blocks};

}  // namespace bootfold::execution::simd
