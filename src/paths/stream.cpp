// Path `stream`: counts times features, over tiles of rows that stay in cache.
//
// A worker takes a group of replicates and walks once over the rows. A tile is read, its features
// are made and split into digit planes once for the whole group; then every replicate draws its
// counts for the tile and adds four dot products of bytes. Nothing is kept but integer sums. Strata
// are walked over one after the other.
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "paths/accumulate.h"
#include "paths/entry.h"
#include "paths/sums.h"
#include "paths/table.h"
#include "planning/choose.h"
#include "resample/counts.h"
#include "resample/late_rows.h"
#include "resample/rows.h"
#include "resample/strata.h"
#include "study/tile.h"

namespace bootfold::paths::stream {

namespace {

using random::simd::LaneState;
using resample::Attempt;
using resample::LateRow;
using resample::LateRows;
using resample::Stratum;
using resample::simd::OpenRow;

constexpr std::size_t kSide =
    study::simd::kDotReplicates;  // replicates whose dot products share a load of the planes

/// Up to here the features of all rows are kept as integers for the top-up: 4 MiB.
constexpr std::uint64_t kKeptRows = 65536;
constexpr std::uint64_t kKeptIntegers = std::uint64_t{1} << 19;

/// Planes and counts of a tile: what a first-level cache holds, or, if there are many, a
/// second-level.
constexpr std::size_t kFirstCache = std::size_t{36} << 10;
constexpr std::size_t kSecondCache = std::size_t{192} << 10;

/// Replicates handled together where memory allows it.
constexpr std::size_t kGroup = 256;

/// How the rows are handled; none of it changes a replicate.
struct Layout {
  explicit Layout(const Question& question)
      : sums(question.study.fixed(question.tolerance, false)), planes(sums.planes()) {
    const std::size_t columns = question.problem().data.columns();
    keeps_integers = question.rows <= kKeptRows && question.rows * sums.features() <= kKeptIntegers;
    // Sorting costs more than it gains for few columns: with 1 or 2 it was a tenth slower, with 6
    // the same, with 26 a sixth faster.
    constexpr std::size_t kManyColumns = 8;
    sorts_late_rows = !keeps_integers && columns >= kManyColumns;
    copies_strata = !question.design.stratum_labels().empty() &&
                    question.rows * columns * sizeof(double) <= question.memory / 4;
    tile_rows = study::feature_tile_rows(sums.features());
    while ((tile_rows > 1024 && tile_rows * (planes + 4) > kFirstCache) ||
           (tile_rows > 64 && tile_rows * planes > kSecondCache))
      tile_rows /= 2;
  }

  const study::FixedSums& sums;
  std::size_t planes;  // digits of all features
  std::size_t tile_rows;
  bool keeps_integers = false;   // of all rows, for the top-up, in place of looking rows up
  bool sorts_late_rows = false;  // looks the rows of a top-up up in order
  bool copies_strata = false;    // reads a copy of the rows, stratum by stratum
};

/// What all makers share: nothing here changes during the run.
struct Shared {
  Shared(const Question& question, const Resources& resources)
      : layout(question),
        sums(layout.sums),
        rows(question.rows),
        level(resources.level()),
        kernels(study::simd::kernels(level)),
        strata_of_design(question.design.strata(question.rows, question.seed)),
        strata(*strata_of_design) {
    for (const auto& fixed : sums.fixed) {
      first_plane.push_back(planes);
      planes += fixed.digits;
    }
    if (layout.copies_strata) copy_strata();
    if (layout.keeps_integers) integers = integer_features(sums, kernels, strata.order());
  }

  /// Rows of a stratum lie anywhere; a copy in order is read many times faster.
  void copy_strata() {
    const DataView& data = sums.problem.data;
    std::vector<ColumnView> columns;
    for (std::size_t c = 0; c < data.columns(); ++c) {
      copied.emplace_back(data.rows());
      data.column(c).gather(strata.order(), copied.back());
    }
    for (const auto& column : copied) columns.emplace_back(column);
    in_order = DataView(std::move(columns));
  }

  /// The rows by their places, and the row at each place if that is another.
  [[nodiscard]] const DataView& data() const {
    return copied.empty() ? sums.problem.data : in_order;
  }
  [[nodiscard]] std::span<const std::uint32_t> order() const {
    return copied.empty() ? strata.order() : std::span<const std::uint32_t>();
  }

