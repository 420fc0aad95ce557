// Path `blocks`: sums of neighbouring rows are differences of running sums.
//
// The features are integers, so running sums may wrap around: their differences, and sums of those,
// are exact whenever a replicate's sum fits. Quantiles are counted in windows: the rows below one
// are a running sum too, and a block visits only its own rows inside.
#include "resample/blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "paths/entry.h"
#include "paths/quantile_finisher.h"
#include "paths/quantile_windows.h"
#include "paths/sums.h"
#include "paths/table.h"
#include "planning/choose.h"
#include "resample/strata.h"
#include "study/tile.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::paths::blocks {

namespace {

/// How the rows are handled; none of it changes a replicate.
struct Layout {
  explicit Layout(const Question& question)
      : sums(question.study.fixed(question.tolerance, false)),
        spread(question.design, question.rows),
        windows(QuantileWindows::size(question.problem(), question.rows, spread)),
        limbs(sums.limbs.size() + windows.trimmed) {
    // Running sums may wrap around without harm as long as a replicate's sum fits.
    const std::size_t digits = std::max(std::min(sums.most_digits(), study::kLimbDigits),
                                        windows.trimmed > 0 ? QuantileWindows::kTrimmedDigits : 0);
    fits_64_bits = static_cast<double>(question.rows) * study::largest(digits) < 0x1p62;
  }

  const study::FixedSums& sums;
  DesignSpread spread;
  QuantileWindows::Size windows;
  std::size_t limbs;  // those of the sums, and one for each trimmed mean
  bool fits_64_bits;
};

/// running[s][row] = sum of limb s over the rows before `row`. Behind the limbs of the sums come
/// those of trimmed means: the rows between their windows.
template <class Unsigned>
std::vector<Unsigned> running_sums(const study::FixedSums& sums, const QuantileWindows& windows,
                                   const study::simd::Kernels& kernels) {
  const std::size_t rows = sums.problem.data.rows();
  std::vector<Unsigned> running((sums.limbs.size() + windows.trimmed().size()) * (rows + 1));
  const auto see = [&](std::size_t limb, std::size_t first,
                       std::span<const std::int64_t> integers) {
    Unsigned* at = running.data() + limb * (rows + 1) + first;
    for (std::size_t i = 0; i < integers.size(); ++i)
      at[i + 1] = at[i] + static_cast<Unsigned>(integers[i]);
  };
  if (sums.features() > 0) for_each_integer_tile(sums, kernels, sums.problem.data, {}, see);
  if (windows.trimmed().empty()) return running;
  std::vector<double> kept(study::kTileRows);
  std::vector<std::int64_t> integers(study::kTileRows);
  study::TileReader reader(sums.problem.data, study::kTileRows);
  for (std::size_t row = 0; row < rows; row += study::kTileRows) {
    const std::size_t size = std::min(study::kTileRows, rows - row);
    const statistic::Tile tile = reader.read(row, size);
    for (std::size_t t = 0; t < windows.trimmed().size(); ++t) {
      windows.keep_between(t, tile, kept.data());
      kernels.quantize(kept.data(), size, windows.trimmed()[t].fixed.point, integers.data());
      see(sums.limbs.size() + t, row, std::span<const std::int64_t>(integers).first(size));
    }
  }
  return running;
}

/// The windows of quantiles as running counts, and the rows inside them in their own order.
struct RunningWindows {
  RunningWindows(const QuantileWindows& windows, std::size_t rows)
      : below(windows.counts() * (rows + 1)) {
    if (windows.counts() == 0) return;
    for (std::size_t w = 0; w < windows.all().size(); ++w)
      for (std::size_t p = 0; p < windows.all()[w].counts(); ++p) {
        std::uint32_t* at = below.data() + (windows.all()[w].first_count + p) * (rows + 1);
        for (std::size_t row = 0; row < rows; ++row)
          at[row + 1] =
              at[row] + (windows.side(w, row) == QuantileWindows::kFirstPlane + p ? 1 : 0);
      }
    first_inside.resize(rows + 1);
    constexpr std::size_t kTile = resample::simd::kCountTile;
    const auto for_each_inside = [&](const auto& see) {
      for (std::size_t row = 0; row < rows; row += kTile)
        for (const WindowRow& one : windows.rows(0, row)) see(row + one.row, one.slot);
    };
    for_each_inside([&](std::size_t row, std::uint32_t) { ++first_inside[row + 1]; });
    std::partial_sum(first_inside.begin(), first_inside.end(), first_inside.begin());
    slots.resize(windows.slots());
    std::vector<std::uint32_t> next = first_inside;
    for_each_inside([&](std::size_t row, std::uint32_t slot) { slots[next[row]++] = slot; });
  }

