// Path `stream`: counts times features, over tiles of rows that stay in cache.
//
// A worker takes a group of replicates and walks once over the rows, super-block by super-block.
// Every replicate draws its counts for a tile and multiplies them with the digits of the features,
// byte by byte; at the end of a super-block come the rows of its top-up. Nothing is kept but
// integer sums, and for quantiles the counts of the few rows around them. Strata are walked over
// one after the other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "paths/accumulate.h"
#include "paths/digits.h"
#include "paths/entry.h"
#include "paths/quantile_finisher.h"
#include "paths/quantile_windows.h"
#include "paths/ranked.h"
#include "paths/sums.h"
#include "paths/table.h"
#include "planning/choose.h"
#include "resample/counts.h"
#include "resample/groups.h"
#include "resample/overloaded.h"
#include "resample/strata.h"

namespace bootfold::paths::stream {

namespace {

using resample::BlockCounts;
using resample::Stratum;
using resample::SuperBlocks;
using resample::simd::kCountTile;

/// Replicates handled together where memory allows it.
constexpr std::size_t kGroup = 256;

/// Replicates whose counts are drawn before they are multiplied: few, so that counts and digits
/// stay in a first-level cache; more if there are so many digits that they do not anyway.
constexpr std::size_t kSide = study::simd::kDotReplicates;
constexpr std::size_t kManyPlanes = 16;
constexpr std::size_t kWideSide = 16;

/// How the rows are handled; none of it changes a replicate.
struct Layout {
  explicit Layout(const Question& question)
      : sums(question.study.fixed(question.tolerance, false)),
        windows(QuantileWindows::size(question.problem(), question.draws)),
        size(sums, windows) {
    const std::uint64_t strata =
        question.design.stratum_labels().empty() ? 1 : question.design.groups()->count();
    // Laws of counts: of the super-blocks of a run, or of strata of all sizes.
    const bool few = strata == 1 && question.rows <= resample::kSuperBlockRows;
    law_bytes = few ? std::size_t{1} << 16 : std::size_t{1} << 19;
    kept_bytes = Digits::kept_bytes(size, question.rows, strata);
    const std::size_t room = question.memory - std::min(question.memory, planning::kProgramBytes);
    keeps_digits = kept_bytes + (std::size_t{2} << 20) <= room / 2;
    side = size.planes < kManyPlanes ? kSide : kWideSide;
  }

  const study::FixedSums& sums;
  QuantileWindows::Size windows;
  Digits::Size size;
  std::size_t law_bytes;
  std::size_t kept_bytes;
  bool keeps_digits;  // of all rows, for all replicates
  std::size_t side;
};

/// What all makers share: nothing here changes during the run.
struct Shared {
  Shared(const Question& question, const Resources& resources)
      : layout(question),
        level(resources.level()),
        kernels(study::simd::kernels(level)),
        strata(question.design.strata(question.rows, question.seed)),
        laws(std::make_unique<resample::CountLaws>()),
        windows(problem(), *strata, question.draws, resources.execution.stop),
        digits(layout.sums, windows, *strata, layout.keeps_digits, resources.execution) {}

  [[nodiscard]] const study::Problem& problem() const { return layout.sums.problem; }

