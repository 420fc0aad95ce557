// Path `gather` for functions of sums: draw row numbers, add the rows' integer features.
//
// Short resamples are drawn 16 replicates side by side: a lane of the stream belongs to a
// replicate, so that one seeding serves them all. Longer ones have a stream each.
#include <array>

#include "paths/paths.h"
#include "paths/sums.h"
#include "random/counter.h"
#include "resample/rows.h"

namespace bootfold::paths {

namespace {

using execution::simd::Kernels;
using execution::simd::LaneState;
using random::Purpose;
using resample::kDrawsAtOnce;
using resample::kSideBySide;

struct Drawer {
  Drawer(const Run& r, const Kernels& k, std::span<const std::int64_t> i)
      : run(r),
        kernels(k),
        integers(i),
        rows(r.prepared.plan.rows),
        draws(r.prepared.plan.draws),
        features(r.prepared.fixed.size()),
        draw(resample::row_draw(static_cast<std::uint32_t>(rows))),
        finish(r.prepared),
        lane_sums(features * kSideBySide),
        wide_sums(features * kSideBySide),
        sums(features),
        means(features * kSideBySide) {}

  /// The row that replaces a rejected draw.
  [[nodiscard]] std::uint32_t redrawn(std::uint64_t replicate, std::size_t position) const {
    return resample::redraw({run.seed, replicate, Purpose::index_retry},
                            static_cast<std::uint32_t>(position), draw);
  }

  /// Up to 16 short replicates that share a stream: those of `batch` within [first, last).
  void make_batch(std::uint64_t batch, std::uint64_t first, std::uint64_t last) {
    constexpr std::size_t kSteps = kDrawsAtOnce / kSideBySide;
    constexpr std::size_t kSafeDraws = 256;  // so many integers of 55 bits fit 64
    kernels.seed(random::lane_counter({run.seed, batch, Purpose::short_index}, 0), lanes);
    std::fill(lane_sums.begin(), lane_sums.end(), 0);
    std::fill(wide_sums.begin(), wide_sums.end(), 0);
    for (std::size_t step = 0; step < draws; step += kSteps) {
      std::size_t rejections = 0;
      kernels.gather(lanes, draw, std::min(kSteps, draws - step), kSideBySide, integers.data(),
                     rows, features, lane_sums.data(), rejected.data(), rejections);
      for (std::size_t i = 0; i < rejections; ++i) {
        const std::size_t lane = rejected[i] % kSideBySide;
        const std::uint32_t row =
            redrawn(batch * kSideBySide + lane, step + rejected[i] / kSideBySide);
        for (std::size_t f = 0; f < features; ++f)
          lane_sums[f * kSideBySide + lane] += integers[f * rows + row];
      }
      if (draws <= kSafeDraws) continue;
      for (std::size_t i = 0; i < lane_sums.size(); ++i) {
        wide_sums[i] += lane_sums[i];
        lane_sums[i] = 0;
      }
    }
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t lane = 0; lane < kSideBySide; ++lane) {
        const std::size_t at = f * kSideBySide + lane;
        const auto& fixed = run.prepared.fixed[f];
        const auto count = static_cast<double>(draws);
        means[lane * features + f] = draws <= kSafeDraws ? fixed.mean(lane_sums[at], count)
                                                         : fixed.mean(wide_sums[at], count);
      }
    for (std::size_t lane = 0; lane < kSideBySide; ++lane) {
      const std::uint64_t replicate = batch * kSideBySide + lane;
      if (replicate >= first && replicate < last)
        finish.from_means(std::span(means).subspan(lane * features, features),
                          static_cast<double>(draws), run.values_of(replicate));
    }
  }

  /// One replicate with a stream of its own.
  void make_one(std::uint64_t replicate) {
    kernels.seed(random::lane_counter({run.seed, replicate, Purpose::index}, 0), lanes);
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t first = 0; first < draws; first += kDrawsAtOnce) {
      const std::size_t size = std::min(kDrawsAtOnce, draws - first);
      const std::size_t steps = (size + kSideBySide - 1) / kSideBySide;
      std::size_t rejections = 0;
      std::fill(lane_sums.begin(), lane_sums.end(), 0);
      kernels.gather(lanes, draw, steps, size - (steps - 1) * kSideBySide, integers.data(), rows,
                     features, lane_sums.data(), rejected.data(), rejections);
      for (std::size_t f = 0; f < features; ++f)
        for (std::size_t lane = 0; lane < kSideBySide; ++lane)
          sums[f] += lane_sums[f * kSideBySide + lane];
      for (std::size_t i = 0; i < rejections; ++i) {
        const std::uint32_t row = redrawn(replicate, first + rejected[i]);
        for (std::size_t f = 0; f < features; ++f) sums[f] += integers[f * rows + row];
      }
    }
    finish(sums, run.values_of(replicate));
  }

  const Run& run;
  const Kernels& kernels;
  std::span<const std::int64_t> integers;
  std::size_t rows;
  std::size_t draws;
  std::size_t features;
  execution::simd::RowDraw draw;
  Finisher finish;
  LaneState lanes;
  std::vector<std::int64_t> lane_sums;  // [feature][lane]
  std::vector<__int128> wide_sums;      // the same, of many draws
  std::vector<__int128> sums;           // [feature]
  std::vector<double> means;            // [lane][feature]
  std::array<std::uint32_t, kDrawsAtOnce> rejected;
};

}  // namespace

void run_gather(const Run& run) {
  const Kernels& kernels = execution::simd::kernels(run.prepared.plan.level);
  const std::vector<std::int64_t> integers = integer_features(run.prepared, kernels);
  const std::uint64_t draws = run.prepared.plan.draws;
  const bool side_by_side = run.prepared.plan.rows <= resample::kShortRows;
  const std::uint64_t group = std::max<std::uint64_t>(side_by_side ? kSideBySide : 1,
                                                      (side_by_side ? 1'048'576 : 65536) / draws);
  for_each_group(run, group, draws,
                 [&](std::uint64_t first, std::uint64_t last, const execution::Worker& worker) {
                   Drawer drawer(run, kernels, integers);
                   if (side_by_side) {
                     for (std::uint64_t batch = first / kSideBySide; batch * kSideBySide < last;
                          ++batch)
                       drawer.make_batch(batch, first, last);
                   } else {
                     for (std::uint64_t r = first; r < last; ++r) drawer.make_one(r);
                   }
                   worker.advance(static_cast<double>((last - first) * draws));
                 });
}

}  // namespace bootfold::paths