  std::vector<std::uint32_t> below;         // [plane][row]: rows of the plane before `row`
  std::vector<std::uint32_t> first_inside;  // [row]: slots of the rows before it
  std::vector<std::uint32_t> slots;
};

/// The sums of a feature over blocks.
std::int64_t sum_of(const study::simd::Kernels& kernels, const std::uint64_t* running,
                    std::uint32_t rows, const resample::BlockList& blocks) {
  return static_cast<std::int64_t>(kernels.sum_blocks(running, rows, blocks.starts.data(),
                                                      blocks.lengths.data(), blocks.starts.size()));
}

__int128 sum_of(const study::simd::Kernels&, const unsigned __int128* running, std::uint32_t rows,
                const resample::BlockList& blocks) {
  unsigned __int128 sum = 0;
  for (std::size_t i = 0; i < blocks.starts.size(); ++i) {
    const std::uint64_t end = std::uint64_t{blocks.starts[i]} + blocks.lengths[i];
    const bool around = end > rows;
    sum += running[around ? end - rows : end] - running[blocks.starts[i]];
    if (around) sum += running[rows];
  }
  return static_cast<__int128>(sum);
}

template <class Unsigned>
struct Shared {
  Shared(const Question& question, const Resources& resources)
      : layout(question),
        sums(layout.sums),
        kernels(study::simd::kernels(resources.level())),
        seed(question.seed),
        rows(question.rows),
        windows(question.problem(), resample::Strata(rows, rows, seed), layout.spread,
                resources.execution.stop),
        running(running_sums<Unsigned>(sums, windows, kernels)),
        running_windows(windows, rows),
        law(question.design.blocks(question.rows, resources.level())) {}

  Layout layout;
  const study::FixedSums& sums;
  const study::simd::Kernels& kernels;
  std::uint64_t seed;
  std::size_t rows;
  QuantileWindows windows;
  std::vector<Unsigned> running;
  RunningWindows running_windows;
  std::unique_ptr<const resample::BlockLaw> law;
};

template <class Unsigned>
class BlockSums final : public Maker {
 public:
  explicit BlockSums(const Shared<Unsigned>& shared)
      : shared_(shared),
        finish_(shared.sums),
        quantiles_(shared.sums.problem, shared.windows),
        sums_(shared.layout.limbs),
        planes_(shared.windows.counts()),
        inside_(shared.windows.slots()) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    const std::size_t outputs = values.size() / (last - first);
    const std::size_t rows = shared_.rows;
    const std::size_t of_sums = shared_.sums.limbs.size();
    for (std::uint64_t replicate = first; replicate < last; ++replicate) {
      worker.check();
      const std::span<double> own = values.subspan((replicate - first) * outputs, outputs);
      std::fill(sums_.begin(), sums_.end(), 0);
      begin_windows();
      shared_.law->for_each(shared_.seed, replicate, [&](const resample::BlockList& blocks) {
        for (std::size_t f = 0; f < sums_.size(); ++f)
          sums_[f] += sum_of(shared_.kernels, shared_.running.data() + f * (rows + 1),
                             shared_.law->rows(), blocks);
        if (!planes_.empty()) count_windows(blocks);
      });
      const std::span<const __int128> sums(sums_);
      if (of_sums > 0) finish_(sums.first(of_sums), static_cast<double>(rows), own);
      if (planes_.empty()) continue;
      end_windows();
      quantiles_({planes_, inside_, sums.subspan(of_sums), rows}, own,
                 [&](std::uint32_t column) { return all_rows(replicate, column); });
    }
    worker.advance(static_cast<double>(last - first) * static_cast<double>(rows));
  }

 private:
  void begin_windows() {
    std::fill(planes_.begin(), planes_.end(), 0);
    std::fill(inside_.begin(), inside_.end(), std::uint8_t{0});
    visits_ = 0;
  }