  Layout layout;
  execution::Level level;
  const study::simd::Kernels& kernels;
  std::unique_ptr<const resample::Strata> strata;
  std::unique_ptr<resample::CountLaws> laws;  // made when they are first needed
  QuantileWindows windows;
  Digits digits;
};

class Walker final : public Maker {
 public:
  explicit Walker(const Shared& shared)
      : shared_(shared),
        features_(shared.digits.features()),
        planes_(shared.digits.planes()),
        digits_(shared.digits),
        finish_(shared.layout.sums),
        quantiles_(shared.problem(), shared.windows),
        counts_(shared.layout.side * kStride + 64),
        replaced_(std::make_unique<resample::simd::Replaced>()) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> all,
            const execution::Worker& worker) override {
    const std::size_t outputs = all.size() / (last - first);
    first_ = first;
    sums_.assign((last - first) * features_, 0);
    drawn_.assign(last - first, 0);
    below_.assign((last - first) * shared_.windows.all().size(), 0);
    inside_.assign((last - first) * shared_.windows.slots(), 0);
    for (std::size_t s = 0; s < shared_.strata->all().size(); ++s) {
      const SuperBlocks blocks(shared_.strata->all()[s].rows);
      for (std::uint64_t b = 0; b < blocks.count(); ++b) {
        begin(s, blocks, b, last);
        while (!group_.empty()) {
          walk(s, blocks, b, worker);
          keep(s, blocks, b);
        }
      }
    }
    for (std::uint64_t r = first; r < last; ++r) {
      const std::span<double> values = all.subspan((r - first) * outputs, outputs);
      if (drawn_[r - first] == 0) {  // a scheme may draw no row at all
        std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      const std::span<const __int128> sums =
          std::span(sums_).subspan((r - first) * features_, features_);
      const std::size_t of_sums = shared_.layout.sums.features();
      if (of_sums > 0) finish_(sums.first(of_sums), static_cast<double>(drawn_[r - first]), values);
      const std::size_t windows = shared_.windows.all().size();
      if (windows > 0)
        quantiles_({.below = std::span(below_).subspan((r - first) * windows, windows),
                    .inside = std::span(inside_).subspan((r - first) * shared_.windows.slots(),
                                                         shared_.windows.slots()),
                    .between = sums.subspan(of_sums),
                    .draws = drawn_[r - first]},
                   values, [&](std::uint32_t column) { return all_rows(r, column); });
    }
  }

 private:
  /// Room for the counts of a tile, with what kernels write behind it.
  static constexpr std::size_t kStride = kCountTile + 64;

  /// The counts of a super-block in all replicates of the group.
  void begin(std::size_t s, const SuperBlocks& blocks, std::uint64_t b, std::uint64_t last) {
    const Stratum& stratum = shared_.strata->all()[s];
    const std::uint64_t rows = blocks.rows(b);
    group_.clear();
    resample::TileLaws laws;
    double mean = 0;  // whose laws those are
    for (std::uint64_t r = first_; r < last; ++r) {
      const BlockCounts::Id id{stratum.seed, r, b};
      const std::uint64_t draws = blocks.draws(stratum.seed, r, stratum.draws, b);
      const double wanted = !shared_.strata->topped_up() ? 1
                            : draws == 0                 ? mean
                                                         : resample::count_mean(rows, draws);
      if (wanted != mean) laws = (*shared_.laws)(mean = wanted, rows);
      if (shared_.strata->topped_up())
        group_.emplace_back(shared_.level, laws, id, rows, draws);
      else
        group_.emplace_back(shared_.level, laws, id, rows);
    }
  }

  /// Counts and products of the whole group over a super-block.
  void walk(std::size_t s, const SuperBlocks& blocks, std::uint64_t b,
            const execution::Worker& worker) {
    plane_sums_.assign(group_.size() * planes_, 0);
    totals_.assign(group_.size(), 0);
    const bool again = group_[0].attempt() > 0;
    for (std::uint64_t row = 0; row < blocks.rows(b); row += kCountTile) {
      worker.check();
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(kCountTile, blocks.rows(b) - row));
      const Planes tile = digits_.tile(s, blocks.first_row(b) + row, size);
      const std::span<const WindowRow> inside =
          shared_.windows.slots() == 0 ? std::span<const WindowRow>()
                                       : shared_.windows.rows(s, blocks.first_row(b) + row);
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
        shared_.kernels.dot(counts_.data(), kStride, side, tile.first, tile.stride, planes_,
                            (size + 127) / 128 * 128, plane_sums_.data() + i * planes_,
                            totals_.data() + i);
      }
      if (!again) worker.advance(static_cast<double>(size) * static_cast<double>(group_.size()));
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
      const std::span<__int128> sums = std::span(sums_).subspan(replicate * features_, features_);
      const std::int64_t* digit = plane_sums_.data() + i * planes_;
      for (std::size_t f = 0; f < features_; ++f) {
        const std::size_t digits = shared_.digits.fixed(f).digits;
        __int128 sum = 0;
        for (std::size_t d = digits; d-- > 0;) sum = sum * 256 + digit[d];
        sums[f] += sum;
        digit += digits;
      }
      counts.top_up(totals_[i], late_);
      digits_.add_rows(s, blocks.first_row(b), late_, sums);
      count_below(s, blocks.first_row(b), digit, counts);
      drawn_[replicate] += totals_[i] + late_.size();
    }
    group_.resize(left);
  }