  Layout layout;
  const study::FixedSums& sums;
  std::uint64_t rows;
  execution::Level level;
  const study::simd::Kernels& kernels;
  std::unique_ptr<const resample::Strata> strata_of_design;
  const resample::Strata& strata;
  std::vector<std::vector<double>> copied;  // columns
  DataView in_order;
  std::vector<std::size_t> first_plane;  // of each feature
  std::size_t planes = 0;
  std::vector<std::int64_t> integers;  // of few rows: for the top-up
};

/// One replicate on its way.
struct Replicate {
  Attempt attempt;
  std::uint64_t total = 0;
};

class Walker final : public Maker {
 public:
  explicit Walker(const Shared& shared)
      : shared_(shared),
        fixed_(shared.sums.fixed),
        rows_(shared.rows),
        features_(shared.sums.features()),
        tile_rows_(shared.layout.tile_rows),
        reader_(shared.data(), tile_rows_),
        finish_(shared.sums),
        made_(features_ * tile_rows_),
        integers_(tile_rows_),
        planes_(shared.planes * tile_rows_),
        counts_(kSide * tile_rows_),
        open_(tile_rows_),
        drawn_(tile_rows_) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> all,
            const execution::Worker& worker) override {
    const std::size_t outputs = all.size() / (last - first);
    sums_.assign((last - first) * features_, 0);
    totals_.assign(last - first, 0);
    for (const Stratum& stratum : shared_.strata.all()) {
      group_.clear();
      for (std::uint64_t r = first; r < last; ++r) group_.push_back({{stratum.seed, r, 0}});
      while (!group_.empty()) {
        walk(stratum, worker);
        std::size_t again = 0;
        for (std::size_t i = 0; i < group_.size(); ++i) {
          const Attempt& attempt = group_[i].attempt;
          if (group_[i].total <= stratum.draws || !shared_.strata.topped_up()) {
            keep(stratum, i, attempt.replicate - first);
          } else {  // the counts of this attempt cannot be filled up: the next one
            group_[again++] = {
                {attempt.seed, attempt.replicate, static_cast<std::uint8_t>(attempt.number + 1)}};
          }
        }
        group_.resize(again);
      }
      add_late_rows(stratum);
    }
    for (std::uint64_t r = first; r < last; ++r) {
      const std::span<double> values = all.subspan((r - first) * outputs, outputs);
      if (totals_[r - first] == 0) {  // a scheme may draw no row at all
        std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      finish_(std::span(sums_).subspan((r - first) * features_, features_),
              static_cast<double>(totals_[r - first]), values);
    }
  }

 private:
  /// Counts and dot products of the whole group over all rows of a stratum.
  void walk(const Stratum& stratum, const execution::Worker& worker) {
    lanes_.resize(group_.size());
    plane_sums_.assign(group_.size() * shared_.planes, 0);
    for (std::uint64_t row = 0; row < stratum.rows; row += tile_rows_) {
      worker.check();
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows_, stratum.rows - row));
      load(stratum.first + row, size);
      for (std::size_t i = 0; i < group_.size(); i += kSide) {
        const std::size_t side = std::min(kSide, group_.size() - i);
        for (std::size_t k = 0; k < side; ++k)
          begin_tile(shared_.level, group_[i + k].attempt, row, lanes_[i + k]);
        for (std::size_t k = 0; k < side; ++k)
          group_[i + k].total +=
              draw_begun_tile(shared_.level, *stratum.poisson, group_[i + k].attempt, row, size,
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
  void load(std::uint64_t place, std::size_t size) {
    if (loaded_ == place) return;
    const std::span<const std::uint32_t> order = shared_.order();
    shared_.sums.problem.features.make(
        order.empty() ? reader_.read(place, size) : reader_.gather(order.subspan(place, size)),
        made_.data(), tile_rows_);
    for (std::size_t f = 0; f < features_; ++f) {
      const auto& fixed = fixed_[f];
      shared_.kernels.quantize(made_.data() + f * tile_rows_, size, fixed.point, integers_.data());
      shared_.kernels.split(integers_.data(), size, fixed.digits,
                            planes_.data() + shared_.first_plane[f] * tile_rows_, tile_rows_);
    }
    loaded_ = place;
  }

  /// Adds the sums of the walk, and the rows that bring the counts up to what was asked for, to the
  /// sums of a replicate.
  void keep(const Stratum& stratum, std::size_t i, std::size_t replicate) {
    const std::int64_t* planes = plane_sums_.data() + i * shared_.planes;
    const std::span<__int128> sums = std::span(sums_).subspan(replicate * features_, features_);
    for (std::size_t f = 0; f < features_; ++f) {
      __int128 sum = 0;
      for (std::size_t d = fixed_[f].digits; d-- > 0;)
        sum = sum * 256 + planes[shared_.first_plane[f] + d];
      sums[f] += sum;
    }
    if (!shared_.strata.topped_up()) {
      totals_[replicate] += group_[i].total;
      return;
    }
    totals_[replicate] += stratum.draws;
    const std::uint64_t missing = stratum.draws - group_[i].total;
    if (shared_.layout.keeps_integers) {
      add_kept_rows(stratum, i, missing, sums);
    } else {
      add_rows(stratum, i, missing, replicate);
    }
  }

  /// The top-up straight from the integers of the rows. Plain loads: faster than gathers by SIMD.
  void add_kept_rows(const Stratum& stratum, std::size_t i, std::uint64_t missing,
                     std::span<__int128> sums) {
    constexpr std::size_t kSafe = 128;  // so many integers of 55 bits sum to 62 bits
    resample::TopUp rows(shared_.level, group_[i].attempt, stratum.rows, lanes_[i]);
    std::array<std::uint32_t, kSafe + resample::kSideBySide> drawn;
    for (std::uint64_t left = missing; left > 0;) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kSafe, left));
      rows.draw_short(std::span(drawn).first(size));
      for (std::size_t f = 0; f < features_; ++f) {
        const std::int64_t* feature = shared_.integers.data() + f * rows_ + stratum.first;
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < size; ++k) sum += feature[drawn[k]];
        sums[f] += sum;
      }
      left -= size;
    }
  }

