// Path `weights`: the Bayesian bootstrap. Dirichlet weights are exponential ones over their sum.
//
// As in path stream a worker takes a group of replicates and walks once over the rows; the features
// of a tile are made once for the group, as integers of at most 32 bits. Weights are integers too,
// so that weighted sums are exact. Quantiles come from the weight below a window around each of
// them and from the weights of the rows inside it. Data that fixed point cannot hold are summed in
// doubles, in an order that depends on the rows alone. Statistics that need more than that have all
// weights of a replicate (weighted_calls.h).
#include "resample/weights.h"

#include <algorithm>
#include <memory>

#include "numeric/compensated.h"
#include "paths/entry.h"
#include "paths/quantile_windows.h"
#include "paths/sums.h"
#include "paths/table.h"
#include "paths/weighted_calls.h"
#include "paths/weighted_quantiles.h"
#include "planning/choose.h"
#include "resample/simd/kernels.h"
#include "resample/strata.h"
#include "study/simd/kernels.h"
#include "study/tile.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::paths::weights {

namespace {

using numeric::Compensated;
using study::simd::kWeighedRows;

/// Replicates handled together where memory allows it.
constexpr std::size_t kGroup = 256;
/// Weights of a group that are kept, about; fewer replicates share a tile then.
constexpr std::size_t kKeptWeights = std::size_t{1} << 18;

/// Of a row, for each statistic that walks over a sorted column, and for one that sorts the rows.
constexpr double kSortedNanoseconds = 5;
constexpr double kCallNanoseconds = 120;

/// Digits that fit 32 bits. Limbs with more are cut in two parts, the upper one in units of
/// 2^kPartBits.
constexpr std::size_t kShortDigits = 4;
constexpr int kPartBits = 28;

std::size_t parts_of(std::size_t digits) { return digits <= kShortDigits ? 1 : 2; }

/// How the rows are handled; it depends on the look at them and on the statistics.
struct Layout {
  explicit Layout(const Question& question)
      : sums(question.study.fixed(question.tolerance, false)),
        exact(sums.accurate()),
        problem(exact ? sums.problem : question.study.fixed(question.tolerance, true).problem),
        spread(question.rows, question.rows),
        windows(QuantileWindows::size(question.problem(), question.rows, spread)),
        features(problem.features.count()),
        calls(WeightedCalls::size(problem)) {
    for (const study::Limb& limb : sums.limbs)
      if (exact) parts += parts_of(limb.digits);
    parts += windows.trimmed * parts_of(QuantileWindows::kTrimmedDigits);
    tile_rows = windows.windows > 0 ? resample::simd::kCountTile
                                    : study::feature_tile_rows(std::max(features, parts));
  }

  const study::FixedSums& sums;
  bool exact;                     // otherwise sums are doubles
  const study::Problem& problem;  // products that are the same are weighed once
  RowSpread spread;
  QuantileWindows::Size windows;
  std::size_t features;
  WeightedCalls::Size calls;
  std::size_t parts = 0;  // integers of a row
  std::size_t tile_rows;
};

struct Shared {
  Shared(const Question& question, const Resources& resources)
      : layout(question),
        level(resources.level()),
        kernels(study::simd::kernels(level)),
        seed(question.seed),
        windows(layout.problem, resample::Strata(question.rows, question.rows, seed), layout.spread,
                resources.execution.stop),
        calls(layout.problem, resources.execution.stop) {
    if (layout.exact)
      for (const study::Limb& limb : layout.sums.limbs) cut.push_back(parts_of(limb.digits) == 2);
    limbs_of_sums = cut.size();
    for (const TrimmedMean& trimmed : windows.trimmed())
      cut.push_back(parts_of(trimmed.fixed.digits) == 2);
  }

