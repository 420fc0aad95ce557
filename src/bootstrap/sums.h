// From integer sums to the values of a replicate; features of all rows as integers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bootstrap/paths.h"
#include "execution/simd/kernels.h"
#include "plan/tile.h"

namespace bootfold::paths {

/// Turns the integer sums of a replicate into its values.
class Finisher {
 public:
  explicit Finisher(const planning::Prepared& prepared)
      : prepared_(prepared),
        rows_(static_cast<double>(prepared.plan.rows)),
        means_(prepared.fixed.size()),
        scratch_(prepared.fixed.size()) {}

  void operator()(std::span<const __int128> sums, std::span<double> values) {
    for (std::size_t f = 0; f < means_.size(); ++f)
      means_[f] = prepared_.fixed[f].mean(sums[f], rows_);
    from_means(means_, values);
  }

  /// The same from the means of the features.
  void from_means(std::span<const double> means, std::span<double> values) {
    prepared_.problem.finish_sums(means, true, values, scratch_);
  }

 private:
  const planning::Prepared& prepared_;
  double rows_;
  std::vector<double> means_;
  std::vector<double> scratch_;
};

/// The integers of all features of all rows: [feature][row].
[[nodiscard]] inline std::vector<std::int64_t> integer_features(
    const planning::Prepared& prepared, const execution::simd::Kernels& kernels) {
  const std::size_t tile_rows = planning::planning_tile_rows(prepared.fixed.size());
  const planning::Problem& problem = prepared.problem;
  const std::size_t rows = problem.data.rows();
  const std::size_t features = problem.features.count();
  std::vector<std::int64_t> integers(features * rows);
  std::vector<double> made(features * tile_rows);
  planning::TileReader reader(problem.data, tile_rows);
  for (std::size_t row = 0; row < rows; row += tile_rows) {
    const std::size_t size = std::min(tile_rows, rows - row);
    problem.features.make(reader.read(row, size), made.data(), tile_rows);
    for (std::size_t f = 0; f < features; ++f)
      kernels.quantize(made.data() + f * tile_rows, size, prepared.fixed[f].point,
                       integers.data() + f * rows + row);
  }
  return integers;
}

}  // namespace bootfold::paths
