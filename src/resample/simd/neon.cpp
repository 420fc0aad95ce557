// Kernels for NEON.
#include "random/simd/lanes_neon.h"
#include "resample/simd/body.h"
#include "resample/simd/row_step_neon.h"
//
#include "resample/simd/row_draws.h"

namespace bootfold::resample::simd {
namespace {

uint16x8_t halves(uint64x2_t bits) { return vreinterpretq_u16_u64(bits); }
uint8x16_t bytes(uint64x2_t bits) { return vreinterpretq_u8_u64(bits); }

/// All bits of the lanes that reach `end`, which may be 65536.
uint16x8_t reached(uint16x8_t bits, std::uint32_t end) {
  if (end > 0xFFFF) return vdupq_n_u16(0);
  return vcgeq_u16(bits, vdupq_n_u16(static_cast<std::uint16_t>(end)));
}

/// The counts of eight rows of the third layer; kOpen where the bits do not decide.
uint8x8_t rare_counts(const LayerTable& table, uint16x8_t bits) {
  uint16x8_t count = vdupq_n_u16(table.rare_first);
  for (const std::uint32_t end : table.rare_end) count = vsubq_u16(count, reached(bits, end));
  static_assert(kOpen == 255);
  return vmovn_u16(vorrq_u16(count, reached(bits, table.rare_open)));
}

bool draw_counts(LaneState& state, const LayerTable& table, std::size_t rows, std::uint8_t* counts,
                 Replaced& replaced) noexcept {
  Generator generator(state);
  std::uint64_t words[4];
  vst1q_u64(words, generator.next(0));
  vst1q_u64(words + 2, generator.next(1));
  generator.next(2);
  generator.next(3);
  const std::uint32_t sparse = table.sparse_rows(words[0], words[2]);
  const std::uint32_t rare = table.rare_rows(words[1], words[3]);
  const uint16x8_t inside = vdupq_n_u16(static_cast<std::uint16_t>(table.positions - 1));
  const uint8x16_t with = vld1q_u8(table.sparse);
  for (std::size_t i = 0; i < sparse; i += 32)
    for (int h = 0; h < 4; h += 2) {
      const uint64x2_t first = generator.next(h);
      const uint64x2_t second = generator.next(h + 1);
      std::uint16_t* row = replaced.row + i + 8 * h;
      vst1q_u16(row, vandq_u16(halves(first), inside));
      vst1q_u16(row + 8, vandq_u16(halves(second), inside));
      const uint8x16_t high = vuzp2q_u8(bytes(first), bytes(second));
      vst1q_u8(replaced.count + i + 8 * h, vqtbl1q_u8(with, vshrq_n_u8(high, 4)));
    }
  bool open = false;
  for (std::size_t i = 0; i < rare; i += 16) {
    std::uint16_t* row = replaced.row + sparse + i;
    vst1q_u16(row, vandq_u16(halves(generator.next(0)), inside));
    vst1q_u16(row + 8, vandq_u16(halves(generator.next(1)), inside));
    const uint8x8_t first = rare_counts(table, halves(generator.next(2)));
    const uint8x16_t count = vcombine_u8(first, rare_counts(table, halves(generator.next(3))));
    vst1q_u8(replaced.count + sparse + i, count);
    constexpr uint8x16_t kLanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const auto used = static_cast<std::uint8_t>(rare - i < 16 ? rare - i : 16);
    const uint8x16_t undecided =
        vandq_u8(vceqq_u8(count, vdupq_n_u8(kOpen)), vcltq_u8(kLanes, vdupq_n_u8(used)));
    open = open || vmaxvq_u8(undecided) != 0;
  }
  finish_list(replaced, sparse, rare);
  const uint8x16_t dense = vld1q_u8(table.dense);
  for (std::size_t i = 0; i < rows; i += kStepRows)
    for (int h = 0; h < 4; ++h) {
      const uint8x16_t bits = bytes(generator.next(h));
      vst1q_u8(counts + i + 16 * h, vqtbl1q_u8(dense, vandq_u8(bits, vdupq_n_u8(15))));
      vst1q_u8(counts + i + 64 + 16 * h, vqtbl1q_u8(dense, vshrq_n_u8(bits, 4)));
    }
  generator.save(state);
  replace(replaced, counts);
  clear_tail(counts, rows);
  return open;
}

std::uint64_t total(const std::uint8_t* counts, std::size_t rows) noexcept {
  uint64x2_t sum = vdupq_n_u64(0);
  for (std::size_t i = 0; i < rows; i += 64) {
    uint16x8_t pairs = vpaddlq_u8(vld1q_u8(counts + i));
    for (int h = 1; h < 4; ++h) pairs = vpadalq_u8(pairs, vld1q_u8(counts + i + 16 * h));
    sum = vpadalq_u32(sum, vpaddlq_u16(pairs));
  }
  return vaddvq_u64(sum);
}

}  // namespace

const Kernels kNeon = {.counts = draw_counts,
                       .total = total,
                       .top_up = draw_top_up_at_once,
                       .rows = draw_rows_at_once,
                       .blocks = draw_blocks,
                       .stratum_rows = draw_stratum_rows};

}  // namespace bootfold::resample::simd
