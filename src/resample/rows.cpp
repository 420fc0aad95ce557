#include "resample/rows.h"

#include <algorithm>
#include <array>

#include "random/counter.h"

namespace bootfold::resample {

using random::Purpose;

std::uint32_t redraw(const random::StreamId& id, std::uint32_t position,
                     const simd::RowDraw& draw) {
  // Every position has a run of 2^16 Philox calls of its own.
  for (std::uint64_t call = std::uint64_t{position} << 16;; ++call)
    for (const std::uint32_t bits : random::block(id, call)) {
      const std::uint64_t product = std::uint64_t{bits} * draw.rows;
      if (static_cast<std::uint32_t>(product) >= draw.reject)
        return static_cast<std::uint32_t>(product >> 32);
    }
}

void draw_rows(execution::Level level, std::uint64_t seed, std::uint64_t replicate,
               std::uint32_t rows, std::span<std::uint32_t> out) {
  const simd::RowDraw draw = row_draw(rows);
  const random::StreamId retry{seed, replicate, Purpose::index_retry};
  std::array<std::uint32_t, kDrawsAtOnce> rejected;
  std::size_t rejections = 0;
  random::simd::LaneState lanes;
  const simd::Kernels& kernels = simd::kernels(level);
  if (rows > kShortRows) {
    random::simd::kernels(level).seed(random::lane_counter({seed, replicate, Purpose::index}, 0),
                                      lanes);
    for (std::size_t first = 0; first < out.size(); first += kDrawsAtOnce) {
      kernels.rows(lanes, draw, std::min(kDrawsAtOnce, out.size() - first), out.data() + first,
                   rejected.data(), rejections);
      for (std::size_t i = 0; i < rejections; ++i) {
        const std::size_t position = first + rejected[i];
        out[position] = redraw(retry, static_cast<std::uint32_t>(position), draw);
      }
    }
    return;
  }
  // One lane of a batch of short resamples.
  const auto lane = static_cast<std::uint32_t>(replicate % kSideBySide);
  std::array<std::uint32_t, kSideBySide> step;
  random::simd::kernels(level).seed(
      random::lane_counter({seed, replicate / kSideBySide, Purpose::short_index}, 0), lanes);
  for (std::size_t position = 0; position < out.size(); ++position) {
    kernels.rows(lanes, draw, kSideBySide, step.data(), rejected.data(), rejections);
    const auto last = rejected.begin() + static_cast<std::ptrdiff_t>(rejections);
    out[position] = std::find(rejected.begin(), last, lane) == last
                        ? step[lane]
                        : redraw(retry, static_cast<std::uint32_t>(position), draw);
  }
}

void draw_rows(execution::Level level, std::uint64_t seed, std::uint64_t replicate,
               std::size_t rows, std::size_t draws, std::vector<std::uint32_t>& out) {
  out.resize(draws + kSideBySide);
  draw_rows(level, seed, replicate, static_cast<std::uint32_t>(rows), std::span(out.data(), draws));
  out.resize(draws);
}

void draw_batch(execution::Level level, std::uint64_t seed, std::uint64_t batch, std::uint32_t rows,
                std::span<std::uint32_t> out) {
  const simd::RowDraw draw = row_draw(rows);
  std::array<std::uint32_t, kSideBySide> step;
  std::array<std::uint32_t, kSideBySide> rejected;
  random::simd::LaneState lanes;
  const simd::Kernels& kernels = simd::kernels(level);
  random::simd::kernels(level).seed(random::lane_counter({seed, batch, Purpose::short_index}, 0),
                                    lanes);
  const std::size_t draws = out.size() / kSideBySide;
  for (std::uint32_t position = 0; position < draws; ++position) {
    std::size_t rejections = 0;
    kernels.rows(lanes, draw, kSideBySide, step.data(), rejected.data(), rejections);
    for (std::size_t i = 0; i < rejections; ++i)
      step[rejected[i]] =
          redraw({seed, batch * kSideBySide + rejected[i], Purpose::index_retry}, position, draw);
    for (std::size_t lane = 0; lane < kSideBySide; ++lane)
      out[lane * draws + position] = step[lane];
  }
}

}  // namespace bootfold::resample
