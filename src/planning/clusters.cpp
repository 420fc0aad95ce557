#include "planning/clusters.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "numeric/compensated.h"
#include "planning/memory.h"
#include "resample/groups.h"
#include "resample/scheme.h"
#include "study/tile.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::planning {

ClusterSums::ClusterSums(const DataView& data, std::span<const Statistic> statistics,
                         std::span<const std::uint32_t> labels, const Execution& execution) {
  auto problem = std::make_shared<Problem>(data, statistics);
  problem->look(execution);
  const std::size_t features = problem->features.count();
  // Clusters are numbered by their labels in rising order, without those that no row has.
  std::vector<std::uint32_t> number;
  std::size_t clusters = 0;
  for (const std::uint32_t label : labels) {
    if (label >= number.size()) number.resize(std::size_t{label} + 1);
    number[label] = 1;
  }
  for (std::uint32_t& n : number) n = n == 0 ? 0 : static_cast<std::uint32_t>(clusters++);

  std::vector<numeric::Compensated> sums(features * clusters);
  std::vector<double> rows_of(clusters);
  const std::size_t tile_rows = feature_tile_rows(features);
  std::vector<double> made(features * tile_rows);
  TileReader reader(problem->data, tile_rows);
  for (std::size_t row = 0; row < data.rows(); row += tile_rows) {
    if (execution.stop.stop_requested()) throw Cancelled();
    const std::size_t size = std::min(tile_rows, data.rows() - row);
    problem->features.make(reader.read(row, size), made.data(), tile_rows);
    for (std::size_t i = 0; i < size; ++i) ++rows_of[number[labels[row + i]]];
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t i = 0; i < size; ++i)
        sums[f * clusters + number[labels[row + i]]].add(made[f * tile_rows + i]);
  }
  columns_.resize(features + 1);
  for (std::size_t f = 0; f < features; ++f)
    for (std::size_t c = 0; c < clusters; ++c)
      columns_[f].push_back(sums[f * clusters + c].value());
  columns_[features] = std::move(rows_of);
  problem_ = std::move(problem);
}

Options ClusterSums::options(const Options& asked) {
  Options inner = asked;
  inner.scheme = scheme::Iid{};
  if (std::holds_alternative<scheme::Jackknife>(asked.scheme)) inner.scheme = scheme::Jackknife{};
  return inner;
}

void ClusterSums::describe(Plan& plan, const Scheme& scheme) const {
  plan.reason = text::concat("sums of ", text::grouped(clusters()), " clusters: ", plan.reason);
  plan.rows = plan.draws = problem_->data.rows();
  plan.scheme = resample::describe(scheme, plan.rows);
  plan.columns.clear();
  for (std::size_t c = 0; c < problem_->data.columns(); ++c)
    plan.columns.push_back(problem_->data.name(c));
  plan.working_bytes += columns_.size() * clusters() * sizeof(double);
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
    problem->finish_sums(means, rows * folded.rows, resolution, values, scratch);
  };
  return Statistic("sums of clusters", features + 1, features + 1,
                   [sums = std::move(sums), problem = problem_](std::size_t) {
                     return statistic::Bound{problem->outputs, sums};
                   });
}

std::optional<ClusterSums> cluster_sums(const DataView& data, std::span<const Statistic> statistics,
                                        const Options& options) {
  std::span<const std::uint32_t> labels;
  if (const auto* cluster = std::get_if<scheme::Cluster>(&options.scheme);
      cluster != nullptr && !cluster->rows_too)
    labels = cluster->clusters;
  if (const auto* jackknife = std::get_if<scheme::Jackknife>(&options.scheme))
    labels = jackknife->clusters;
  if (labels.empty()) return std::nullopt;
  resample::check(options.scheme, data.rows());
  const Problem problem(data, statistics);
  if (!problem.all<statistic::Sums>()) return std::nullopt;
  const std::size_t clusters = resample::Groups(labels).count();
  const std::size_t bytes = 3 * (problem.features.count() + 1) * clusters * sizeof(double);
  // Another path would draw other clusters, and memory must not change a result.
  if (bytes > memory_limit(options) / 2)
    throw InvalidArgument(text::concat(
        "memory is ", text::bytes(static_cast<double>(memory_limit(options))), " but the sums of ",
        clusters, " clusters need at least ", (2 * bytes >> 20) + 1, " MiB beside the data"));
  return ClusterSums(data, statistics, labels, options.execution);
}

}  // namespace bootfold::planning
