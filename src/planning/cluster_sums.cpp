#include "planning/cluster_sums.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "numeric/compensated.h"
#include "resample/numbering.h"
#include "study/tile.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::planning {

namespace {

/// The problem with only those parts that are functions of sums.
study::Problem only_sums(const study::Problem& from) {
  study::Problem problem = from;
  problem.parts.clear();
  problem.outputs.clear();
  for (const study::Part& part : from.parts) {
    if (!std::holds_alternative<statistic::Sums>(part.bound.body)) continue;
    const auto first = from.outputs.begin() + static_cast<std::ptrdiff_t>(part.first_output);
    problem.parts.push_back(part);
    problem.parts.back().first_output = problem.outputs.size();
    problem.outputs.insert(problem.outputs.end(), first,
                           first + static_cast<std::ptrdiff_t>(part.outputs()));
  }
  return problem;
}

}  // namespace

void ClusterSums::check_memory(const study::Problem& problem, std::size_t clusters,
                               std::size_t memory) {
  const std::size_t bytes = 3 * (problem.features.count() + 1) * clusters * sizeof(double);
  if (bytes > memory / 2)
    throw InvalidArgument(text::concat("memory is ", text::bytes(static_cast<double>(memory)),
                                       " but the sums of ", text::grouped(clusters),
                                       " clusters need at least ", (2 * bytes >> 20) + 1,
                                       " MiB in addition to the data"));
}

ClusterSums::ClusterSums(const study::Study& study, std::span<const std::uint32_t> labels,
                         const resample::Groups& groups, const Execution& execution)
    : problem_(std::make_shared<const study::Problem>(only_sums(study.problem()))) {
  const DataView& data = problem_->data;
  const std::size_t features = problem_->features.count();
  const std::size_t clusters = groups.count();
  const resample::Numbering number(labels);  // as the groups number them

  std::vector<numeric::Compensated> sums(features * clusters);
  std::vector<double> rows_of(clusters);
  const std::size_t tile_rows = study::feature_tile_rows(features);
  std::vector<double> made(features * tile_rows);
  study::TileReader reader(problem_->data, tile_rows);
  for (std::size_t row = 0; row < data.rows(); row += tile_rows) {
    if (execution.stop.stop_requested()) throw Cancelled();
    const std::size_t size = std::min(tile_rows, data.rows() - row);
    problem_->features.make(reader.read(row, size), made.data(), tile_rows);
    for (std::size_t i = 0; i < size; ++i) ++rows_of[number(labels[row + i])];
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t i = 0; i < size; ++i)
        sums[f * clusters + number(labels[row + i])].add(made[f * tile_rows + i]);
  }
  columns_.resize(features + 1);
  for (std::size_t f = 0; f < features; ++f)
    for (std::size_t c = 0; c < clusters; ++c)
      columns_[f].push_back(sums[f * clusters + c].value());
  columns_[features] = std::move(rows_of);
}

DataView ClusterSums::view() const {
  std::vector<ColumnView> columns;
  for (const auto& column : columns_) columns.emplace_back(column);
  return DataView(std::move(columns));
}

Statistic ClusterSums::statistic() const {
  const std::size_t features = columns_.size() - 1;
  statistic::Sums sums;
  for (std::uint32_t f = 0; f <= features; ++f) sums.products.push_back({f});
  sums.finish = [problem = problem_, features](const statistic::Folded& folded,
                                               std::span<double> values) {
    const double rows = folded.column_mean(features, features);  // of a drawn cluster
    std::vector<double> means(features);
    std::vector<double> scratch(features);
    double resolution = 0;
    for (std::size_t f = 0; f < features; ++f) {
      means[f] = folded.column_mean(f, f) / rows;
      resolution =
          std::max(resolution, std::ldexp(folded.resolution, folded.scales[f].exponent) / rows);
    }
    problem->finish_sums(means, rows * folded.rows, resolution, values, scratch, folded.relative);
  };
  return Statistic("sums of clusters", features + 1, features + 1,
                   [sums = std::move(sums), problem = problem_](std::size_t) {
                     return statistic::Bound{problem->outputs, sums};
                   });
}

}  // namespace bootfold::planning
