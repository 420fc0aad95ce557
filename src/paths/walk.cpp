// Path `stream` for functions of sums, quantiles and trimmed means: counts times features, over
// tiles of rows that stay in cache.
//
// A worker takes a group of replicates and walks once over the rows, super-block by super-block.
// Every replicate draws its counts for a tile and multiplies them with the digits of the features,
// byte by byte; at the end of a super-block come the rows of its top-up. Nothing is kept but
// integer sums, and for quantiles the counts of the few rows around them. Strata are walked over
// one after the other.
#include "paths/walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "paths/cluster_units.h"
#include "paths/digits.h"
#include "paths/quantile_finisher.h"
#include "paths/quantile_windows.h"
#include "paths/sums.h"
#include "planning/choose.h"
#include "resample/counts.h"
#include "resample/groups.h"
#include "resample/strata.h"
#include "text/concat.h"

namespace bootfold::paths::walk {

namespace {

using resample::BlockCounts;
using resample::Stratum;
using resample::SuperBlocks;
using resample::simd::kCountTile;

/// Replicates handled together where memory allows it.
constexpr std::size_t kGroup = 256;

/// And what they should take where they take much.
constexpr std::size_t kCacheBytes = std::size_t{8} << 20;

/// Replicates whose counts are drawn before they are multiplied: few, so that counts and digits
/// stay in a first-level cache. Where there are so many digits that they do not anyway, more
/// replicates are drawn, and fewer rows multiplied at a time.
constexpr std::size_t kSide = study::simd::kDotReplicates;
constexpr std::size_t kManyPlanes = 16;
constexpr std::size_t kWideSide = 16;
constexpr std::size_t kFewRows = 1024;

/// Whether whole clusters are drawn: then these are walked over in place of rows.
bool by_cluster(const Question& question) { return !question.design.clusters().empty(); }

std::unique_ptr<const Spread> spread_of(const Question& question) {
  if (by_cluster(question))
    return std::make_unique<const DesignSpread>(question.design, question.rows);
  return std::make_unique<const RowSpread>(question.rows, question.draws);
}

/// How the rows are handled; none of it changes a replicate.
struct Layout {
  explicit Layout(const Question& question)
      : sums((question.cluster_sums != nullptr ? *question.cluster_sums : question.study)
                 .fixed(question.tolerance, false)),
        spread(spread_of(question)),
        places(question.design.places(question.rows)),
        windows(QuantileWindows::size(question.problem(), places, *spread)),
        units(by_cluster(question) ? question.design.groups()->count() : places),
        size(by_cluster(question)
                 ? ClusterUnits::size(sums, ClusterSize(*question.design.groups()), windows)
                 : Digits::Size(sums, windows)) {
    const std::uint64_t strata =
        question.design.stratum_labels().empty() ? 1 : question.design.groups()->count();
    // Laws of counts: of the super-blocks of a run, or of strata of all sizes.
    const bool few = strata == 1 && units <= resample::kSuperBlockRows;
    law_bytes = few ? std::size_t{1} << 16 : std::size_t{1} << 19;
    if (!question.design.weights().empty())  // one for each tile, but no more than there can be
      law_bytes = std::min<std::size_t>(places / kCountTile + 1, 450) << 14;
    kept_bytes = Digits::kept_bytes(size, units, strata);
    const std::size_t room = question.memory - std::min(question.memory, planning::kProgramBytes);
    keeps_digits = kept_bytes + (std::size_t{2} << 20) <= room / 2;
    side = size.planes < kManyPlanes ? kSide : kWideSide;
    dot_rows = size.planes < kManyPlanes ? kCountTile : kFewRows;
  }

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
  /// Of some rows, for functions of sums alone.
  Shared(const Question& question, const Resources& resources, const RowBatch& batch,
         bool keeps_digits, std::shared_ptr<resample::CountLaws> count_laws)
      : layout(question),
        problem(question.problem()),
        level(resources.level()),
        kernels(study::simd::kernels(level)),
        strata(strata_of(question)),
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
  [[nodiscard]] static std::unique_ptr<const resample::Strata> strata_of(const Question& question) {
    if (!by_cluster(question)) return question.design.strata(question.rows, question.seed);
    return resample::design(question.design.of_clusters())
        ->strata(question.design.groups()->count(), question.seed);
  }

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
  std::unique_ptr<const resample::Strata> strata;
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
            const execution::Worker& worker) override {
    const std::size_t outputs = all.size() / (last - first);
    start(first, last);
    for (std::size_t s = 0; s < shared_.strata->all().size(); ++s) {
      const SuperBlocks blocks(shared_.strata->all()[s].rows);
      for (std::uint64_t b = 0; b < blocks.count(); ++b) add_block(s, blocks, b, last, worker);
    }
    if (shared_.problem.is_mean() && !shared_.clusters) return finish_means(all);
    for (std::uint64_t r = first; r < last; ++r) {
      const std::span<double> values = all.subspan((r - first) * outputs, outputs);
      if (drawn_[r - first] == 0) {  // a scheme may draw no row at all
        std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      if (shared_.clusters)
        finish_clusters(r, values);
      else
        finish_rows(r, values);
    }
  }

  /// Starts the sums of the replicates first .. last - 1.
  void start(std::uint64_t first, std::uint64_t last) {
    first_ = first;
    sums_.assign((last - first) * limbs_, 0);
    drawn_.assign(last - first, 0);
    window_sums_.assign((last - first) * shared_.windows.counts(), 0);
    inside_.assign((last - first) * shared_.windows.slots(), 0);
  }

  /// Adds a super-block of a stratum to them.
  void add_block(std::size_t s, const SuperBlocks& blocks, std::uint64_t b, std::uint64_t last,
                 const execution::Worker& worker) {
    begin(s, b, last);
    while (!group_.empty()) {
      walk(s, blocks, b, worker);
      keep(s, blocks, b);
    }
  }

  /// [replicate][limb]
  [[nodiscard]] std::span<const __int128> sums() const noexcept { return sums_; }
  /// Rows drawn in each replicate.
  [[nodiscard]] std::span<const std::uint64_t> drawn() const noexcept { return drawn_; }

 private:
  /// Room for the counts of a tile, with what kernels write behind it.
  static constexpr std::size_t kStride = kCountTile + 64;

  /// All replicates of a mean at once.
  void finish_means(std::span<double> all) {
    const study::FixedFeature& feature = shared_.layout.sums.fixed[0];
    means_.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      means_[i] = drawn_[i] > 0 ? feature.mean(std::span(sums_).subspan(i * limbs_, limbs_),
                                               static_cast<double>(drawn_[i]))
                                : std::numeric_limits<double>::quiet_NaN();
    shared_.layout.sums.problem.finish_means(means_, all);
  }

  void finish_rows(std::uint64_t replicate, std::span<double> values) {
    const std::size_t at = replicate - first_;
    const std::span<const __int128> sums = std::span(sums_).subspan(at * limbs_, limbs_);
    const std::size_t of_sums = shared_.layout.sums.limbs.size();
    if (of_sums > 0) finish_(sums.first(of_sums), static_cast<double>(drawn_[at]), values);
    const std::size_t planes = shared_.windows.counts();
    if (planes > 0)
      finish_quantiles(replicate, std::span(window_sums_).subspan(at * planes, planes),
                       sums.subspan(of_sums), drawn_[at], values);
  }

  /// The number of rows and the planes of windows are sums of clusters too.
  void finish_clusters(std::uint64_t replicate, std::span<double> values) {
    const std::size_t at = replicate - first_;
    const std::span<const __int128> sums = std::span(sums_).subspan(at * limbs_, limbs_);
    const std::size_t of_sums = shared_.layout.sums.limbs.size();
    if (of_sums > 0) {
      cluster_values_.resize(shared_.layout.sums.problem.outputs.size());
      finish_(sums.first(of_sums), static_cast<double>(drawn_[at]), cluster_values_);
      auto next = cluster_values_.begin();
      for (const study::Part& part : shared_.problem.parts) {
        if (!std::holds_alternative<statistic::Sums>(part.bound.body)) continue;
        const auto outputs = static_cast<std::ptrdiff_t>(part.outputs());
        std::copy_n(next, outputs, values.subspan(part.first_output).begin());
        next += outputs;
      }
    }
    const std::size_t planes = shared_.windows.counts();
    planes_of_clusters_.clear();
    for (const __int128 plane : sums.subspan(of_sums + 1, planes))
      planes_of_clusters_.push_back(static_cast<std::uint64_t>(plane));
    finish_quantiles(replicate, planes_of_clusters_, sums.subspan(of_sums + 1 + planes),
                     static_cast<std::uint64_t>(sums[of_sums]), values);
  }

  void finish_quantiles(std::uint64_t replicate, std::span<const std::uint64_t> planes,
                        std::span<const __int128> between, std::uint64_t rows,
                        std::span<double> values) {
    const std::size_t slots = shared_.windows.slots();
    quantiles_({.planes = planes,
                .inside = std::span(inside_).subspan((replicate - first_) * slots, slots),
                .between = between,
                .draws = rows},
               values, [&](std::uint32_t column) { return all_rows(replicate, column); });
  }

  /// The counts of a super-block in all replicates of the group.
  void begin(std::size_t s, std::uint64_t b, std::uint64_t last) {
    resample::BlockSource source(shared_.level, *shared_.laws, *shared_.strata, s, b);
    counted_ = source.counted();
    group_.clear();
    for (std::uint64_t r = first_; r < last; ++r) source.add(r, group_);
  }

  /// Counts and products of the whole group over a super-block.
  void walk(std::size_t s, const SuperBlocks& blocks, std::uint64_t b,
            const execution::Worker& worker) {
    plane_sums_.assign(group_.size() * planes_, 0);
    sparse_sums_.assign(group_.size() * limbs_, 0);
    totals_.assign(group_.size(), 0);
    const bool again = group_[0].attempt() > 0;
    for (std::uint64_t row = 0; row < counted_; row += kCountTile) {
      worker.check();
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(kCountTile, counted_ - row));
      if (!shared_.digits.any_of(blocks.first_row(b) + row, size)) {
        count_only(size);
        continue;
      }
      const TileDigits tile = digits_.tile(s, blocks.first_row(b) + row, size);
      const std::span<const WindowRow> inside = shared_.slots(s, blocks.first_row(b) + row, size);
      for (std::size_t i = 0; i < group_.size(); i += shared_.layout.side) {
        const std::size_t side = std::min(shared_.layout.side, group_.size() - i);
        for (std::size_t k = 0; k < side; ++k)
          group_[i + k].next(counts_.data() + k * kStride, *replaced_);
        if (!inside.empty())
          for (std::size_t k = 0; k < side; ++k) {
            const std::uint8_t* counts = counts_.data() + k * kStride;
            std::uint8_t* own = inside_of(group_[i + k]);
            for (const WindowRow& one : inside) own[one.slot] = counts[one.row];
          }
        multiply(tile, i, side, (size + 127) / 128 * 128);
      }
      if (!again) worker.advance(static_cast<double>(size) * static_cast<double>(group_.size()));
    }
    if (!again)
      worker.advance(static_cast<double>(blocks.rows(b) - counted_) *
                     static_cast<double>(group_.size()));
  }

