// Path `stream`: counts times features, over tiles of rows that stay in cache.
//
// A worker takes a group of replicates and walks once over the rows. A tile is read, its features
// are made and split into digit planes once for the whole group; then every replicate draws its
// counts for the tile and adds four dot products of bytes. Nothing is kept but integer sums.
#include <array>
#include <memory>

#include "bootstrap/paths.h"
#include "bootstrap/sums.h"
#include "plan/tile.h"
#include "resample/counts.h"

namespace bootfold::paths {

namespace {

using execution::simd::Kernels;
using execution::simd::LaneState;
using execution::simd::OpenRow;
using planning::Prepared;
using resample::Attempt;

constexpr std::size_t kSide =
    execution::simd::kDotReplicates;  // replicates whose dot products share a load of the planes

/// What all workers share: nothing here changes during the run.
struct Shared {
  explicit Shared(const Run& r)
      : run(r),
        kernels(execution::simd::kernels(r.prepared.plan.level)),
        poisson(resample::count_mean(r.prepared.plan.rows, resample::kMargin)) {
    for (const auto& fixed : r.prepared.fixed) {
      first_plane.push_back(planes);
      planes += fixed.digits;
    }
    if (r.prepared.keeps_integers()) integers = integer_features(r.prepared, kernels);
  }

  const Run& run;
  const Kernels& kernels;
  resample::Poisson poisson;
  std::vector<std::size_t> first_plane;  // of each feature
  std::size_t planes = 0;
  std::vector<std::int64_t> integers;  // of few rows: for the top-up
};

/// One replicate on its way.
struct Replicate {
  Attempt attempt;
  std::uint64_t total = 0;
};

class Walker {
 public:
  explicit Walker(const Shared& shared)
      : shared_(shared),
        prepared_(shared.run.prepared),
        rows_(prepared_.plan.rows),
        features_(prepared_.problem.features.count()),
        tile_rows_(prepared_.tile_rows),
        reader_(prepared_.problem.data, tile_rows_),
        finish_(prepared_),
        made_(features_ * tile_rows_),
        integers_(tile_rows_),
        planes_(shared.planes * tile_rows_),
        counts_(kSide * tile_rows_),
        open_(tile_rows_),
        drawn_(tile_rows_),
        sums_(features_) {}

  /// Makes the replicates first .. last - 1.
  void make(std::uint64_t first, std::uint64_t last, const execution::Worker& worker) {
    group_.clear();
    for (std::uint64_t r = first; r < last; ++r) group_.push_back({{shared_.run.seed, r, 0}});
    while (!group_.empty()) {
      walk(worker);
      std::size_t again = 0;
      for (std::size_t i = 0; i < group_.size(); ++i) {
        if (group_[i].total <= rows_) {
          top_up(i);
        } else {  // the counts of this attempt cannot be filled up to n: the next one
          group_[again++] = {{shared_.run.seed, group_[i].attempt.replicate,
                              static_cast<std::uint8_t>(group_[i].attempt.number + 1)}};
        }
      }
      group_.resize(again);
    }
  }

 private:
  /// Counts and dot products of the whole group over all rows.
  void walk(const execution::Worker& worker) {
    lanes_.resize(group_.size());
    plane_sums_.assign(group_.size() * shared_.planes, 0);
    for (std::uint64_t row = 0; row < rows_; row += tile_rows_) {
      worker.check();
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows_, rows_ - row));
      load(row, size);
      for (std::size_t i = 0; i < group_.size(); i += kSide) {
        const std::size_t side = std::min(kSide, group_.size() - i);
        for (std::size_t k = 0; k < side; ++k)
          begin_tile(shared_.kernels, group_[i + k].attempt, row, lanes_[i + k]);
        for (std::size_t k = 0; k < side; ++k)
          group_[i + k].total +=
              draw_begun_tile(shared_.kernels, shared_.poisson, group_[i + k].attempt, row, size,
                              lanes_[i + k], counts_.data() + k * tile_rows_, open_.data());
        shared_.kernels.dot(counts_.data(), tile_rows_, side, planes_.data(), tile_rows_,
                            shared_.planes, (size + 63) / 64 * 64,
                            plane_sums_.data() + i * shared_.planes);
      }
      if (group_[0].attempt.number == 0)
        worker.advance(static_cast<double>(size) * static_cast<double>(group_.size()));
    }
  }

