#include "jackknife/row_weights.h"

#include <algorithm>

#include "bootfold/error.h"
#include "numeric/compensated.h"
#include "study/tile.h"

namespace bootfold::jackknife {

Measure::Measure(const resample::Design& design, const study::Problem& problem,
                 std::span<study::FeatureSummary> features, const Execution& execution)
    : Measure(problem.data.rows()) {
  labels_ = design.stratum_labels();
  weights_ = design.weights();
  if (labels_.empty() && weights_.empty()) return;

  features_ = features.size();
  number_ = resample::Numbering(labels_);
  const std::size_t groups = std::max<std::size_t>(number_.count(), 1);
  std::vector<numeric::Compensated> sums(groups * features_);
  std::vector<numeric::Compensated> sizes(groups);
  const std::size_t tile_rows = study::feature_tile_rows(features_);
  std::vector<double> made(features_ * tile_rows);
  study::TileReader reader(problem.data, tile_rows);
  const std::uint64_t rows = problem.data.rows();
  for (std::uint64_t first = 0; first < rows; first += tile_rows) {
    if (execution.stop.stop_requested()) throw Cancelled();
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(tile_rows, rows - first));
    problem.features.make(reader.read(first, size), made.data(), tile_rows);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t group = labels_.empty() ? 0 : number_(labels_[first + i]);
      const double weight = weights_.empty() ? 1 : weights_[first + i];
      sizes[group].add(weight);
      for (std::size_t f = 0; f < features_; ++f)
        sums[group * features_ + f].add(weight * made[f * tile_rows + i]);
    }
  }
  for (const auto& size : sizes) sizes_.push_back(size.value());
  means_.resize(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sizes_[i / features_] > 0) means_[i] = sums[i].value() / sizes_[i / features_];
  total_ = sizes_[0];
  if (!weights_.empty())
    for (std::size_t f = 0; f < features_; ++f) features[f].mean = means_[f];
}

double Measure::deletion(std::uint64_t row) const {
  if (!weights_.empty()) {
    const double others = total_ - weights_[row];
    return others > 0 ? weights_[row] / others : 0;
  }
  const double size = labels_.empty() ? rows_ : sizes_[number_(labels_[row])];
  return size > 1 ? size / rows_ / (size - 1) : 0;
}

}  // namespace bootfold::jackknife
