#include "jackknife/heavy_rows.h"

#include <algorithm>
#include <cmath>

#include "jackknife/shifted_means.h"
#include "numeric/compensated.h"

namespace bootfold::jackknife {

namespace {

/// A row has so many times what the others add up to, without signs: ten digits of a difference are
/// sure below that.
constexpr double kHeavy = 1e6;

/// The largest row of a feature without its sign, and the sum of the others.
struct Largest {
  std::uint64_t row = 0;
  double size = -1;
  double others = 0;

  void add(std::uint64_t at, double value) {
    if (value <= size) {
      others += value;
      return;
    }
    if (size >= 0) others += size;
    size = value;
    row = at;
  }
  void merge(const Largest& more) {
    others += more.others;
    if (more.size >= 0) add(more.row, more.size);
  }
};

/// Whether the range of a feature lets one row be heavy.
bool may_have_heavy_row(const study::FeatureSummary& feature, double rows) {
  const double largest = std::max(std::abs(feature.min), std::abs(feature.max));
  return largest > kHeavy / 4 * rows * feature.typical;
}

/// Means of all features over all rows but one.
std::vector<double> means_of_others(const Task& task, std::uint64_t row) {
  const std::size_t count = task.features.size();
  const auto rows = static_cast<double>(task.problem.data.rows());
  using Sums = std::vector<numeric::Compensated>;
  const Sums sums = over_tiles(
      task, rows, Sums(count),
      [&](Sums& found, Mover&, const FeatureTile& tile) {
        for (std::size_t f = 0; f < count; ++f)
          for (std::size_t i = 0; i < tile.rows; ++i)
            if (tile.first + i != row) found[f].add(tile.values[f * tile.stride + i]);
      },
      [](Sums& all, Sums&& part) {
        for (std::size_t f = 0; f < all.size(); ++f) {
          all[f].add(part[f].sum);
          all[f].add(part[f].lost);
        }
      });
  std::vector<double> means;
  for (const auto& sum : sums) means.push_back(sum.value() / (rows - 1));
  return means;
}

}  // namespace

HeavyRows::HeavyRows(const Task& task) {
  const auto rows = static_cast<double>(task.problem.data.rows());
  const std::size_t count = task.features.size();
  const auto suspicious = [&](const study::FeatureSummary& feature) {
    return may_have_heavy_row(feature, rows);
  };
  if (rows < 2 || std::none_of(task.features.begin(), task.features.end(), suspicious)) return;
  using All = std::vector<Largest>;
  const All largest = over_tiles(
      task, rows, All(count),
      [&](All& found, Mover&, const FeatureTile& tile) {
        for (std::size_t f = 0; f < count; ++f)
          for (std::size_t i = 0; i < tile.rows; ++i)
            found[f].add(tile.first + i, std::abs(tile.values[f * tile.stride + i]));
      },
      [](All& all, All&& part) {
        for (std::size_t f = 0; f < all.size(); ++f) all[f].merge(part[f]);
      });
  for (const Largest& feature : largest)
    if (feature.size > kHeavy * feature.others && !means_.contains(feature.row))
      means_.emplace(feature.row, means_of_others(task, feature.row));
}

}  // namespace bootfold::jackknife
