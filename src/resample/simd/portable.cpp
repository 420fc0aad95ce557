// Kernels in plain C++: the reference that the other levels must equal to the bit.
#include <cstring>

#include "resample/simd/body.h"

namespace bootfold::resample::simd {
namespace {

bool draw_counts(LaneState& state, const LayerTable& table, std::size_t rows, std::uint8_t* counts,
                 Replaced& replaced) noexcept {
  LaneState lanes = state;
  std::uint64_t words[8];
  random::simd::next(lanes, words);
  const std::uint32_t sparse = table.sparse_rows(words[0], words[2]);
  const std::uint32_t rare = table.rare_rows(words[1], words[3]);
  const std::uint32_t inside = table.positions - 1;
  for (std::size_t i = 0; i < sparse; i += 32) {
    random::simd::next(lanes, words);
    std::uint16_t bits[32];
    std::memcpy(bits, words, sizeof bits);
    for (std::size_t k = 0; k < 32; ++k) {
      replaced.row[i + k] = static_cast<std::uint16_t>(bits[k] & inside);
      replaced.count[i + k] = table.sparse[bits[k] >> 12];
    }
  }
  bool open = false;
  for (std::size_t i = 0; i < rare; i += 16) {
    random::simd::next(lanes, words);
    std::uint16_t bits[32];
    std::memcpy(bits, words, sizeof bits);
    for (std::size_t k = 0; k < 16; ++k) {
      replaced.row[sparse + i + k] = static_cast<std::uint16_t>(bits[k] & inside);
      replaced.count[sparse + i + k] = rare_count(table, bits[16 + k]);
      open = open || (i + k < rare && replaced.count[sparse + i + k] == kOpen);
    }
  }
  finish_list(replaced, sparse, rare);
  for (std::size_t i = 0; i < rows; i += kStepRows) {
    random::simd::next(lanes, words);
    std::uint8_t bits[64];
    std::memcpy(bits, words, sizeof bits);
    for (std::size_t k = 0; k < 64; ++k) {
      counts[i + k] = table.dense[bits[k] & 15U];
      counts[i + 64 + k] = table.dense[bits[k] >> 4];
    }
  }
  state = lanes;
  replace(replaced, counts);
  clear_tail(counts, rows);
  return open;
}

}  // namespace

const Kernels kPortable = {.counts = draw_counts,
                           .total = add_counts,
                           .top_up = draw_top_up,
                           .rows = draw_rows,
                           .blocks = draw_blocks,
                           .stratum_rows = draw_stratum_rows};

}  // namespace bootfold::resample::simd