  /// Reads a tile and splits its features into planes of digits. A tile stays loaded.
  void load(std::uint64_t row, std::size_t size) {
    if (loaded_ == row) return;
    prepared_.problem.features.make(reader_.read(row, size), made_.data(), tile_rows_);
    for (std::size_t f = 0; f < features_; ++f) {
      const auto& fixed = prepared_.fixed[f];
      shared_.kernels.quantize(made_.data() + f * tile_rows_, size, fixed.point, integers_.data());
      shared_.kernels.split(integers_.data(), size, fixed.digits,
                            planes_.data() + shared_.first_plane[f] * tile_rows_, tile_rows_);
    }
    loaded_ = row;
  }

  /// Adds the rows that bring the counts up to n, and finishes the replicate.
  void top_up(std::size_t i) {
    const std::int64_t* planes = plane_sums_.data() + i * shared_.planes;
    for (std::size_t f = 0; f < features_; ++f) {
      __int128 sum = 0;
      for (std::size_t d = prepared_.fixed[f].digits; d-- > 0;)
        sum = sum * 256 + planes[shared_.first_plane[f] + d];
      sums_[f] = sum;
    }
    const std::uint64_t missing = rows_ - group_[i].total;
    if (prepared_.keeps_integers()) {
      add_kept_rows(i, missing);
    } else {
      add_rows(i, missing);
    }
    finish_(sums_, shared_.run.values_of(group_[i].attempt.replicate));
  }

  /// The top-up straight from the integers of the rows. Plain loads: faster than gathers by SIMD.
  void add_kept_rows(std::size_t i, std::uint64_t missing) {
    constexpr std::size_t kSafe = 128;  // so many integers of 55 bits sum to 62 bits
    resample::TopUp rows(shared_.kernels, group_[i].attempt, rows_, lanes_[i]);
    std::array<std::uint32_t, kSafe + resample::kSideBySide> drawn;
    for (std::uint64_t left = missing; left > 0;) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kSafe, left));
      rows.draw_short(std::span(drawn).first(size));
      for (std::size_t f = 0; f < features_; ++f) {
        const std::int64_t* feature = shared_.integers.data() + f * rows_;
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < size; ++k) sum += feature[drawn[k]];
        sums_[f] += sum;
      }
      left -= size;
    }
  }

  /// The top-up of many rows, looked up where they lie.
  void add_rows(std::size_t i, std::uint64_t missing) {
    resample::TopUp rows(shared_.kernels, group_[i].attempt, rows_, lanes_[i]);
    for (std::uint64_t first = 0; first < missing; first += tile_rows_) {
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows_, missing - first));
      const std::span<std::uint64_t> drawn(drawn_.data(), size);
      rows.draw(drawn);
      prepared_.problem.features.make(reader_.gather(drawn), made_.data(), tile_rows_);
      for (std::size_t f = 0; f < features_; ++f) {
        shared_.kernels.quantize(made_.data() + f * tile_rows_, size, prepared_.fixed[f].point,
                                 integers_.data());
        for (std::size_t k = 0; k < size; ++k) sums_[f] += integers_[k];
      }
    }
  }

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  const Shared& shared_;
  const Prepared& prepared_;
  std::uint64_t rows_;
  std::size_t features_;
  std::size_t tile_rows_;
  planning::TileReader reader_;
  Finisher finish_;
  std::uint64_t loaded_ = kNone;
  std::vector<double> made_;
  std::vector<std::int64_t> integers_;
  std::vector<std::int8_t> planes_;
  std::vector<std::uint8_t> counts_;
  std::vector<OpenRow> open_;
  std::vector<std::uint64_t> drawn_;
  std::vector<__int128> sums_;
  std::vector<Replicate> group_;
  std::vector<LaneState> lanes_;
  std::vector<std::int64_t> plane_sums_;
};

}  // namespace

void run_stream(const Run& run) {
  const Shared shared(run);
  std::vector<std::unique_ptr<Walker>> walkers(run.prepared.plan.threads);
  // Small enough that all threads have work, large enough that a tile is read for many.
  const std::uint64_t share = run.replicates() / (2 * run.prepared.plan.threads) + 1;
  const std::uint64_t group =
      std::min<std::uint64_t>(run.prepared.group, (share + kSide - 1) / kSide * kSide);
  for_each_group(run, group,
                 [&](std::uint64_t first, std::uint64_t last, const execution::Worker& worker) {
                   auto& walker = walkers[worker.index()];
                   if (!walker) walker = std::make_unique<Walker>(shared);
                   walker->make(first, last, worker);
                 });
}

}  // namespace bootfold::paths
