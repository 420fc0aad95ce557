// What walks over the rows for path `stream`: counts times features, over tiles that stay in cache.
//
// A worker takes a group of replicates and walks once over the rows, super-block by super-block.
// Every replicate draws its counts for a tile and multiplies them with the digits of the features,
// byte by byte; at the end of a super-block come the rows of its top-up. Nothing is kept but
// integer sums, and for quantiles the counts of the few rows around them. Strata are walked over
// one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "paths/cluster_units.h"
#include "paths/digits.h"
#include "paths/entry.h"
#include "paths/quantile_finisher.h"
#include "paths/quantile_windows.h"
#include "paths/sums.h"
#include "resample/counts.h"
#include "resample/groups.h"
#include "resample/strata.h"

namespace bootfold::paths::walk {

using resample::BlockCounts;
using resample::SuperBlocks;
using resample::simd::kCountTile;

/// Replicates whose counts are drawn before they are multiplied: few, so that counts and digits
/// stay in a first-level cache.
inline constexpr std::size_t kSide = study::simd::kDotReplicates;
/// Where there are so many digits that they do not anyway, more replicates are drawn, and fewer
/// rows multiplied at a time.
inline constexpr std::size_t kWideSide = 16;

/// Whether whole clusters are drawn: then these are walked over in place of rows.
[[nodiscard]] inline bool by_cluster(const Question& question) {
  return !question.design.clusters().empty();
}

/// How the rows are handled; none of it changes a replicate.
struct Layout {
  explicit Layout(const Question& question);

  const study::FixedSums& sums;
  std::unique_ptr<const Spread> spread;
  std::uint64_t places;  // of rows
  QuantileWindows::Size windows;
  std::uint64_t units;  // rows or clusters
  Digits::Size size;
  std::size_t law_bytes;
  std::size_t kept_bytes;
  bool keeps_digits;  // of all units, for all replicates
  std::size_t side;
  std::size_t dot_rows;  // multiplied at a time
};

/// What all makers share: nothing here changes during the run.
struct Shared {
  /// Of some rows of one stratum, for functions of sums alone.
  Shared(const Question& question, const Resources& resources, const RowBatch& batch,
         std::shared_ptr<const resample::Strata> stratum, bool keeps_digits,
         std::shared_ptr<resample::CountLaws> count_laws)
      : layout(question),
        problem(question.problem()),
        level(resources.level()),
        kernels(study::simd::kernels(level)),
        strata(std::move(stratum)),
        laws(std::move(count_laws)),
        digits(layout.sums, no_windows, *strata, batch, keeps_digits, resources.execution) {}

  Shared(const Question& question, const Resources& resources)
      : layout(question),
        problem(question.problem()),
        level(resources.level()),
        kernels(study::simd::kernels(level)),
        strata(strata_of(question)),
        laws(std::make_shared<resample::CountLaws>()),
        windows(problem,
                by_cluster(question) ? resample::Strata(question.design.groups(), 0) : *strata,
                *layout.spread, resources.execution.stop, question.design.weights()),
        clusters(by_cluster(question) ? std::make_unique<const ClusterUnits>(
                                            layout.sums, problem, question.design.groups(), windows,
                                            kernels, resources.execution.stop)
                                      : nullptr),
        digits(clusters ? clusters->sums() : layout.sums, clusters ? no_windows : windows, *strata,
               layout.keeps_digits, resources.execution) {}

  /// What is walked over: the rows, or clusters as rows.
  [[nodiscard]] static std::unique_ptr<const resample::Strata> strata_of(const Question& question);

  /// The slots of a tile.
  [[nodiscard]] std::span<const WindowRow> slots(std::size_t s, std::uint64_t row,
                                                 std::size_t size) const {
    if (windows.slots() == 0) return {};
    return clusters ? clusters->slots(strata->all()[s].first + row, size) : windows.rows(s, row);
  }

  Layout layout;
  const study::Problem& problem;
  execution::Level level;
  const study::simd::Kernels& kernels;
  std::shared_ptr<const resample::Strata> strata;
  std::shared_ptr<resample::CountLaws> laws;  // made when they are first needed
  QuantileWindows windows;
  QuantileWindows no_windows;  // for clusters, of which they are features
  std::unique_ptr<const ClusterUnits> clusters;
  Digits digits;
};

class Walker final : public Maker {
 public:
  explicit Walker(const Shared& shared)
      : shared_(shared),
        limbs_(shared.digits.limbs()),
        planes_(shared.digits.planes()),
        digits_(shared.digits),
        finish_(shared.layout.sums),
        quantiles_(shared.problem, shared.windows),
        counts_(shared.layout.side * kStride + 64),
        replaced_(std::make_unique<resample::simd::Replaced>()) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> all,
            const execution::Worker& worker) override;

