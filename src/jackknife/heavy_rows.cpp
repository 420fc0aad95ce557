#include "jackknife/heavy_rows.h"

#include <algorithm>
#include <cmath>

#include "study/tile.h"

namespace bootfold::jackknife {

namespace {

/// Whether the range of a feature lets one row have a million times what the others add up to:
/// below that ten digits of a difference are sure.
bool may_have_heavy_row(const study::FeatureSummary& feature, double rows) {
  constexpr double kHeavy = 1e6;
  const double largest = std::max(std::abs(feature.min), std::abs(feature.max));
  return largest > kHeavy / 4 * rows * feature.typical;
}

/// Means of all features over all rows but one.
std::vector<double> means_of_others(const study::Study& study, std::uint64_t row) {
  const study::Features& features = study.problem().features;
  study::TileReader reader(study.data(), 1);
  std::vector<double> made(features.count());
  features.make(reader.gather(std::span<const std::uint64_t>(&row, 1)), made.data(), 1);
  std::vector<double> means;
  for (std::size_t f = 0; f < made.size(); ++f) {
    numeric::ExactSum sum = study.features().features()[f].sum;
    sum.add(-made[f]);
    means.push_back(sum.value() / static_cast<double>(study.rows() - 1));
  }
  return means;
}

}  // namespace

HeavyRows::HeavyRows(const Task& task) {
  const auto rows = static_cast<double>(task.study.rows());
  if (rows < 2) return;
  for (std::size_t f = 0; f < task.features.size(); ++f) {
    if (!may_have_heavy_row(task.features[f], rows)) continue;
    const std::uint64_t row = task.study.features().features()[f].largest_row;
    if (!means_.contains(row)) means_.emplace(row, means_of_others(task.study, row));
  }
}

}  // namespace bootfold::jackknife
