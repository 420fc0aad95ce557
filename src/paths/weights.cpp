// Path `weights`: the Bayesian bootstrap. Dirichlet weights are exponential ones over their sum.
//
// As in path stream a worker takes a group of replicates and walks once over the rows; the features
// of a tile are made once for the group. Sums are doubles, added up in an order that depends on the
// rows alone.
#include <array>

#include "numeric/compensated.h"
#include "paths/paths.h"
#include "paths/sums.h"
#include "random/counter.h"
#include "resample/counts.h"
#include "study/tile.h"

namespace bootfold::paths {

namespace {

using execution::simd::Kernels;
using execution::simd::LaneState;
using numeric::Compensated;

class Weigher {
 public:
  Weigher(const Run& run, const execution::Worker& worker)
      : run_(run),
        worker_(worker),
        kernels_(execution::simd::kernels(run.prepared.plan.level)),
        rows_(run.prepared.plan.rows),
        features_(run.prepared.problem.features.count()),
        tile_rows_(study::feature_tile_rows(features_)),
        reader_(run.prepared.problem.data, tile_rows_),
        made_((features_ + 1) * tile_rows_, 1),  // the last feature is 1: it sums up the weights
        weights_(tile_rows_),
        tile_sums_(features_ + 1) {}

  void make(std::uint64_t first, std::uint64_t last) {
    const std::size_t group = last - first;
    lanes_.resize(group);
    sums_.assign(group * (features_ + 1), {});
    for (std::uint64_t row = 0; row < rows_; row += tile_rows_) {
      worker_.check();
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows_, rows_ - row));
      run_.prepared.problem.features.make(reader_.read(row, size), made_.data(), tile_rows_);
      for (std::size_t i = 0; i < group; ++i) add_tile(row, size, first + i, i);
      worker_.advance(static_cast<double>(size) * static_cast<double>(group));
    }
    std::vector<double> means(features_);
    std::vector<double> scratch(features_);
    for (std::size_t i = 0; i < group; ++i) {
      const Compensated* sums = sums_.data() + i * (features_ + 1);
      for (std::size_t f = 0; f < features_; ++f)
        means[f] = sums[f].value() / sums[features_].value();
      run_.prepared.problem.finish_sums(means, static_cast<double>(rows_), kResolution,
                                        run_.values_of(first + i), scratch);
    }
  }

 private:
  /// Products of scaled columns are at most 1, and so is the error of their weighted mean / 2^-50.
  static constexpr double kResolution = 0x1p-50;

  void add_tile(std::uint64_t row, std::size_t size, std::uint64_t replicate, std::size_t i) {
    if (row % resample::kBlockRows == 0)
      kernels_.seed(random::lane_counter({run_.seed, replicate, random::Purpose::dirichlet},
                                         row / resample::kBlockRows),
                    lanes_[i]);
    kernels_.exponentials(lanes_[i], size, weights_.data());
    kernels_.weigh(weights_.data(), made_.data(), tile_rows_, features_ + 1, (size + 7) / 8 * 8,
                   tile_sums_.data());
    for (std::size_t f = 0; f <= features_; ++f) sums_[i * (features_ + 1) + f].add(tile_sums_[f]);
  }

  const Run& run_;
  const execution::Worker& worker_;
  const Kernels& kernels_;
  std::uint64_t rows_;
  std::size_t features_;
  std::size_t tile_rows_;
  study::TileReader reader_;
  std::vector<double> made_;
  std::vector<double> weights_;
  std::vector<double> tile_sums_;
  std::vector<LaneState> lanes_;
  std::vector<Compensated> sums_;  // [replicate][feature]
};

}  // namespace

void run_weights(const Run& run) {
  const std::uint64_t share = run.replicates() / (2 * run.prepared.plan.threads) + 1;
  const std::uint64_t group = std::min<std::uint64_t>(run.prepared.group, share);
  for_each_group(run, group, run.prepared.plan.rows,
                 [&](std::uint64_t first, std::uint64_t last, const execution::Worker& worker) {
                   Weigher(run, worker).make(first, last);
                 });
}

}  // namespace bootfold::paths
