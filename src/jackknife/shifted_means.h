// Functions of sums at means that moved a little from those of all rows.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "bootfold/map_reduce.h"
#include "jackknife/influence.h"
#include "study/tile.h"

namespace bootfold::jackknife {

/// Evaluates functions of sums at shifted means.
class ShiftedMeans {
 public:
  /// `rows` and `relative` are what finishing functions see in Folded.
  ShiftedMeans(const Task& task, double rows, bool relative = false)
      : rows_(rows), relative_(relative) {
    for (const auto& feature : task.features) means_.push_back(feature.mean);
    // A statistic that is composed of others may have a feature several times.
    for (const study::Part& part : task.problem().parts)
      if (part.features.size() > scratch_.size()) scratch_.resize(part.features.size());
  }

  /// How far a feature is from what it is measured from: `centre`, or the mean if that is null.
  [[nodiscard]] double distance(std::uint32_t feature, double value, const double* centre) const {
    if (centre == nullptr) return value - means_[feature];
    const double from = centre[feature];
    // A stratum that does not vary must not seem to, by the rounding of its mean.
    constexpr double kRounding = 0x1p-48;
    return std::abs(value - from) > kRounding * std::abs(from) ? value - from : 0;
  }

  /// The values of `part` at means + step * (features - centre), features[f * stride].
  void at(const study::Part& part, const double* features, std::size_t stride, const double* centre,
          double step, std::span<double> values) {
    for (std::size_t k = 0; k < part.features.size(); ++k) {
      const std::uint32_t f = part.features[k];
      scratch_[k] = means_[f] + distance(f, features[f * stride], centre) * step;
    }
    finish(part, values);
  }

  /// The values of `part` at these means of all features.
  void at(const study::Part& part, std::span<const double> means, std::span<double> values) {
    for (std::size_t k = 0; k < part.features.size(); ++k) scratch_[k] = means[part.features[k]];
    finish(part, values);
  }

  /// The values of `part` at means + step * direction, which has a number for each feature of it.
  void along(const study::Part& part, std::span<const double> direction, double step,
             std::span<double> values) {
    for (std::size_t k = 0; k < part.features.size(); ++k)
      scratch_[k] = means_[part.features[k]] + step * direction[k];
    finish(part, values);
  }

  /// The values of `part` at the means themselves.
  void at_means(const study::Part& part, std::span<double> values) {
    for (std::size_t k = 0; k < part.features.size(); ++k) scratch_[k] = means_[part.features[k]];
    finish(part, values);
  }

 private:
  void finish(const study::Part& part, std::span<double> values) {
    std::get<statistic::Sums>(part.bound.body)
        .finish({std::span<const double>(scratch_).first(part.features.size()), rows_, part.scales,
                 0, relative_},
                values);
  }

  double rows_;
  bool relative_;
  std::vector<double> means_;
  std::vector<double> scratch_;
};

/// Calls act(part) for the parts that are functions of sums and asked for.
template <class Act>
void for_each_part(const Task& task, Act&& act) {
  for (const study::Part& part : task.problem().parts)
    if (std::holds_alternative<statistic::Sums>(part.bound.body) &&
        part.first_output < task.outputs)
      act(part);
}

/// Neighbouring rows and their features: values[f * stride + i] of row first + i.
struct FeatureTile {
  const double* values;
  std::size_t stride;
  std::uint64_t first;
  std::size_t rows;
};

/// Folds see(state, tile) over tiles of features on all threads. Parts are merged in the order of
/// the rows.
template <class State, class See, class Merge>
[[nodiscard]] State over_tiles(const Task& task, const State& init, const See& see,
                               const Merge& merge) {
  const study::Problem& problem = task.problem();
  const std::uint64_t rows = problem.data.rows();
  const std::size_t tile_rows = study::feature_tile_rows(problem.features.count());
  const Execution silent{task.execution.threads, task.execution.level, task.execution.stop, {}};
  return map_reduce(
      {0, static_cast<std::size_t>((rows + study::kChunkRows - 1) / study::kChunkRows), 1}, init,
      [&](State& state, std::size_t chunk, const execution::Worker& worker) {
        study::TileReader reader(problem.data, tile_rows);
        std::vector<double> made(problem.features.count() * tile_rows);
        const std::uint64_t end = std::min(rows, (chunk + 1) * study::kChunkRows);
        for (std::uint64_t row = chunk * study::kChunkRows; row < end; row += tile_rows) {
          worker.check();
          const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows, end - row));
          problem.features.make(reader.read(row, size), made.data(), tile_rows);
          see(state, FeatureTile{made.data(), tile_rows, row, size});
        }
      },
      merge, silent);
}

}  // namespace bootfold::jackknife