  /// Adds what a super-block has below and inside the windows; `below` are the sums of the walk.
  void count_below(std::size_t s, std::uint64_t first, const std::int64_t* below,
                   const BlockCounts& counts) {
    const std::size_t windows = shared_.windows.all().size();
    if (windows == 0) return;
    const std::uint64_t place = shared_.strata->all()[s].first + first;
    std::uint64_t* own = below_.data() + (counts.id().replicate - first_) * windows;
    std::uint8_t* inside = inside_of(counts);
    for (std::size_t w = 0; w < windows; ++w) {
      own[w] += static_cast<std::uint64_t>(below[w]);
      for (const std::uint32_t row : late_) {
        const QuantileWindows::Side side = shared_.windows.side(w, place + row);
        if (side == QuantileWindows::Side::below) ++own[w];
        if (side == QuantileWindows::Side::inside) ++inside[shared_.windows.slot(w, place + row)];
      }
    }
  }

  /// The counts of the rows inside windows.
  [[nodiscard]] std::uint8_t* inside_of(const BlockCounts& counts) {
    return inside_.data() + (counts.id().replicate - first_) * shared_.windows.slots();
  }

  /// A column of the resample, sorted: for quantiles outside of their windows. All counts are drawn
  /// again.
  [[nodiscard]] std::vector<double> all_rows(std::uint64_t replicate, std::uint32_t column) {
    std::vector<double> rows;
    const ColumnView& values = shared_.problem().data.column(column);
    const std::span<const std::uint32_t> order = shared_.strata->order();
    for (const Stratum& stratum : shared_.strata->all()) {
      const auto counts = resample::all_counts(shared_.level, *shared_.laws, stratum,
                                               shared_.strata->topped_up(), replicate);
      for (std::uint64_t row = 0; row < counts.size(); ++row) {
        const std::uint64_t place = stratum.first + row;
        double value = 0;
        values.read(order.empty() ? place : order[place], {&value, 1});
        rows.insert(rows.end(), counts[row], value);
      }
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  const Shared& shared_;
  std::size_t features_;
  std::size_t planes_;
  DigitReader digits_;
  Finisher finish_;
  QuantileFinisher quantiles_;
  std::vector<std::uint8_t> counts_;
  std::unique_ptr<resample::simd::Replaced> replaced_;
  std::vector<std::uint32_t> late_;
  std::uint64_t first_ = 0;
  std::vector<__int128> sums_;        // [replicate][feature]
  std::vector<std::uint64_t> drawn_;  // rows of each replicate
  std::vector<std::uint64_t> below_;  // [replicate][window]
  std::vector<std::uint8_t> inside_;  // [replicate][slot]
  std::vector<BlockCounts> group_;
  std::vector<std::uint64_t> totals_;
  std::vector<std::int64_t> plane_sums_;
};

/// Whether every statistic is an accumulator, for which paths/accumulate.cpp makes the replicates.
bool accumulates(const Question& question) { return question.problem().all<statistic::Fold>(); }

/// Whether every statistic is a function of sums or of quantiles, or a trimmed mean.
bool of_counts(const study::Problem& problem) {
  return std::all_of(problem.parts.begin(), problem.parts.end(), [](const study::Part& part) {
    return std::visit(overloaded{
                          [](const statistic::Sums&) { return true; },
                          [](const statistic::Order&) { return true; },
                          [](const statistic::Fold&) { return false; },
                          [](const statistic::Call& call) { return call.trimmed.has_value(); },
                      },
                      part.bound.body);
  });
}

std::string serves(const Question& question) {
  const study::Problem& problem = question.problem();
  if (ranked::suits(question))
    return question.design.streams(question.rows) ? "" : no_way_for(question.design);
  if (!of_counts(problem) && !accumulates(question))
    return "it takes functions of sums, quantiles and trimmed means, or accumulators, or measures "
           "of ranking, but not functions of the resample";
  const bool same_size = question.traits.iid && question.draws == question.rows;
  if (!question.design.streams(question.rows) || (accumulates(question) && !same_size))
    return no_way_for(question.design);
  return {};
}

Estimate estimate(const Question& question) {
  if (ranked::suits(question)) return ranked::estimate(question);
  if (accumulates(question)) return accumulate::estimate(question);
  Estimate found;
  const Layout layout(question);
  const study::FixedSums& sums = layout.sums;
  if (!sums.accurate()) {
    found.refusal = kNotAccurate;
    return found;
  }
  Size size = size_of(question);
  size.planes = static_cast<double>(layout.size.planes);
  found.replicate_nanoseconds = cost(size) + 2 * static_cast<double>(layout.windows.slots);
  found.start_nanoseconds = 30 * size.rows * static_cast<double>(layout.windows.windows);
  found.reason = rows_and_features(question, sums.features()) +
                 (question.forced ? "path asked for"
                  : layout.windows.windows == 0
                      ? "Poisson counts with a top-up stream over the rows"
                      : "Poisson counts stream over the rows; quantiles are counted in "
                        "windows around those of the data");
  found.shared_bytes = layout.law_bytes + layout.windows.windows * question.rows +
                       48 * layout.windows.slots + question.design.sampling_bytes(question.rows) +
                       (layout.keeps_digits ? layout.kept_bytes : 0);
  found.thread_bytes = DigitReader::bytes(layout.size, layout.keeps_digits) +
                       (layout.side + 4) * (kCountTile + 64) + sizeof(resample::simd::Replaced);
  found.replicate_bytes = sizeof(BlockCounts) + 2 * sizeof(std::uint64_t) +
                          (layout.size.planes + 2 * layout.size.features + layout.windows.windows) *
                              sizeof(std::int64_t) +
                          layout.windows.slots;
  found.group = kGroup;
  describe_arithmetic(sums, found);
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  if (ranked::suits(question)) return ranked::prepare(question, resources);
  if (accumulates(question)) return accumulate::prepare(question, resources);
  // Small enough that all threads have work, large enough that a tile is read for many.
  const std::uint64_t share = question.replicates / (2 * resources.threads()) + 1;
  auto shared = std::make_shared<const Shared>(question, resources);
  std::uint64_t group =
      std::min<std::uint64_t>(resources.group, (share + kSide - 1) / kSide * kSide);
  // Many equal values around a quantile all lie inside its window, which the plan could not know.
  const std::uint64_t planned = shared->layout.windows.slots * resources.group;
  if (shared->windows.slots() * group > planned)
    group = std::max<std::uint64_t>(1, planned / shared->windows.slots());
  return std::make_unique<EngineOf<Shared, Walker>>(group, question.rows, std::move(shared));
}

}  // namespace

double cost(const Size& size) {
  constexpr auto kBlock = static_cast<double>(resample::kSuperBlockRows);
  const double blocks = std::ceil(size.rows / kBlock);
  const double top_up = 3 * std::sqrt(size.draws * blocks);
  const double row = 0.045 + 0.007 * size.planes;
  return 250 + size.rows * row + top_up * (2 + 1.5 * size.features);
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