  /// Passes over a tile whose rows are elsewhere: only how often they are drawn matters.
  void count_only(std::size_t size) {
    const auto& kernels = resample::simd::kernels(shared_.level);
    for (std::size_t i = 0; i < group_.size(); ++i) {
      group_[i].next(counts_.data(), *replaced_);
      totals_[i] += kernels.total(counts_.data(), size);
    }
  }

  /// Adds the products of the counts of replicates i .. i + side - 1 with the digits of a tile.
  void multiply(const TileDigits& tile, std::size_t i, std::size_t side, std::size_t rows) {
    const std::size_t planes = tile.planes.size();
    const bool all = planes == planes_;
    if (!all) tile_sums_.assign(side * planes, 0);
    for (std::size_t from = 0; from < rows; from += shared_.layout.dot_rows)
      shared_.kernels.dot(counts_.data() + from, kStride, side, tile.first + from, tile.stride,
                          planes, std::min(shared_.layout.dot_rows, rows - from),
                          all ? plane_sums_.data() + i * planes_ : tile_sums_.data(),
                          totals_.data() + i);
    if (all) return;
    for (std::size_t k = 0; k < side; ++k) {
      std::int64_t* const sums = plane_sums_.data() + (i + k) * planes_;
      for (std::size_t p = 0; p < planes; ++p) sums[tile.planes[p]] += tile_sums_[k * planes + p];
      const std::uint8_t* const counts = counts_.data() + k * kStride;
      __int128* const sparse = sparse_sums_.data() + (i + k) * limbs_;
      for (const SparseDigits& one : tile.sparse)
        sparse[one.limb] += static_cast<__int128>(one.integer) * counts[one.row];
    }
  }