  /// The top-up of many rows, looked up where they lie. Those of many columns wait until there are
  /// enough of them to be looked up in order.
  void add_rows(const Stratum& stratum, std::size_t i, std::uint64_t missing,
                std::size_t replicate) {
    resample::TopUp rows(shared_.level, group_[i].attempt, stratum.rows, lanes_[i]);
    for (std::uint64_t first = 0; first < missing; first += tile_rows_) {
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows_, missing - first));
      const std::span<std::uint64_t> drawn(drawn_.data(), size);
      if (shared_.layout.sorts_late_rows) {
        if (late_.room() < size) add_late_rows(stratum);  // before drawing: it needs the same room
        rows.draw(drawn);
        late_.add(drawn, replicate);
        continue;
      }
      rows.draw(drawn);
      add_features(stratum, size, [&](std::size_t f) {
        __int128& sum = sums_[replicate * features_ + f];
        for (std::size_t k = 0; k < size; ++k) sum += integers_[k];
      });
    }
  }

  /// Adds the rows that wait to the sums of their replicates.
  void add_late_rows(const Stratum& stratum) {
    if (late_.empty()) return;
    const std::span<const LateRow> late = late_.take(stratum.rows);
    for (std::size_t first = 0; first < late.size(); first += tile_rows_) {
      const std::span<const LateRow> some =
          late.subspan(first, std::min(tile_rows_, late.size() - first));
      for (std::size_t k = 0; k < some.size(); ++k) drawn_[k] = some[k].row();
      add_features(stratum, some.size(), [&](std::size_t f) {
        for (std::size_t k = 0; k < some.size(); ++k)
          sums_[some[k].replicate() * features_ + f] += integers_[k];
      });
    }
  }

  /// add(feature) for each, with the integers of the rows of a stratum that were drawn in
  /// integers_.
  template <class Add>
  void add_features(const Stratum& stratum, std::size_t size, Add&& add) {
    const std::span<const std::uint32_t> order = shared_.order();
    const std::span<std::uint64_t> drawn(drawn_.data(), size);
    for (std::uint64_t& row : drawn)
      row = order.empty() ? stratum.first + row : order[stratum.first + row];
    shared_.sums.problem.features.make(reader_.gather(drawn), made_.data(), tile_rows_);
    for (std::size_t f = 0; f < features_; ++f) {
      shared_.kernels.quantize(made_.data() + f * tile_rows_, size, fixed_[f].point,
                               integers_.data());
      add(f);
    }
  }

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  const Shared& shared_;
  std::span<const study::FixedFeature> fixed_;
  std::uint64_t rows_;
  std::size_t features_;
  std::size_t tile_rows_;
  study::TileReader reader_;
  Finisher finish_;
  std::uint64_t loaded_ = kNone;
  std::vector<double> made_;
  std::vector<std::int64_t> integers_;
  std::vector<std::int8_t> planes_;
  std::vector<std::uint8_t> counts_;
  std::vector<OpenRow> open_;
  std::vector<std::uint64_t> drawn_;
  LateRows late_;
  std::vector<__int128> sums_;         // [replicate][feature]
  std::vector<std::uint64_t> totals_;  // rows of each replicate
  std::vector<Replicate> group_;
  std::vector<LaneState> lanes_;
  std::vector<std::int64_t> plane_sums_;
};

