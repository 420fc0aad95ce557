// Path `gather` for functions of sums: draw row numbers, add the rows' integer features.
//
// Short resamples are drawn 16 replicates side by side: a lane of the stream belongs to a
// replicate, so that one seeding serves them all. Longer ones have a stream each.
#include <algorithm>
#include <array>

#include "paths/entry.h"
#include "paths/gather_parts.h"
#include "paths/ordered.h"
#include "paths/ranked.h"
#include "paths/resampled.h"
#include "paths/sums.h"
#include "paths/table.h"
#include "paths/weighted_order.h"
#include "planning/choose.h"
#include "random/counter.h"
#include "resample/rows.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::paths::gather {

namespace {

using random::Purpose;
using resample::kDrawsAtOnce;
using resample::kSideBySide;

struct Shared {
  Shared(const Question& question, const Resources& resources)
      : fixed(question.study.fixed(question.tolerance, true)),
        lane_kernels(random::simd::kernels(resources.level())),
        kernels(study::simd::kernels(resources.level())),
        seed(question.seed),
        rows(question.rows),
        draws(question.draws),
        integers(integer_features(fixed, kernels, fixed.problem.data)) {}

  const study::FixedSums& fixed;
  const random::simd::Kernels& lane_kernels;
  const study::simd::Kernels& kernels;
  std::uint64_t seed;
  std::size_t rows;
  std::size_t draws;
  std::vector<std::int64_t> integers;  // [limb][row]
};

class Drawer final : public Maker {
 public:
  explicit Drawer(const Shared& shared)
      : fixed(shared.fixed),
        lane_kernels(shared.lane_kernels),
        kernels(shared.kernels),
        integers(shared.integers),
        seed(shared.seed),
        rows(shared.rows),
        draws(shared.draws),
        limbs(shared.fixed.limbs.size()),
        draw(resample::row_draw(static_cast<std::uint32_t>(rows))),
        is_mean(shared.fixed.problem.is_mean()),
        finish(shared.fixed),
        lane_sums(limbs * kSideBySide),
        wide_sums(limbs * kSideBySide),
        sums(limbs),
        means(fixed.features() * kSideBySide) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    const std::size_t outputs = values.size() / (last - first);
    const auto values_of = [&](std::uint64_t from, std::uint64_t to) {
      return values.subspan((from - first) * outputs, (to - from) * outputs);
    };
    if (rows <= resample::kShortRows) {
      for (std::uint64_t batch = first / kSideBySide; batch <= (last - 1) / kSideBySide; ++batch)
        make_batch(batch, first, last, values_of);
    } else {
      for (std::uint64_t r = first; r < last; ++r) make_one(r, values_of(r, r + 1));
    }
    worker.advance(static_cast<double>((last - first) * draws));
  }

 private:
  static constexpr std::size_t kSafeDraws = 254;  // so many integers of seven digits fit 64 bits

  /// The row that replaces a rejected draw.
  [[nodiscard]] std::uint32_t redrawn(std::uint64_t replicate, std::size_t position) const {
    return resample::redraw({seed, replicate, Purpose::index_retry},
                            static_cast<std::uint32_t>(position), draw);
  }

  /// Up to 16 short replicates that share a stream: those of `batch` within [first, last).
  template <class ValuesOf>
  void make_batch(std::uint64_t batch, std::uint64_t first, std::uint64_t last,
                  const ValuesOf& values_of) {
    constexpr std::size_t kSteps = kDrawsAtOnce / kSideBySide;
    lane_kernels.seed(random::lane_counter({seed, batch, Purpose::short_index}, 0), lanes);
    std::fill(lane_sums.begin(), lane_sums.end(), 0);
    if (draws > kSafeDraws) std::fill(wide_sums.begin(), wide_sums.end(), 0);
    for (std::size_t step = 0; step < draws; step += kSteps) {
      std::size_t rejections = 0;
      kernels.gather(lanes, draw, std::min(kSteps, draws - step), kSideBySide, integers.data(),
                     rows, limbs, lane_sums.data(), rejected.data(), rejections);
      for (std::size_t i = 0; i < rejections; ++i) {
        const std::size_t lane = rejected[i] % kSideBySide;
        const std::uint32_t row =
            redrawn(batch * kSideBySide + lane, step + rejected[i] / kSideBySide);
        for (std::size_t s = 0; s < limbs; ++s)
          lane_sums[s * kSideBySide + lane] += integers[s * rows + row];
      }
      if (draws <= kSafeDraws) continue;
      for (std::size_t i = 0; i < lane_sums.size(); ++i) {
        wide_sums[i] += lane_sums[i];
        lane_sums[i] = 0;
      }
    }
    find_means();
    const std::size_t features = fixed.features();
    const std::uint64_t batch_first = std::max(first, batch * kSideBySide);
    const std::uint64_t batch_last =
        batch * kSideBySide + std::min<std::uint64_t>(kSideBySide, last - batch * kSideBySide);
    if (is_mean) {
      const std::size_t lane = batch_first - batch * kSideBySide;
      fixed.problem.finish_means(std::span(means).subspan(lane, batch_last - batch_first),
                                 values_of(batch_first, batch_last));
      return;
    }
    for (std::uint64_t replicate = batch_first; replicate < batch_last; ++replicate)
      finish.from_means(
          std::span(means).subspan((replicate - batch * kSideBySide) * features, features),
          static_cast<double>(draws), values_of(replicate, replicate + 1));
  }

