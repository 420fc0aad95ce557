// From integer sums to the values of a replicate; features of all rows as integers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planning/path_entry.h"
#include "study/fixed_sums.h"
#include "study/simd/kernels.h"
#include "study/tile.h"

namespace bootfold::paths {

/// Turns the integer sums of a replicate into its values.
class Finisher {
 public:
  explicit Finisher(const study::FixedSums& sums) : sums_(sums), means_(sums.features()) {}

  /// Of a replicate of `draws` rows; one sum for each limb.
  void operator()(std::span<const __int128> sums, double draws, std::span<double> values) {
    sums_.find_means(sums, draws, means_);
    from_means(means_, draws, values);
  }

  /// The same from the means of the features.
  void from_means(std::span<const double> means, double draws, std::span<double> values) {
    sums_.problem.finish_sums(means, draws, std::nullopt, values, scratch_);
  }

 private:
  const study::FixedSums& sums_;
  std::vector<double> means_;
  std::vector<double> scratch_;
};

/// Calls see(limb, first, integers) for all limbs of some rows of the data, a tile of rows at a
/// time. `order`: the row at each place, or empty.
template <class See>
void for_each_integer_tile(const study::FixedSums& sums, const study::simd::Kernels& kernels,
                           const DataView& data, std::span<const std::uint32_t> order, See&& see) {
  const study::Problem& problem = sums.problem;
  const std::size_t features = sums.features();
  const std::size_t tile_rows = study::feature_tile_rows(features);
  const std::size_t rows = data.rows();
  std::vector<double> made(features * tile_rows);
  std::vector<std::int64_t> integers(study::kMostLimbs * tile_rows);
  study::TileReader reader(data, tile_rows);
  for (std::size_t row = 0; row < rows; row += tile_rows) {
    const std::size_t size = std::min(tile_rows, rows - row);
    problem.features.make(
        order.empty() ? reader.read(row, size) : reader.gather(order.subspan(row, size)),
        made.data(), tile_rows);
    std::size_t number = 0;
    for (std::size_t f = 0; f < features; ++f) {
      study::quantize(sums.fixed[f], {made.data() + f * tile_rows, size}, kernels, integers.data(),
                      tile_rows);
      for (std::size_t limb = 0; limb < sums.fixed[f].limbs(); ++limb)
        see(number++, row, std::span<const std::int64_t>(integers).subspan(limb * tile_rows, size));
    }
  }
}

/// The integers of all limbs of some rows: [limb][row]; with an order, [limb][place].
[[nodiscard]] inline std::vector<std::int64_t> integer_features(
    const study::FixedSums& sums, const study::simd::Kernels& kernels, const DataView& data,
    std::span<const std::uint32_t> order = {}) {
  const std::size_t rows = data.rows();
  std::vector<std::int64_t> all(sums.limbs.size() * rows);
  for_each_integer_tile(
      sums, kernels, data, order,
      [&](std::size_t limb, std::size_t first, std::span<const std::int64_t> integers) {
        std::copy(integers.begin(), integers.end(), all.data() + limb * rows + first);
      });
  return all;
}

}  // namespace bootfold::paths
