// Kernels in plain C++: the reference that the other levels must equal to the bit.
#include "execution/simd/body.h"

namespace bootfold::execution::simd {
namespace {

std::uint64_t draw_counts(LaneState& state, const PoissonTable& table, std::size_t rows,
                          std::uint8_t* counts, OpenRow* open, std::size_t& open_rows) noexcept {
  LaneState lanes = state;
  std::uint64_t total = 0;
  open_rows = 0;
  for (std::size_t first = 0; first < rows; first += kStepRows) {
    std::uint64_t words[16];
    next(lanes, words);
    next(lanes, words + 8);
    std::uint8_t high[kStepRows];
    std::uint8_t low[kStepRows];
    std::memcpy(high, words, sizeof high);
    std::memcpy(low, words + 8, sizeof low);
    for (std::size_t i = 0; i < kStepRows; ++i) {
      const std::uint32_t bits = static_cast<std::uint32_t>(high[i]) << 8 | low[i];
      std::uint8_t count = table.lookup[bits];
      if (count == kOpen) [[unlikely]] {
        open[open_rows++] = {static_cast<std::uint32_t>(first + i), bits};
        count = 0;
      }
      counts[first + i] = count;
      total += count;
    }
  }
  state = lanes;
  return total - clear_tail(counts, rows, open, open_rows);
}

void dot(const std::uint8_t* counts, std::size_t count_stride, std::size_t replicates,
         const std::int8_t* planes, std::size_t plane_stride, std::size_t plane_count,
         std::size_t rows, std::int64_t* sums) noexcept {
  for (std::size_t r = 0; r < replicates; ++r)
    for (std::size_t p = 0; p < plane_count; ++p) {
      const std::uint8_t* count = counts + r * count_stride;
      const std::int8_t* plane = planes + p * plane_stride;
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < rows; ++i)
        sum += static_cast<std::int16_t>(count[i]) * static_cast<std::int16_t>(plane[i]);
      sums[r * plane_count + p] += sum;
    }
}

}  // namespace

const Kernels kPortable = {seed_lanes,        draw_words,     draw_counts,     dot,
                           quantize_values,   split_integers, gather_features, draw_rows,
                           draw_exponentials, weigh_features, draw_blocks,     add_blocks};

}  // namespace bootfold::execution::simd
