#include "planning/cluster_adder.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "study/tile.h"

namespace bootfold::planning {

ClusterAdder::ClusterAdder(const study::Study& study) : problem_(study.problem()) {
  const study::Features& features = problem_.features;
  std::size_t filled = 0;
  for (std::size_t f = 0; f < features.count(); ++f) {
    double largest = 1;  // products of scaled columns
    if (!features.is_product(f)) {
      const study::ValuesLook& look = study.columns().filled()[filled++];
      largest = std::max(std::abs(look.min), std::abs(look.max));
    }
    fixed_.emplace_back(largest, study.rows());
  }
}

ClusterAdder::Sums ClusterAdder::none(std::size_t clusters) const {
  return {std::vector<__int128>(clusters * features()), std::vector<std::uint64_t>(clusters)};
}

void ClusterAdder::add(const DataView& rows, std::span<const std::uint32_t> labels,
                       const resample::Numbering& number, Sums& sums,
                       const std::stop_token& stop) const {
  const std::size_t tile_rows = study::feature_tile_rows(features());
  std::vector<double> made(features() * tile_rows);
  study::TileReader reader(rows, tile_rows);
  for (std::size_t row = 0; row < rows.rows(); row += tile_rows) {
    if (stop.stop_requested()) throw Cancelled();
    const std::size_t size = std::min(tile_rows, rows.rows() - row);
    problem_.features.make(reader.read(row, size), made.data(), tile_rows);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t cluster = number(labels[row + i]);
      ++sums.rows[cluster];
      __int128* const own = sums.sums.data() + cluster * features();
      for (std::size_t f = 0; f < features(); ++f)
        own[f] = plus(own[f], fixed_[f](made[f * tile_rows + i]));
    }
  }
}

std::vector<std::vector<double>> ClusterAdder::columns(const Sums& sums) const {
  const std::size_t clusters = sums.rows.size();
  std::vector<std::vector<double>> columns(features() + 1, std::vector<double>(clusters));
  for (std::size_t c = 0; c < clusters; ++c) {
    for (std::size_t f = 0; f < features(); ++f)
      columns[f][c] = fixed_[f].value(sums.sums[c * features() + f]);
    columns[features()][c] = static_cast<double>(sums.rows[c]);
  }
  return columns;
}

}  // namespace bootfold::planning