  /// The means of the features of all replicates that were drawn side by side.
  void find_means() {
    const std::size_t features = fixed.features();
    const auto count = static_cast<double>(draws);
    if (limbs == 1 && draws <= kSafeDraws) {  // the usual case
      kernels.means(lane_sums.data(), kSideBySide, count, fixed.fixed[0].mean_scale(),
                    means.data());
      return;
    }
    for (std::size_t lane = 0; lane < kSideBySide; ++lane) {
      for (std::size_t s = 0; s < limbs; ++s) {
        const std::size_t at = s * kSideBySide + lane;
        sums[s] = draws <= kSafeDraws ? lane_sums[at] : wide_sums[at];
      }
      fixed.find_means(sums, count, std::span(means).subspan(lane * features, features));
    }
  }

  /// One replicate with a stream of its own.
  void make_one(std::uint64_t replicate, std::span<double> values) {
    lane_kernels.seed(random::lane_counter({seed, replicate, Purpose::index}, 0), lanes);
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t first = 0; first < draws; first += kDrawsAtOnce) {
      const std::size_t size = std::min(kDrawsAtOnce, draws - first);
      const std::size_t steps = (size + kSideBySide - 1) / kSideBySide;
      std::size_t rejections = 0;
      std::fill(lane_sums.begin(), lane_sums.end(), 0);
      kernels.gather(lanes, draw, steps, size - (steps - 1) * kSideBySide, integers.data(), rows,
                     limbs, lane_sums.data(), rejected.data(), rejections);
      for (std::size_t s = 0; s < limbs; ++s)
        for (std::size_t lane = 0; lane < kSideBySide; ++lane)
          sums[s] += lane_sums[s * kSideBySide + lane];
      for (std::size_t i = 0; i < rejections; ++i) {
        const std::uint32_t row = redrawn(replicate, first + rejected[i]);
        for (std::size_t s = 0; s < limbs; ++s) sums[s] += integers[s * rows + row];
      }
    }
    finish(sums, static_cast<double>(draws), values);
  }

  const study::FixedSums& fixed;
  const random::simd::Kernels& lane_kernels;
  const study::simd::Kernels& kernels;
  std::span<const std::int64_t> integers;
  std::uint64_t seed;
  std::size_t rows;
  std::size_t draws;
  std::size_t limbs;
  resample::simd::RowDraw draw;
  bool is_mean;
  Finisher finish;
  random::simd::LaneState lanes;
  std::vector<std::int64_t> lane_sums;  // [limb][lane]
  std::vector<__int128> wide_sums;      // the same, of many draws
  std::vector<__int128> sums;           // [limb]
  std::vector<double> means;            // [lane][feature]
  std::array<std::uint32_t, kDrawsAtOnce> rejected;
};

bool all_sums(const Question& question) { return question.problem().all<statistic::Sums>(); }

/// Whether row numbers are enough: the rows' integer features are added up, and no resample is
/// made.
bool adds_integers(const Question& question) {
  return all_sums(question) && question.traits.iid &&
         question.study.fixed(question.tolerance, true).accurate();
}

/// How statistics are made that need no more than the counts of the drawn rows.
struct OfCounts {
  bool (*suits)(const Question& question);
  Estimate (*estimate)(const Question& question);
  std::unique_ptr<Engine> (*prepare)(const Question& question, const Resources& resources);
};