  Layout layout;
  execution::Level level;
  const study::simd::Kernels& kernels;
  std::uint64_t seed;
  QuantileWindows windows;
  WeightedCalls calls;
  /// Whether a limb has two parts: the limbs of sums, and one for each trimmed mean.
  std::vector<bool> cut;
  std::size_t limbs_of_sums = 0;
};

class Weigher final : public Maker {
 public:
  explicit Weigher(const Shared& shared)
      : shared_(shared),
        rows_(shared.layout.problem.data.rows()),
        features_(shared.layout.features),
        parts_(shared.layout.parts),
        masks_(1 + shared.windows.counts()),
        tile_rows_(shared.layout.tile_rows),
        reader_(shared.layout.problem.data, tile_rows_),
        finish_(shared.layout.sums),
        quantiles_(shared.layout.problem, shared.windows),
        calls_(shared.calls),
        made_(features_ * tile_rows_),
        kept_(shared.windows.trimmed().empty() ? 0 : tile_rows_),
        integers_(study::kMostLimbs * tile_rows_),
        part_(parts_ * tile_rows_),
        mask_(masks_ * tile_rows_, ~std::uint32_t{0}),
        drawn_(tile_rows_),
        doubles_(shared.layout.exact ? 0 : tile_rows_),
        tile_sums_(features_),
        means_(features_) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    const std::size_t group = last - first;
    const std::size_t outputs = values.size() / group;
    weights_.clear();
    for (std::uint64_t r = first; r < last; ++r)
      weights_.emplace_back(shared_.level, shared_.seed, r);
    sums_.assign(group * parts_, 0);
    double_sums_.assign(shared_.layout.exact ? 0 : group * features_, {});
    below_.assign(group * masks_, 0);
    inside_.assign(group * shared_.windows.slots(), 0);
    if (!shared_.calls.empty()) kept_weights_.resize(group * rows_);
    for (std::uint64_t row = 0; row < rows_; row += tile_rows_) {
      worker.check();
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows_, rows_ - row));
      load(row, size);
      for (std::size_t i = 0; i < group; ++i) add_tile(row, size, i);
      worker.advance(static_cast<double>(size) * static_cast<double>(group));
    }
    for (std::size_t i = 0; i < group; ++i)
      finish(first + i, i, values.subspan(i * outputs, outputs), worker);
  }

 private:
  /// Products of scaled columns are at most 1, and so is the error of their weighted mean / 2^-50.
  static constexpr double kResolution = 0x1p-50;

  /// Makes the integers and masks of a tile.
  void load(std::uint64_t row, std::size_t size) {
    const statistic::Tile tile = reader_.read(row, size);
    if (features_ > 0) shared_.layout.problem.features.make(tile, made_.data(), tile_rows_);
    std::int32_t* to = part_.data();
    const std::size_t of_sums = shared_.layout.exact ? features_ : 0;
    for (std::size_t f = 0; f < of_sums; ++f)
      to = split(made_.data() + f * tile_rows_, size, shared_.layout.sums.fixed[f], to);
    for (std::size_t t = 0; t < shared_.windows.trimmed().size(); ++t) {
      shared_.windows.keep_between(t, tile, kept_.data());
      to = split(kept_.data(), size, shared_.windows.trimmed()[t].fixed, to);
    }
    std::uint32_t* mask = mask_.data();  // the first one has all rows
    for (const QuantileWindow& window : shared_.windows.all()) {
      const double* own = tile.columns[window.column];
      mask += tile_rows_;
      for (std::size_t i = 0; i < size; ++i) mask[i] = own[i] < window.low ? ~std::uint32_t{0} : 0;
      for (const TiedValue& tied : window.tied) {
        mask += tile_rows_;
        for (std::size_t i = 0; i < size; ++i)
          mask[i] = own[i] == tied.value ? ~std::uint32_t{0} : 0;
      }
    }
  }

  /// Rounds a feature to integers and cuts their limbs into parts; returns what follows them.
  std::int32_t* split(const double* values, std::size_t size, const study::FixedFeature& fixed,
                      std::int32_t* to) {
    study::quantize(fixed, {values, size}, shared_.kernels, integers_.data(), tile_rows_);
    for (std::size_t limb = 0; limb < fixed.limbs(); ++limb) {
      const std::int64_t* integers = integers_.data() + limb * tile_rows_;
      if (parts_of(fixed.limb_digits(limb)) == 1) {
        for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<std::int32_t>(integers[i]);
        to += tile_rows_;
        continue;
      }
      constexpr std::int64_t kHalf = std::int64_t{1} << (kPartBits - 1);
      std::int32_t* high = to + tile_rows_;
      for (std::size_t i = 0; i < size; ++i) {
        const std::int64_t upper = (integers[i] + kHalf) >> kPartBits;
        high[i] = static_cast<std::int32_t>(upper);
        to[i] = static_cast<std::int32_t>(integers[i] - (upper << kPartBits));
      }
      to += 2 * tile_rows_;
    }
    return to;
  }

  void add_tile(std::uint64_t row, std::size_t size, std::size_t i) {
    weights_[i].next(size, drawn_.data());
    if (!shared_.calls.empty())
      std::copy_n(drawn_.data(), size, kept_weights_.data() + i * rows_ + row);
    for (std::size_t at = 0; at < size; at += kWeighedRows) {
      const std::size_t rows = (std::min(size - at, kWeighedRows) + 15) / 16 * 16;
      if (parts_ > 0)
        shared_.kernels.weigh_integers(drawn_.data() + at, part_.data() + at, tile_rows_, parts_,
                                       rows, sums_.data() + i * parts_);
      shared_.kernels.weigh_masks(drawn_.data() + at, mask_.data() + at, tile_rows_, masks_, rows,
                                  below_.data() + i * masks_);
    }
    if (!shared_.layout.exact) add_doubles(size, i);
    if (shared_.windows.slots() == 0) return;
    std::uint32_t* inside = inside_.data() + i * shared_.windows.slots();
    for (const WindowRow& one : shared_.windows.rows(0, row)) inside[one.slot] = drawn_[one.row];
  }

  void add_doubles(std::size_t size, std::size_t i) {
    const std::size_t rows = (size + 7) / 8 * 8;  // behind the last one weights are 0
    for (std::size_t k = 0; k < rows; ++k) doubles_[k] = drawn_[k];
    shared_.kernels.weigh(doubles_.data(), made_.data(), tile_rows_, features_, rows,
                          tile_sums_.data());
    for (std::size_t f = 0; f < features_; ++f) double_sums_[i * features_ + f].add(tile_sums_[f]);
  }

  void finish(std::uint64_t replicate, std::size_t i, std::span<double> values,
              const execution::Worker& worker) {
    const std::uint64_t total = below_[i * masks_];
    if (!shared_.calls.empty())
      calls_(std::span(kept_weights_).subspan(i * rows_, rows_), total, values, worker);
    // The parts of a limb make a sum again.
    const __int128* part = sums_.data() + i * parts_;
    whole_.clear();
    for (const bool cut : shared_.cut) {
      whole_.push_back(cut ? part[0] + part[1] * (__int128{1} << kPartBits) : part[0]);
      part += cut ? 2 : 1;
    }
    const std::span<const __int128> sums(whole_);
    if (features_ > 0) finish_sums(sums.first(shared_.limbs_of_sums), total, i, values);
    if (shared_.windows.all().empty()) return;
    quantiles_(
        {.planes = std::span(below_).subspan(i * masks_ + 1, masks_ - 1),
         .inside = std::span(inside_).subspan(i * shared_.windows.slots(), shared_.windows.slots()),
         .between = sums.subspan(shared_.limbs_of_sums),
         .total = total,
         .rows = rows_},
        values, [&](std::uint32_t column) { return all_rows(replicate, column); });
  }

  void finish_sums(std::span<const __int128> sums, std::uint64_t total, std::size_t i,
                   std::span<double> values) {
    const auto rows = static_cast<double>(rows_);
    const auto weight = static_cast<double>(total);
    if (shared_.layout.exact) {
      shared_.layout.sums.find_means(sums, weight, means_);
      finish_.from_means(means_, rows, values);
      return;
    }
    for (std::size_t f = 0; f < features_; ++f)
      means_[f] = double_sums_[i * features_ + f].value() / weight;
    shared_.layout.problem.finish_sums(means_, rows, kResolution, values, scratch_);
  }

  /// A column with its weights, sorted: for quantiles outside of their windows.
  [[nodiscard]] std::vector<numeric::WeightedRow> all_rows(std::uint64_t replicate,
                                                           std::uint32_t column) {
    std::vector<double> values(rows_);
    shared_.layout.problem.data.column(column).read(0, values);
    std::vector<std::uint32_t> weights((rows_ + 15) / 16 * 16);
    resample::BayesianWeights(shared_.level, shared_.seed, replicate).next(rows_, weights.data());
    std::vector<numeric::WeightedRow> rows;
    for (std::size_t i = 0; i < rows_; ++i)
      rows.push_back({values[i], static_cast<double>(weights[i])});
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.value < b.value; });
    return rows;
  }

  const Shared& shared_;
  std::uint64_t rows_;
  std::size_t features_;
  std::size_t parts_;
  std::size_t masks_;
  std::size_t tile_rows_;
  study::TileReader reader_;
  Finisher finish_;
  WeightedQuantiles quantiles_;
  WeightedCallsFinisher calls_;
  std::vector<double> made_;  // [feature][row of the tile]
  std::vector<double> kept_;  // by a trimmed mean
  std::vector<std::int64_t> integers_;
  std::vector<std::int32_t> part_;   // [part][row of the tile]
  std::vector<std::uint32_t> mask_;  // [mask][row of the tile]
  std::vector<std::uint32_t> drawn_;
  std::vector<double> doubles_;  // the same, where sums are doubles
  std::vector<double> tile_sums_;
  std::vector<resample::BayesianWeights> weights_;
  std::vector<__int128> sums_;               // [replicate][part]
  std::vector<Compensated> double_sums_;     // [replicate][feature]
  std::vector<std::uint64_t> below_;         // [replicate][mask]
  std::vector<std::uint32_t> inside_;        // [replicate][slot]
  std::vector<std::uint32_t> kept_weights_;  // [replicate][row], where statistics need all of them
  std::vector<__int128> whole_;
  std::vector<double> means_;
  std::vector<double> scratch_;
};

