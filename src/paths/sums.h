// From integer sums to the values of a replicate; features of all rows as integers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "execution/simd/kernels.h"
#include "paths/paths.h"
#include "study/tile.h"

namespace bootfold::paths {

/// Turns the integer sums of a replicate into its values.
class Finisher {
 public:
  explicit Finisher(const planning::Prepared& prepared)
      : prepared_(prepared),
        draws_(static_cast<double>(prepared.plan.draws)),
        means_(prepared.fixed.size()),
        scratch_(prepared.fixed.size()) {}

  void operator()(std::span<const __int128> sums, std::span<double> values) {
    (*this)(sums, draws_, values);
  }

  /// The same for a replicate of `draws` rows: a scheme may draw more in one than in another.
  void operator()(std::span<const __int128> sums, double draws, std::span<double> values) {
    for (std::size_t f = 0; f < means_.size(); ++f)
      means_[f] = prepared_.fixed[f].mean(sums[f], draws);
    from_means(means_, draws, values);
  }

  /// The same from the means of the features.
  void from_means(std::span<const double> means, double draws, std::span<double> values) {
    prepared_.problem.finish_sums(means, draws, std::nullopt, values, scratch_);
  }

 private:
  const planning::Prepared& prepared_;
  double draws_;
  std::vector<double> means_;
  std::vector<double> scratch_;
};

/// Calls see(feature, first, integers) for all features, a tile of rows at a time. `order`: the row
/// at each place, or empty.
template <class See>
void for_each_integer_tile(const planning::Prepared& prepared,
                           const execution::simd::Kernels& kernels,
                           std::span<const std::uint32_t> order, See&& see) {
  const std::size_t tile_rows = study::feature_tile_rows(prepared.fixed.size());
  const study::Problem& problem = prepared.problem;
  const std::size_t rows = problem.data.rows();
  const std::size_t features = problem.features.count();
  std::vector<double> made(features * tile_rows);
  std::vector<std::int64_t> integers(tile_rows);
  study::TileReader reader(problem.data, tile_rows);
  for (std::size_t row = 0; row < rows; row += tile_rows) {
    const std::size_t size = std::min(tile_rows, rows - row);
    problem.features.make(
        order.empty() ? reader.read(row, size) : reader.gather(order.subspan(row, size)),
        made.data(), tile_rows);
    for (std::size_t f = 0; f < features; ++f) {
      kernels.quantize(made.data() + f * tile_rows, size, prepared.fixed[f].point, integers.data());
      see(f, row, std::span<const std::int64_t>(integers).first(size));
    }
  }
}

/// The integers of all features of all rows: [feature][row]; with an order, [feature][place].
[[nodiscard]] inline std::vector<std::int64_t> integer_features(
    const planning::Prepared& prepared, const execution::simd::Kernels& kernels,
    std::span<const std::uint32_t> order = {}) {
  const std::size_t rows = prepared.problem.data.rows();
  std::vector<std::int64_t> all(prepared.fixed.size() * rows);
  for_each_integer_tile(
      prepared, kernels, order,
      [&](std::size_t feature, std::size_t first, std::span<const std::int64_t> integers) {
        std::copy(integers.begin(), integers.end(), all.data() + feature * rows + first);
      });
  return all;
}

}  // namespace bootfold::paths