  /// Adds the sums of the walk and the rows of the top-ups to the sums of the replicates. Those
  /// whose attempt is void stay in the group.
  void keep(std::size_t s, const SuperBlocks& blocks, std::uint64_t b) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      BlockCounts& counts = group_[i];
      if (counts.is_void(totals_[i])) {
        group_[left++] = counts;
        continue;
      }
      const std::size_t replicate = counts.id().replicate - first_;
      const std::span<__int128> sums = std::span(sums_).subspan(replicate * limbs_, limbs_);
      const std::int64_t* digit = plane_sums_.data() + i * planes_;
      for (std::size_t limb = 0; limb < limbs_; ++limb) {
        const std::size_t digits = shared_.digits.digits(limb);
        __int128 sum = 0;
        for (std::size_t d = digits; d-- > 0;) sum = sum * 256 + digit[d];
        sums[limb] += sum + sparse_sums_[i * limbs_ + limb];
        digit += digits;
      }
      late_ = counts.top_up(totals_[i], late_room_);
      digits_.add_rows(s, blocks.first_row(b), late_, sums);
      count_windows(s, blocks.first_row(b), digit, counts);
      drawn_[replicate] += totals_[i] + late_.size();
    }
    group_.resize(left);
  }

  /// Adds what a super-block has in the planes and slots of the windows; `sums` are those of the
  /// walk.
  void count_windows(std::size_t s, std::uint64_t first, const std::int64_t* sums,
                     const BlockCounts& counts) {
    const std::size_t planes = shared_.windows.counts();
    if (planes == 0) return;
    const std::uint64_t place = shared_.strata->all()[s].first + first;
    if (shared_.clusters) {
      for (const std::uint32_t cluster : late_)
        for (const WindowRow& one : shared_.clusters->slots(place + cluster, 1))
          ++inside_of(counts)[one.slot];
      return;
    }
    std::uint64_t* own = window_sums_.data() + (counts.id().replicate - first_) * planes;
    for (std::size_t p = 0; p < planes; ++p) own[p] += static_cast<std::uint64_t>(sums[p]);
    shared_.windows.count(place, late_, own, inside_of(counts));
  }

  /// The counts of the rows inside windows.
  [[nodiscard]] std::uint8_t* inside_of(const BlockCounts& counts) {
    return inside_.data() + (counts.id().replicate - first_) * shared_.windows.slots();
  }

  /// A column of the resample, sorted: for quantiles outside of their windows. All counts are drawn
  /// again.
  [[nodiscard]] std::vector<double> all_rows(std::uint64_t replicate, std::uint32_t column) {
    std::vector<double> rows;
    const ColumnView& values = shared_.problem.data.column(column);
    const std::span<const std::uint32_t> order = shared_.strata->order();
    const auto add = [&](std::uint64_t row, std::uint32_t count) {
      if (count == 0) return;
      double value = 0;
      values.read(row, {&value, 1});
      rows.insert(rows.end(), count, value);
    };
    for (std::size_t s = 0; s < shared_.strata->all().size(); ++s) {
      const auto counts =
          resample::all_counts(shared_.level, *shared_.laws, *shared_.strata, s, replicate);
      for (std::uint64_t i = 0; i < counts.size(); ++i) {
        const std::uint64_t place = shared_.strata->all()[s].first + i;
        if (!shared_.clusters) {
          add(order.empty() ? place : order[place], counts[i]);
          continue;
        }
        for (const std::uint32_t row : shared_.clusters->rows(place)) add(row, counts[i]);
      }
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

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

/// Sums of rows that arrive in pieces.
class Parts final : public planning::PartEngine {
 public:
  Parts(const Question& question, const Resources& resources)
      : question_(question),
        resources_(resources),
        layout_(question),
        laws_(std::make_shared<resample::CountLaws>()) {}

  [[nodiscard]] std::size_t limbs() const override { return layout_.sums.limbs.size(); }

  void add(const DataView& piece, std::uint64_t first, planning::PartialSums& part,
           const Execution& execution) const override {
    const SuperBlocks blocks(question_.rows);
    const std::uint64_t last = first + piece.rows();
    if (first == last || part.replicates == 0) return;
    const std::uint64_t end = (last - 1) / resample::kSuperBlockRows + 1;
    // Kept digits take half of the room; where those of one super-block do not fit, none are.
    const std::size_t block_bytes = Digits::kept_bytes(layout_.size, resample::kSuperBlockRows, 1);
    const std::uint64_t together = std::max<std::uint64_t>(1, resources_.room / 2 / block_bytes);
    double done = 0;
    const double all = static_cast<double>(piece.rows()) * static_cast<double>(part.replicates);
    for (std::uint64_t b = first / resample::kSuperBlockRows; b < end; b += together) {
      const std::uint64_t from = std::max(first, blocks.first_row(b));
      const std::uint64_t to = std::min(last, blocks.first_row(std::min(b + together, end)));
      std::vector<ColumnView> columns;
      for (std::size_t c = 0; c < piece.columns(); ++c)
        columns.push_back(piece.column(c).slice(from - first, to - from));
      const double size = static_cast<double>(to - from) * static_cast<double>(part.replicates);
      Execution staged = execution;
      if (execution.progress)
        staged.progress = [&execution, done, size, all](execution::Progress progress) {
          execution.progress({done + size * progress.done / progress.total, all});
        };
      const DataView rows(std::move(columns));
      add_batch({rows, from}, b, std::min(b + together, end), part, block_bytes, staged);
      done += size;
    }
  }

  void finish(const planning::PartialSums& part, std::uint64_t first, std::span<double> values,
              const Execution& execution, const planning::Made&) const override {
    const std::uint64_t before = first - part.first;
    const std::uint64_t replicates = part.replicates - before;
    const std::size_t outputs = values.size() / replicates;
    const std::size_t own = limbs();
    constexpr std::uint64_t kTogether = 4096;
    std::vector<std::unique_ptr<Finisher>> finishers(execution::thread_count(execution));
    Execution quiet = execution;
    quiet.progress = nullptr;
    execution::detail::run_chunks(
        (replicates + kTogether - 1) / kTogether, 1, quiet,
        [&](const execution::Worker& worker, std::size_t chunk) {
          worker.check();
          auto& finisher = finishers[worker.index()];
          if (!finisher) finisher = std::make_unique<Finisher>(layout_.sums);
          const std::uint64_t end = std::min(replicates, (chunk + 1) * kTogether);
          for (std::uint64_t r = chunk * kTogether; r < end; ++r)
            finish_one(*finisher, std::span(part.sums).subspan((before + r) * own, own),
                       part.drawn[before + r], values.subspan(r * outputs, outputs));
        });
  }

 private:
  void finish_one(Finisher& finisher, std::span<const __int128> sums, std::uint64_t drawn,
                  std::span<double> values) const {
    const auto rows = static_cast<double>(drawn);
    if (drawn == 0) {  // a scheme may draw no row at all
      std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    } else if (question_.problem().is_mean()) {
      const double mean[1] = {layout_.sums.fixed[0].mean(sums, rows)};
      layout_.sums.problem.finish_means(mean, values);
    } else {
      finisher(sums, rows, values);
    }
  }

  /// Adds some rows of the super-blocks block .. end - 1.
  void add_batch(const RowBatch& batch, std::uint64_t block, std::uint64_t end,
                 planning::PartialSums& part, std::size_t block_bytes,
                 const Execution& execution) const {
    Resources resources = resources_;
    resources.execution = execution;
    resources.execution.level = resources_.level();
    const bool keep = block_bytes <= resources_.room / 2;
    const Shared shared(question_, resources, batch, keep, laws_);
    const SuperBlocks blocks(question_.rows);
    const unsigned threads = execution::thread_count(execution);
    // Small enough that all threads have work, large enough that a tile is read for many.
    const std::uint64_t share =
        part.replicates * (end - block) / (2 * std::uint64_t{threads}) / (end - block) + 1;
    const std::uint64_t group = std::max<std::uint64_t>(
        1, std::min<std::uint64_t>(resources_.group, (share + kSide - 1) / kSide * kSide));
    const std::uint64_t groups = (part.replicates + group - 1) / group;
    const std::size_t own = limbs();
    std::vector<std::mutex> locks(groups);
    std::vector<std::unique_ptr<Walker>> walkers(threads);
    std::uint64_t steps = 0;
    for (std::uint64_t b = block; b < end; ++b) steps += blocks.rows(b);
    execution::detail::run_chunks(
        (end - block) * groups, static_cast<double>(steps) * static_cast<double>(part.replicates),
        resources.execution, [&](const execution::Worker& worker, std::size_t task) {
          auto& walker = walkers[worker.index()];
          if (!walker) walker = std::make_unique<Walker>(shared);
          const std::uint64_t from = task % groups * group;
          const std::uint64_t to = std::min(part.replicates, from + group);
          walker->start(part.first + from, part.first + to);
          walker->add_block(0, blocks, block + task / groups, part.first + to, worker);
          const std::lock_guard lock(locks[task % groups]);
          for (std::size_t i = 0; i < walker->sums().size(); ++i)
            part.sums[from * own + i] += walker->sums()[i];
          // All holders of a super-block draw all of its rows; the one of the first row counts
          // them.
          if (batch.first <= blocks.first_row(block + task / groups))
            for (std::size_t i = 0; i < walker->drawn().size(); ++i)
              part.drawn[from + i] += walker->drawn()[i];
        });
  }

  Question question_;
  Resources resources_;
  Layout layout_;
  std::shared_ptr<resample::CountLaws> laws_;
};

}  // namespace

std::string no_parts(const Question& question) {
  if (!question.problem().all<statistic::Sums>())
    return "quantiles of several columns, trimmed means and mixtures of statistics of different "
           "kinds need sorted rows";
  if (by_cluster(question) || !question.design.stratum_labels().empty() ||
      !question.design.weights().empty())
    return text::concat("scheme '", question.design.name(), "' needs the labels of all rows");
  return {};
}

std::unique_ptr<planning::PartEngine> prepare_parts(const Question& question,
                                                    const Resources& resources) {
  return std::make_unique<Parts>(question, resources);
}

bool suits(const Question& question) { return of_counts(question.problem()); }

std::string serves(const Question& question) {
  if (!by_cluster(question))
    return question.design.streams(question.rows) ? "" : no_way_for(question.design);
  if (question.traits.deletes) return no_way_for(question.design);
  const auto units = resample::design(question.design.of_clusters());
  const bool walks =
      units->stratum_labels().empty() && units->streams(question.design.groups()->count());
  return walks ? "" : no_way_for(question.design);
}

Estimate estimate(const Question& question) {
  Estimate found;
  const Layout layout(question);
  const study::FixedSums& sums = layout.sums;
  if (!sums.accurate()) {
    found.refusal = kNotAccurate;
    return found;
  }
  Size size = size_of(question);
  size.rows = static_cast<double>(layout.units);
  size.draws = std::min(size.draws, size.rows);
  size.planes = static_cast<double>(layout.size.planes);
  found.replicate_nanoseconds = stream::cost(size) + 2 * static_cast<double>(layout.windows.slots);
  found.start_nanoseconds =
      30 * static_cast<double>(question.rows) * static_cast<double>(layout.windows.windows);
  const char* const units = by_cluster(question) ? "clusters" : "rows";
  found.reason = rows_and_features(question, sums.features()) +
                 (question.forced ? std::string("path asked for")
                  : layout.windows.windows == 0
                      ? "Poisson counts with a top-up stream over the rows"
                      : text::concat("Poisson counts stream over the ", units,
                                     "; quantiles are counted in windows around those of the "
                                     "data"));
  found.shared_bytes =
      layout.law_bytes + layout.windows.windows * layout.places + 48 * layout.windows.most_slots +
      question.design.sampling_bytes(question.rows) + (layout.keeps_digits ? layout.kept_bytes : 0);
  if (by_cluster(question))  // columns of clusters, their slots; before these, the spread was found
    found.shared_bytes +=
        std::max(question.rows * DesignSpread::kBytes,
                 layout.units * (layout.size.features * sizeof(double) + sizeof(std::uint32_t))) +
        sizeof(WindowRow) * layout.windows.most_slots;
  found.thread_bytes = DigitReader::bytes(layout.size, layout.keeps_digits) +
                       (layout.side + 4) * (kCountTile + 64) + sizeof(resample::simd::Replaced);
  if (!question.design.weights().empty())  // draws of a super-block that are not counted
    found.thread_bytes += sizeof(std::uint32_t) *
                          std::min<std::uint64_t>(question.draws, 2 * resample::kSuperBlockRows);
  found.replicate_bytes = sizeof(BlockCounts) + 2 * sizeof(std::uint64_t) +
                          (layout.size.planes + 4 * layout.size.limbs + layout.windows.windows +
                           2 * layout.windows.tied) *
                              sizeof(std::int64_t) +
                          layout.windows.most_slots;
  // Large clusters can make windows so wide that many replicates would take more than a cache.
  found.group = by_cluster(question) ? std::clamp<std::size_t>(kCacheBytes / found.replicate_bytes,
                                                               kWideSide, kGroup)
                                     : kGroup;
  describe_arithmetic(sums, found);
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  // Small enough that all threads have work, large enough that a tile is read for many.
  const std::uint64_t share = question.replicates / (2 * resources.threads()) + 1;
  auto shared = std::make_shared<const Shared>(question, resources);
  std::uint64_t group =
      std::min<std::uint64_t>(resources.group, (share + kSide - 1) / kSide * kSide);
  // Weights may put more rows into a window than the plan could know.
  const std::size_t planned = shared->layout.windows.most_slots;
  if (shared->windows.slots() > planned)
    group = std::max<std::uint64_t>(1, group * planned / shared->windows.slots());
  const std::uint64_t units = shared->layout.units;
  return std::make_unique<EngineOf<Shared, Walker>>(group, units, std::move(shared));
}

}  // namespace bootfold::paths::walk
