// Path `weights`: the Bayesian bootstrap. Dirichlet weights are exponential ones over their sum.
//
// As in path stream a worker takes a group of replicates and walks once over the rows; the features
// of a tile are made once for the group. Sums are doubles, added up in an order that depends on the
// rows alone.
#include <array>

#include "numeric/compensated.h"
#include "paths/entry.h"
#include "paths/table.h"
#include "planning/choose.h"
#include "random/counter.h"
#include "study/simd/kernels.h"
#include "study/tile.h"

namespace bootfold::paths::weights {

namespace {

using numeric::Compensated;

/// Replicates handled together where memory allows it.
constexpr std::size_t kGroup = 256;

/// Rows whose weights come from one lane stream; part of the definition of a weight.
constexpr std::uint64_t kLaneRows = 65536;

struct Shared {
  Shared(const Question& question, const Resources& resources)
      : problem(question.study.fixed(question.tolerance, true).problem),
        lane_kernels(random::simd::kernels(resources.level())),
        kernels(study::simd::kernels(resources.level())),
        seed(question.seed) {}

  const study::Problem& problem;  // products that are the same are weighed once
  const random::simd::Kernels& lane_kernels;
  const study::simd::Kernels& kernels;
  std::uint64_t seed;
};

class Weigher final : public Maker {
 public:
  explicit Weigher(const Shared& shared)
      : shared_(shared),
        rows_(shared.problem.data.rows()),
        features_(shared.problem.features.count()),
        tile_rows_(study::feature_tile_rows(features_)),
        reader_(shared.problem.data, tile_rows_),
        made_((features_ + 1) * tile_rows_, 1),  // the last feature is 1: it sums up the weights
        weights_(tile_rows_),
        tile_sums_(features_ + 1) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    const std::size_t group = last - first;
    const std::size_t outputs = values.size() / group;
    lanes_.resize(group);
    sums_.assign(group * (features_ + 1), {});
    for (std::uint64_t row = 0; row < rows_; row += tile_rows_) {
      worker.check();
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows_, rows_ - row));
      shared_.problem.features.make(reader_.read(row, size), made_.data(), tile_rows_);
      for (std::size_t i = 0; i < group; ++i) add_tile(row, size, first + i, i);
      worker.advance(static_cast<double>(size) * static_cast<double>(group));
    }
    std::vector<double> means(features_);
    std::vector<double> scratch(features_);
    for (std::size_t i = 0; i < group; ++i) {
      const Compensated* sums = sums_.data() + i * (features_ + 1);
      for (std::size_t f = 0; f < features_; ++f)
        means[f] = sums[f].value() / sums[features_].value();
      shared_.problem.finish_sums(means, static_cast<double>(rows_), kResolution,
                                  values.subspan(i * outputs, outputs), scratch);
    }
  }

 private:
  /// Products of scaled columns are at most 1, and so is the error of their weighted mean / 2^-50.
  static constexpr double kResolution = 0x1p-50;

  void add_tile(std::uint64_t row, std::size_t size, std::uint64_t replicate, std::size_t i) {
    if (row % kLaneRows == 0)
      shared_.lane_kernels.seed(
          random::lane_counter({shared_.seed, replicate, random::Purpose::dirichlet},
                               row / kLaneRows),
          lanes_[i]);
    shared_.lane_kernels.exponentials(lanes_[i], size, weights_.data());
    shared_.kernels.weigh(weights_.data(), made_.data(), tile_rows_, features_ + 1,
                          (size + 7) / 8 * 8, tile_sums_.data());
    for (std::size_t f = 0; f <= features_; ++f) sums_[i * (features_ + 1) + f].add(tile_sums_[f]);
  }

  const Shared& shared_;
  std::uint64_t rows_;
  std::size_t features_;
  std::size_t tile_rows_;
  study::TileReader reader_;
  std::vector<double> made_;
  std::vector<double> weights_;
  std::vector<double> tile_sums_;
  std::vector<random::simd::LaneState> lanes_;
  std::vector<Compensated> sums_;  // [replicate][feature]
};

std::string serves(const Question& question) {
  if (!question.problem().all<statistic::Sums>()) return "it takes functions of sums only";
  return question.traits.weighs ? "" : no_way_for(question.design);
}

Estimate estimate(const Question& question) {
  const study::Problem& problem = question.study.fixed(question.tolerance, true).problem;
  const std::size_t features = problem.features.count();
  Estimate found;
  found.tier = Tier::counts;
  found.reason = "every row gets an exponential weight: sums stream over the rows";
  found.replicate_nanoseconds =
      100 + static_cast<double>(question.rows) * (2 + static_cast<double>(features));
  found.thread_bytes = planning::tile_bytes(problem, features) + study::kTileRows * sizeof(double);
  found.replicate_bytes = 256 + 4 * (features + 1) * sizeof(double);
  found.group = kGroup;
  found.arithmetic = "double, in a fixed order";
  found.sum_error = 0x1p-50;
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  const std::uint64_t share = question.replicates / (2 * resources.threads()) + 1;
  return std::make_unique<EngineOf<Shared, Weigher>>(
      std::min<std::uint64_t>(resources.group, share), question.rows,
      std::make_shared<const Shared>(question, resources));
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
