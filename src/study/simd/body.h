// What all levels share: plain loops over fixed numbers of lanes that the compiler vectorises with
// the flags of the including file. Everything has internal linkage, so that code compiled for one
// instruction set can never be picked for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "resample/simd/row_step.h"
#include "study/simd/kernels.h"

namespace bootfold::study::simd {
namespace {

using resample::simd::kStepDraws;
constexpr std::size_t kStepRows = 128;  // rows of a step of dot products

[[maybe_unused]] void quantize_values(const double* values, std::size_t rows,
                                      const FixedPoint& point, std::int64_t* integers) noexcept {
  // Adding 1.5 * 2^52 rounds to an integer (half to even) that then stands in the low bits. In two
  // steps of 28 bits, because the integers have up to 55.
  constexpr double kRound = 0x1.8p52;
  for (std::size_t i = 0; i < rows; ++i) {
    const double v = (values[i] - point.centre) * point.scale * point.rescale;
    const double high = (v * 0x1p-28 + kRound) - kRound;
    const double low = v - high * 0x1p28;
    const double high_bits = high + kRound;
    const double low_bits = low + kRound;
    std::uint64_t h;
    std::uint64_t l;
    std::memcpy(&h, &high_bits, sizeof h);
    std::memcpy(&l, &low_bits, sizeof l);
    constexpr std::uint64_t kBias = 0x4338000000000000;  // the bits of kRound
    // Modulo 2^64: larger values are rounded elsewhere (study/fixed_point.h).
    integers[i] = static_cast<std::int64_t>(((h - kBias) << 28) + (l - kBias));
  }
}

[[maybe_unused]] void split_integers(const std::int64_t* integers, std::size_t rows,
                                     std::size_t digits, std::int8_t* planes,
                                     std::size_t plane_stride) noexcept {
  // With 128 added to every digit they are the bytes of an ordinary number.
  const std::uint64_t bias = 0x8080808080808080U >> (64 - 8 * digits);
  for (std::size_t d = 0; d < digits; ++d) {
    std::int8_t* plane = planes + d * plane_stride;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint64_t biased = static_cast<std::uint64_t>(integers[i]) + bias;
      plane[i] = static_cast<std::int8_t>(static_cast<std::uint8_t>(biased >> (8 * d)) ^ 0x80U);
    }
  }
}

[[maybe_unused]] void gather_features(LaneState& state, const RowDraw& draw, std::size_t steps,
                                      std::size_t last_lanes, const std::int64_t* features,
                                      std::size_t feature_stride, std::size_t feature_count,
                                      std::int64_t* sums, std::uint32_t* rejected,
                                      std::size_t& rejections) noexcept {
  LaneState lanes = state;
  std::uint32_t rows[kStepDraws];
  std::uint32_t low[kStepDraws];
  rejections = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    resample::simd::draw_step(lanes, draw, rows, low);
    const std::size_t used = step + 1 == steps ? last_lanes : kStepDraws;
    const bool rejecting = resample::simd::any_below(low, draw.reject);
    if (used == kStepDraws && !rejecting) [[likely]] {
      for (std::size_t f = 0; f < feature_count; ++f)
        for (std::size_t i = 0; i < kStepDraws; ++i)
          sums[f * kStepDraws + i] += features[f * feature_stride + rows[i]];
      continue;
    }
    for (std::size_t i = 0; i < used; ++i) {
      if (low[i] < draw.reject) {
        rejected[rejections++] = static_cast<std::uint32_t>(step * kStepDraws + i);
        continue;
      }
      for (std::size_t f = 0; f < feature_count; ++f)
        sums[f * kStepDraws + i] += features[f * feature_stride + rows[i]];
    }
  }
  state = lanes;
}

[[maybe_unused]] double* repeat_values(const double* values, const std::uint8_t* counts,
                                       std::size_t rows, double* out) noexcept {
#pragma GCC unroll 4
  for (std::size_t row = 0; row < rows; ++row) {
    const double value = values[row];
    const std::size_t count = counts[row];
    for (std::size_t k = 0; k < kRepeated; ++k) out[k] = value;
    if (count > kRepeated) [[unlikely]]
      for (std::size_t k = kRepeated; k < count; ++k) out[k] = value;
    out += count;
  }
  return out;
}

[[maybe_unused]] void find_means(const std::int64_t* sums, std::size_t count, double rows,
                                 const MeanScale& scale, double* means) noexcept {
  for (std::size_t i = 0; i < count; ++i) means[i] = static_cast<double>(sums[i]);
  for (std::size_t i = 0; i < count; ++i)
    means[i] = scale.centre + means[i] / rows * scale.factor * scale.refactor;
}

[[maybe_unused]] void weigh_features(const double* weights, const double* features,
                                     std::size_t feature_stride, std::size_t feature_count,
                                     std::size_t rows, double* sums) noexcept {
  for (std::size_t f = 0; f < feature_count; ++f) {
    const double* feature = features + f * feature_stride;
    double lanes[8] = {};
    for (std::size_t i = 0; i < rows; i += 8)
      for (std::size_t lane = 0; lane < 8; ++lane)
        lanes[lane] += weights[i + lane] * feature[i + lane];
    sums[f] = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
              ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  }
}

[[maybe_unused]] void add_weighed_integers(const std::uint32_t* weights,
                                           const std::int32_t* integers, std::size_t stride,
                                           std::size_t count, std::size_t rows,
                                           __int128* sums) noexcept {
  constexpr std::size_t kSafe = 128;
  for (std::size_t f = 0; f < count; ++f)
    for (std::size_t first = 0; first < rows; first += kSafe) {
      std::int64_t part = 0;
      for (std::size_t i = first; i < rows && i < first + kSafe; ++i)
        part += std::int64_t{weights[i]} * integers[f * stride + i];
      sums[f] += part;
    }
}

[[maybe_unused]] void add_masked_weights(const std::uint32_t* weights, const std::uint32_t* masks,
                                         std::size_t stride, std::size_t count, std::size_t rows,
                                         std::uint64_t* sums) noexcept {
  for (std::size_t m = 0; m < count; ++m) {
    std::uint32_t lanes[16] = {};
    for (std::size_t i = 0; i < rows; i += 16)
      for (std::size_t lane = 0; lane < 16; ++lane)
        lanes[lane] += weights[i + lane] & masks[m * stride + i + lane];
    for (const std::uint32_t lane : lanes) sums[m] += lane;
  }
}

[[maybe_unused]] std::uint64_t add_blocks(const std::uint64_t* running, std::uint32_t rows,
                                          const std::uint32_t* starts, const std::uint32_t* lengths,
                                          std::size_t blocks) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::uint64_t end = std::uint64_t{starts[i]} + lengths[i];
    const bool around = end > rows;
    sum += running[around ? end - rows : end] - running[starts[i]] + (around ? running[rows] : 0);
  }
  return sum;
}

}  // namespace

}  // namespace bootfold::study::simd
