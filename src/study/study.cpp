#include "study/study.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bootfold/error.h"
#include "study/tile.h"
#include "text/concat.h"

namespace bootfold::study {

namespace {

void require_all(const RowRanges& seen, std::uint64_t rows) {
  if (seen.covers(rows)) return;
  std::string there;
  for (const RowRange& range : seen.ranges())
    there += (there.empty() ? "" : ", ") + describe(range);
  throw InvalidArgument(text::concat("the data have ", rows, " rows but the look saw ",
                                     there.empty() ? "none of them" : there,
                                     "; merge the looks at all rows"));
}

/// The standard deviations of the features under weights. They are taken about the heaviest row, so
/// that nothing cancels where that row has nearly all of the weight.
std::vector<double> weighted_deviations(const Problem& problem, std::span<const double> weights,
                                        const Execution& execution) {
  const std::size_t features = problem.features.count();
  const std::size_t tile_rows = feature_tile_rows(features);
  std::vector<double> made(features * tile_rows);
  TileReader reader(problem.data, tile_rows);
  const auto heaviest = std::max_element(weights.begin(), weights.end());
  problem.features.make(reader.read(static_cast<std::size_t>(heaviest - weights.begin()), 1),
                        made.data(), tile_rows);
  std::vector<double> centres;
  for (std::size_t f = 0; f < features; ++f) centres.push_back(made[f * tile_rows]);
  double total = 0;
  std::vector<double> sums(features);
  std::vector<double> squares(features);
  for (std::size_t row = 0; row < weights.size(); row += tile_rows) {
    if (execution.stop.stop_requested()) throw Cancelled();
    const std::size_t size = std::min(tile_rows, weights.size() - row);
    problem.features.make(reader.read(row, size), made.data(), tile_rows);
    for (std::size_t i = 0; i < size; ++i) {
      const double weight = weights[row + i] / *heaviest;
      total += weight;
      for (std::size_t f = 0; f < features; ++f) {
        const double off = made[f * tile_rows + i] - centres[f];
        sums[f] += weight * off;
        squares[f] += weight * off * off;
      }
    }
  }
  for (std::size_t f = 0; f < features; ++f) {
    const double mean = sums[f] / total;
    squares[f] = std::sqrt(std::max(0.0, squares[f] / total - mean * mean));
  }
  return squares;
}

}  // namespace

void Study::look_at_columns(const LookRequest& request, const Execution& execution) {
  ColumnsLook look = empty_columns_look(request.most_distinct);
  look.see(data(), 0, problem_.features, request.room, execution);
  accept(std::move(look));
}

void Study::look(const LookRequest& request, const Execution& execution) {
  look_at_columns(request, execution);
  if (problem_.features.empty()) return;
  FeaturesLook features = empty_features_look();
  features.see(data(), 0, problem_.features, request.room, execution);
  accept(std::move(features));
}

ColumnsLook Study::empty_columns_look(std::size_t most_distinct) const {
  return {data().columns(), problem_.features, most_distinct};
}

void Study::accept(ColumnsLook look) {
  require_all(look.seen(), rows());
  columns_ = std::move(look);
  problem_.set_columns(summarize(*columns_, data(), problem_.features));
  rough_ = rough_summaries(problem_.features, *columns_);
}

void Study::set_drawing(const Drawing& drawing, const Execution& execution) {
  std::vector<double> deviations;
  if (!drawing.weights.empty() && !rough_.empty()) {
    draws_ = drawing.draws;
    deviations = weighted_deviations(problem_, drawing.weights, execution);
  }
  for (std::vector<FeatureSummary>* summaries : {&rough_, &summaries_})
    for (std::size_t f = 0; f < summaries->size(); ++f) {
      FeatureSummary& summary = (*summaries)[f];
      summary.even = drawing.even;
      // Squares may overflow where values do not.
      if (!deviations.empty() && std::isfinite(deviations[f]) && deviations[f] > 0)
        summary.deviation = deviations[f];
    }
}

FeaturesLook Study::empty_features_look() const {
  std::vector<double> medians;
  for (const FeatureSummary& summary : rough_) medians.push_back(summary.median);
  return {rows(), std::move(medians)};
}

void Study::accept(FeaturesLook look) {
  require_all(look.seen(), rows());
  features_ = std::move(look);
  summaries_ = summarize(*features_, rows());
}

DistinctRows Study::distinct_features() const {
  DistinctRows found = columns_->distinct().rows();
  const std::size_t count = found.count();
  const std::vector<double> made = problem_.features.make(found.columns, count);
  found.columns.assign(problem_.features.count(), std::vector<double>(count));
  for (std::size_t f = 0; f < found.columns.size(); ++f)
    for (std::size_t i = 0; i < count; ++i) found.columns[f][i] = made[f * count + i] + 0.0;
  return found;
}

const FixedSums& Study::fixed(double tolerance, bool all_digits) const {
  std::optional<FixedSums>& made = fixed_[all_digits ? 1 : 0];
  if (!made)
    made.emplace(problem_, rough_, static_cast<double>(std::max(rows(), draws_)), tolerance,
                 all_digits);
  return *made;
}

}  // namespace bootfold::study