std::string serves(const Question& question) {
  if (!std::ranges::all_of(question.problem().parts, WeightedCalls::takes))
    return "it takes functions of sums, quantiles and other built-in statistics, but not "
           "accumulators or functions of the resample";
  if (WeightedCalls::size(question.problem()).sorted > 0 &&
      question.rows > study::SortedColumn::kMostRows)
    return text::concat("it sorts at most ", text::grouped(study::SortedColumn::kMostRows),
                        " rows and there are ", text::grouped(question.rows));
  return question.traits.weighs ? "" : no_way_for(question.design);
}

Estimate estimate(const Question& question) {
  const Layout layout(question);
  const auto rows = static_cast<double>(question.rows);
  const auto windows = static_cast<double>(layout.windows.windows);
  const std::size_t masks = 1 + layout.windows.windows + layout.windows.tied;
  Estimate found;
  found.tier = Tier::counts;
  found.reason = layout.calls.calls > 0
                     ? "every row gets an exponential weight; rows are walked over in the order of "
                       "their values, which is found once"
                 : windows == 0 ? "every row gets an exponential weight: sums stream over the rows"
                                : "every row gets an exponential weight; quantiles are found in "
                                  "windows around those of the data";
  found.replicate_nanoseconds =
      150 + rows * (0.45 + 0.06 * (1 + windows) + 0.08 * static_cast<double>(layout.parts)) +
      (layout.exact ? 0 : rows * (1 + static_cast<double>(layout.features))) +
      2 * static_cast<double>(layout.windows.slots) +
      rows * (kSortedNanoseconds * static_cast<double>(layout.calls.sorted) +
              kCallNanoseconds * static_cast<double>(layout.calls.calls - layout.calls.sorted));
  found.start_nanoseconds =
      rows * (30 * windows + 80 * static_cast<double>(layout.calls.shared_columns));
  found.shared_bytes = layout.windows.windows * question.rows + 48 * layout.windows.most_slots +
                       layout.calls.shared_columns * WeightedCalls::kColumnBytes * question.rows;
  found.thread_bytes =
      layout.tile_rows *
          ((layout.problem.data.columns() + layout.features + 2 + study::kMostLimbs) *
               sizeof(double) +
           (layout.parts + masks + 1) * sizeof(std::uint32_t)) +
      layout.calls.thread_columns * sizeof(double) * question.rows;
  found.replicate_bytes = sizeof(resample::BayesianWeights) + layout.parts * sizeof(__int128) +
                          (layout.exact ? 0 : layout.features * sizeof(Compensated)) +
                          masks * sizeof(std::uint64_t) +
                          layout.windows.most_slots * sizeof(std::uint32_t);
  found.group = kGroup;
  if (layout.calls.calls > 0) {
    found.replicate_bytes += question.rows * sizeof(std::uint32_t);
    found.group = std::clamp<std::size_t>(kKeptWeights / question.rows, 1, kGroup);
  }
  if (layout.features == 0) return found;
  if (layout.exact) {
    describe_arithmetic(layout.sums, found);
  } else {
    found.arithmetic = "double, in a fixed order";
    found.sum_error = 0x1p-50;
  }
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  const std::uint64_t share = question.replicates / (2 * resources.threads()) + 1;
  auto shared = std::make_shared<const Shared>(question, resources);
  const std::uint64_t group = std::min<std::uint64_t>(resources.group, share);
  return std::make_unique<EngineOf<Shared, Weigher>>(group, question.rows, std::move(shared));
}

}  // namespace

PathEntry entry() {
  return {.id = Path::weights,
          .name = "weights",
          .meaning = "exponential weights, over tiles of rows",
          .serves = serves,
          .estimate = estimate,
          .prepare = prepare};
}

}  // namespace bootfold::paths::weights