  /// Adds what blocks have in the planes and slots of the windows.
  void count_windows(const resample::BlockList& blocks) {
    const std::size_t rows = shared_.rows;
    const RunningWindows& running = shared_.running_windows;
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      const std::uint32_t* below = running.below.data() + p * (rows + 1);
      std::uint64_t sum = 0;
      for_each_range(blocks,
                     [&](std::size_t begin, std::size_t end) { sum += below[end] - below[begin]; });
      planes_[p] += sum;
    }
    const std::uint32_t* first = running.first_inside.data();
    for_each_range(blocks, [&](std::size_t begin, std::size_t end) {
      for (std::uint32_t i = first[begin]; i < first[end]; ++i) ++inside_[running.slots[i]];
      visits_ += first[end] - first[begin];
    });
  }

  /// Behind the last row comes the first.
  template <class See>
  void for_each_range(const resample::BlockList& blocks, See&& see) const {
    for (std::size_t i = 0; i < blocks.starts.size(); ++i) {
      const std::size_t end = std::size_t{blocks.starts[i]} + blocks.lengths[i];
      see(std::size_t{blocks.starts[i]}, std::min(end, shared_.rows));
      if (end > shared_.rows) [[unlikely]]
        see(std::size_t{0}, end - shared_.rows);
    }
  }

  /// A row that was drawn more than 255 times has a wrong count. Then nothing counts, every
  /// quantile lies outside of its window, and the resample is drawn out.
  void end_windows() {
    std::uint64_t all = 0;
    for (const std::uint8_t count : inside_) all += count;
    if (all != visits_) [[unlikely]]
      begin_windows();
  }

  /// A column of the resample, sorted.
  [[nodiscard]] std::vector<double> all_rows(std::uint64_t replicate, std::uint32_t column) const {
    std::vector<double> rows;
    const ColumnView& values = shared_.sums.problem.data.column(column);
    shared_.law->for_each(shared_.seed, replicate, [&](const resample::BlockList& blocks) {
      for_each_range(blocks, [&](std::size_t begin, std::size_t end) {
        const std::size_t before = rows.size();
        rows.resize(before + end - begin);
        values.read(begin, std::span(rows).subspan(before));
      });
    });
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  const Shared<Unsigned>& shared_;
  Finisher finish_;
  QuantileFinisher quantiles_;
  std::vector<__int128> sums_;
  std::vector<std::uint64_t> planes_;  // of all windows
  std::vector<std::uint8_t> inside_;   // [slot]
  std::uint64_t visits_ = 0;           // of slots
};

std::string serves(const Question& question) {
  if (question.design.block_length() == 0) return no_way_for(question.design);
  return of_counts(question.problem())
             ? ""
             : "it takes functions of sums, quantiles and trimmed means only";
}

Estimate estimate(const Question& question) {
  Estimate found;
  const Layout layout(question);
  const study::FixedSums& sums = layout.sums;
  if (!sums.accurate()) {
    found.refusal = kNotAccurate;
    return found;
  }
  const double blocks =
      std::ceil(static_cast<double>(question.rows) / question.design.block_length());
  const QuantileWindows::Size& windows = layout.windows;
  const std::size_t rows = question.rows + 1;
  found.tier = Tier::shortcut;
  found.reason = text::concat("about ", text::grouped(static_cast<std::uint64_t>(blocks)),
                              " blocks a replicate: two look-ups each in running sums");
  found.replicate_nanoseconds = 100 + blocks * (3 + 3 * static_cast<double>(layout.limbs));
  found.shared_bytes =
      rows * layout.limbs * (layout.fits_64_bits ? sizeof(std::int64_t) : sizeof(__int128));
  found.thread_bytes = planning::tile_bytes(sums.problem, sums.features());
  if (windows.windows > 0) {
    found.reason += "; quantiles are counted in windows around those of the data";
    found.replicate_nanoseconds += blocks * (4 + 4 * static_cast<double>(windows.windows)) +
                                   2 * static_cast<double>(windows.slots);
    found.start_nanoseconds = 60 * static_cast<double>(rows * windows.windows);
    // Running counts and where the rows inside begin; before they are made, the spread was found.
    found.shared_bytes = std::max(
        rows * DesignSpread::kBytes,
        found.shared_bytes + rows * (windows.windows + windows.tied + 2) * sizeof(std::uint32_t));
    found.shared_bytes += rows * windows.windows + 48 * windows.most_slots;
    found.thread_bytes += windows.most_slots;
  }
  describe_arithmetic(sums, found);
  return found;
}

template <class Unsigned>
std::unique_ptr<Engine> engine_with(const Question& question, const Resources& resources) {
  const auto blocks = static_cast<std::uint64_t>(static_cast<double>(question.rows) /
                                                 question.design.block_length()) +
                      1;
  return std::make_unique<EngineOf<Shared<Unsigned>, BlockSums<Unsigned>>>(
      std::max<std::uint64_t>(1, 4096 / blocks), question.rows,
      std::make_shared<const Shared<Unsigned>>(question, resources));
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  return Layout(question).fits_64_bits ? engine_with<std::uint64_t>(question, resources)
                                       : engine_with<unsigned __int128>(question, resources);
}

}  // namespace

PathEntry entry() {
  return {.id = Path::blocks,
          .name = "blocks",
          .meaning = "differences of running sums and counts",
          .serves = serves,
          .estimate = estimate,
          .prepare = prepare};
}

}  // namespace bootfold::paths::blocks