  /// Starts the sums of the replicates first .. last - 1.
  void start(std::uint64_t first, std::uint64_t last);

  /// Adds a super-block of a stratum to them.
  void add_block(std::size_t s, const SuperBlocks& blocks, std::uint64_t b, std::uint64_t last,
                 const execution::Worker& worker);

  /// [replicate][limb]
  [[nodiscard]] std::span<const __int128> sums() const noexcept { return sums_; }
  /// Rows drawn in each replicate.
  [[nodiscard]] std::span<const std::uint64_t> drawn() const noexcept { return drawn_; }

 private:
  /// Room for the counts of a tile, with what kernels write behind it.
  static constexpr std::size_t kStride = kCountTile + 64;

  /// All replicates of a mean at once.
  void finish_means(std::span<double> all);

  void finish_rows(std::uint64_t replicate, std::span<double> values);

  /// The number of rows and the planes of windows are sums of clusters too.
  void finish_clusters(std::uint64_t replicate, std::span<double> values);

  void finish_quantiles(std::uint64_t replicate, std::span<const std::uint64_t> planes,
                        std::span<const __int128> between, std::uint64_t rows,
                        std::span<double> values);

  /// The counts of a super-block in all replicates of the group.
  void begin(std::size_t s, std::uint64_t b, std::uint64_t last);

  /// Counts and products of the whole group over a super-block.
  void walk(std::size_t s, const SuperBlocks& blocks, std::uint64_t b,
            const execution::Worker& worker);

  /// Passes over a tile whose rows are elsewhere: only how often they are drawn matters.
  void count_only(std::size_t size);

  /// Adds the products of the counts of replicates i .. i + side - 1 with the digits of a tile.
  void multiply(const TileDigits& tile, std::size_t i, std::size_t side, std::size_t rows);

  /// Adds the sums of the walk and the rows of the top-ups to the sums of the replicates. Those
  /// whose attempt is void stay in the group.
  void keep(std::size_t s, const SuperBlocks& blocks, std::uint64_t b);

  /// Adds what a super-block has in the planes and slots of the windows; `sums` are those of the
  /// walk.
  void count_windows(std::size_t s, std::uint64_t first, const std::int64_t* sums,
                     const BlockCounts& counts);

  /// The counts of the rows inside windows.
  [[nodiscard]] std::uint8_t* inside_of(const BlockCounts& counts);

  /// A column of the resample, sorted: for quantiles outside of their windows. All counts are drawn
  /// again.
  [[nodiscard]] std::vector<double> all_rows(std::uint64_t replicate, std::uint32_t column);

  const Shared& shared_;
  std::size_t limbs_;
  std::size_t planes_;
  DigitReader digits_;
  Finisher finish_;
  QuantileFinisher quantiles_;
  std::vector<std::uint8_t> counts_;
  std::unique_ptr<resample::simd::Replaced> replaced_;
  std::vector<std::uint32_t> late_room_;
  std::span<const std::uint32_t> late_;  // rows of the last top-up
  std::uint64_t first_ = 0;
  std::uint64_t counted_ = 0;         // places of the super-block that are counted tile by tile
  std::vector<__int128> sums_;        // [replicate][limb]
  std::vector<std::uint64_t> drawn_;  // rows of each replicate
  std::vector<std::uint64_t> window_sums_;  // [replicate][plane of a window]
  std::vector<std::uint8_t> inside_;        // [replicate][slot]
  std::vector<double> cluster_values_;      // of the functions of sums
  std::vector<double> means_;
  std::vector<std::uint64_t> planes_of_clusters_;
  std::vector<BlockCounts> group_;
  std::vector<std::uint64_t> totals_;
  std::vector<std::int64_t> plane_sums_;  // [replicate of the group][plane]
  std::vector<std::int64_t> tile_sums_;   // [replicate][plane of the tile]
  std::vector<__int128> sparse_sums_;     // [replicate of the group][limb]
};

}  // namespace bootfold::paths::walk