constexpr std::array kOfCounts = {
    OfCounts{ranked::suits, ranked::estimate, ranked::prepare},
    OfCounts{weighted_order::suits, weighted_order::estimate, weighted_order::prepare},
    OfCounts{ordered::suits, ordered::estimate, ordered::prepare},
};

/// Null: more is needed, or the design's counts stream, which are those of path stream.
const OfCounts* of_counts_alone(const Question& question) {
  if (question.design.streams(question.rows)) return nullptr;
  const auto found = std::find_if(kOfCounts.begin(), kOfCounts.end(),
                                  [&](const OfCounts& each) { return each.suits(question); });
  return found == kOfCounts.end() ? nullptr : &*found;
}

/// What the table of integers takes, shared by all threads.
std::size_t table_bytes(const Question& question) {
  return question.rows * question.study.fixed(question.tolerance, true).limbs.size() *
         sizeof(std::int64_t);
}

/// Without room for the table resamples are drawn out: the same bits, more slowly.
bool has_room(const Question& question) {
  const std::size_t features = question.study.fixed(question.tolerance, true).features();
  const std::size_t tile = planning::tile_bytes(question.problem(), features);
  return planning::kProgramBytes + table_bytes(question) + tile <= question.memory ||
         table_bytes(question) + tile <= resampled::bytes(question).all();
}

std::string serves(const Question& question) {
  if (question.traits.weighs)
    return text::concat(
        "scheme '", question.design.name(),
        "' weights rows and takes functions of sums, quantiles and other built-in statistics, "
        "not accumulators or functions of the resample; scheme 'iid' takes all");
  if (question.traits.sums_only && !all_sums(question))
    return text::concat(
        "scheme '", question.design.name(),
        "' weights rows and takes functions of sums only (mean, variance, regression, ...), not "
        "quantiles or functions of the resample; scheme 'iid' takes all");
  if (!question.traits.lists_rows) return no_way_for(question.design);
  if (question.rows > resample::kMostGatherRows)
    return text::concat("it draws from at most ", text::grouped(resample::kMostGatherRows),
                        " rows and there are ", text::grouped(question.rows));
  return {};
}

Estimate estimate(const Question& question) {
  if (const OfCounts* const counted = of_counts_alone(question)) return counted->estimate(question);
  const Size size = size_of(question);
  if (!adds_integers(question)) return resampled::estimate(question);
  const study::FixedSums& sums = question.study.fixed(question.tolerance, true);
  Estimate found;
  found.tier = Tier::counts;
  found.replicate_nanoseconds = cost(size);
  found.reason =
      rows_and_features(question, sums.features()) +
      (question.forced ? "path asked for" : "so few draws that row numbers are cheapest");
  if (has_room(question)) {
    found.shared_bytes = table_bytes(question);
    found.thread_bytes = planning::tile_bytes(question.problem(), sums.features());
  } else {
    found.shared_bytes = resampled::bytes(question).shared;
    found.thread_bytes = resampled::bytes(question).thread;
  }
  describe_arithmetic(sums, found);
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  if (const OfCounts* const counted = of_counts_alone(question))
    return counted->prepare(question, resources);
  if (!adds_integers(question) || !has_room(question))
    return resampled::prepare(question, resources);
  const bool side_by_side = question.rows <= resample::kShortRows;
  const std::uint64_t group = std::max<std::uint64_t>(
      side_by_side ? kSideBySide : 1, (side_by_side ? 1'048'576 : 65536) / question.draws);
  return std::make_unique<EngineOf<Shared, Drawer>>(
      group, question.draws, std::make_shared<const Shared>(question, resources));
}

std::string no_parts(const Question& question) {
  return adds_integers(question) ? "" : "path 'gather' looks single rows up";
}

}  // namespace

double cost(const Size& size) {
  const double row = size.rows <= 16 && size.features == 1 ? 0.3 : 0.2 + size.features;
  const bool is_short = size.rows <= static_cast<double>(resample::kShortRows);
  return (is_short ? 20 : 120) + size.draws * row;
}

PathEntry entry() {
  return {.id = Path::gather,
          .name = "gather",
          .meaning = "row numbers are drawn and the rows looked up",
          .serves = serves,
          .estimate = estimate,
          .prepare = prepare,
          .no_parts = no_parts,
          .prepare_parts = prepare_parts};
}

}  // namespace bootfold::paths::gather
