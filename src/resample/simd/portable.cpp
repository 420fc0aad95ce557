// Kernels in plain C++: the reference that the other levels must equal to the bit.
#include <cstring>

#include "resample/simd/body.h"

namespace bootfold::resample::simd {
namespace {

std::uint64_t draw_counts(LaneState& state, const PoissonTable& table, std::size_t rows,
                          std::uint8_t* counts, OpenRow* open, std::size_t& open_rows) noexcept {
  LaneState lanes = state;
  std::uint64_t total = 0;
  open_rows = 0;
  for (std::size_t first = 0; first < rows; first += kStepRows) {
    std::uint64_t words[16];
    random::simd::next(lanes, words);
    random::simd::next(lanes, words + 8);
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

}  // namespace

const Kernels kPortable = {.counts = draw_counts, .rows = draw_rows, .blocks = draw_blocks};

}  // namespace bootfold::resample::simd