/// Whether every statistic is an accumulator, for which paths/accumulate.cpp makes the replicates.
bool accumulates(const Question& question) { return question.problem().all<statistic::Fold>(); }

std::string serves(const Question& question) {
  const study::Problem& problem = question.problem();
  if (!problem.all<statistic::Sums>() && !accumulates(question))
    return "it takes functions of sums or accumulators only, not both and not quantiles or "
           "functions of the resample";
  const bool same_size = question.traits.iid && question.draws == question.rows;
  if (!question.design.streams(question.rows) || (accumulates(question) && !same_size))
    return no_way_for(question.design);
  return {};
}

Estimate estimate(const Question& question) {
  if (accumulates(question)) return accumulate::estimate(question);
  Estimate found;
  const Layout layout(question);
  const study::FixedSums& sums = layout.sums;
  if (!sums.accurate()) {
    found.refusal = kNotAccurate;
    return found;
  }
  Size size = size_of(question);
  size.planes = static_cast<double>(layout.planes);
  found.replicate_nanoseconds = cost(size);
  found.reason =
      rows_and_features(question, sums.features()) +
      (question.forced ? "path asked for" : "Poisson counts with a top-up stream over the rows");
  found.shared_bytes =
      65536 + question.design.sampling_bytes(question.rows) +
      (layout.keeps_integers ? question.rows * sums.features() * sizeof(std::int64_t) : 0) +
      (layout.copies_strata ? question.rows * sums.problem.data.columns() * sizeof(double) : 0);
  found.thread_bytes = planning::tile_bytes(sums.problem, sums.features()) +
                       (layout.planes + 16) * layout.tile_rows +
                       (layout.sorts_late_rows ? LateRows::kBytes : 0);
  found.replicate_bytes = 256 + 64 + (layout.planes + 2 * sums.features()) * sizeof(std::int64_t);
  found.group = kGroup;
  describe_arithmetic(sums, found);
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  if (accumulates(question)) return accumulate::prepare(question, resources);
  // Small enough that all threads have work, large enough that a tile is read for many.
  const std::uint64_t share = question.replicates / (2 * resources.threads()) + 1;
  const std::uint64_t group = std::min<std::uint64_t>(
      {resources.group, (share + kSide - 1) / kSide * kSide, LateRows::kMostReplicates});
  return std::make_unique<EngineOf<Shared, Walker>>(
      group, question.rows, std::make_shared<const Shared>(question, resources));
}

}  // namespace

double cost(const Size& size) {
  const double top_up = resample::kMargin * std::sqrt(size.draws);
  const double row = 0.135 + 0.008 * size.planes;
  const double drawn = size.rows <= 65536 ? 2 + 1.5 * size.features : 8 + 4 * size.columns;
  return 250 + size.rows * row + top_up * drawn;
}

PathEntry entry() {
  return {.id = Path::stream,
          .name = "stream",
          .meaning = "Poisson counts and a top-up, over tiles of rows",
          .serves = serves,
          .estimate = estimate,
          .prepare = prepare};
}

}  // namespace bootfold::paths::stream
