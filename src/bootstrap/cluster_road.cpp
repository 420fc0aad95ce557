#include "bootstrap/cluster_road.h"

#include <utility>

#include "bootfold/error.h"
#include "planning/cluster_sums.h"
#include "study/content_hash.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold {

namespace {

/// Tells the fingerprint of a run of clusters from that of a run of rows.
constexpr std::uint64_t kClusters = 0xD6E8FEB86659FD93U;

Options by_row(Options options) {
  options.scheme = scheme::Iid{};
  return options;
}

Options checked(const DataView& rows, std::span<const Statistic> statistics,
                const Options& options) {
  if (!study::Problem(rows, statistics).all<statistic::Sums>())
    throw InvalidArgument(
        "quantiles, trimmed means and functions of the resample of whole clusters need all rows "
        "in one place; functions of sums (mean, variance, regression, ...) take shards");
  return by_row(options);
}

}  // namespace

ClusterRoad::ClusterRoad(const std::shared_ptr<const study::AbsentRows>& rows,
                         study::ColumnsLook look, std::uint64_t labels,
                         std::span<const Statistic> statistics, const Options& options)
    : rows_(rows, std::move(look), statistics, checked(rows->view(), statistics, options)),
      adder_(rows_.study()),
      plan_(rows_.plan()) {
  plan_.scheme = "cluster";
  plan_.units = 0;
  plan_.fixed_units = 0;
  rows_.add_labels_to_fingerprint(labels ^ kClusters);
  plan_.fingerprint = rows_.plan().fingerprint;
  plan_.reason =
      "sums of clusters are added up by shards and merged; the path and the cost of replicates "
      "depend on their number";
}

planning::PartialSums ClusterRoad::empty_part() const {
  planning::PartialSums part;
  part.first = plan_.first_replicate;
  part.replicates = plan_.replicates;
  part.clusters.emplace();
  return part;
}

void ClusterRoad::add(const DataView& piece, std::uint64_t first, const data::Labels& labels,
                      planning::PartialSums& part, const Execution& execution) const {
  part.rows.merge(study::RowRanges({first, first + piece.rows()}));
  part.content += study::content_hash(piece, first, execution);
  part.clusters->add(adder_, piece, labels, execution.stop);
}

Result ClusterRoad::finish(const planning::PartialSums& part) const {
  if (!part.clusters || !part.clusters->suits(plan_.rows, adder_.features()))
    throw DataError(
        "the parts have not the sums of clusters of all rows; make them with this plan");
  if (part.content != rows_.study().columns().fingerprint())
    throw planning::rows_changed("the look and the parts");
  const std::size_t clusters = part.clusters->names.size();
  planning::ClusterSums::check_memory(rows_.study().problem(), clusters, options().memory);
  const planning::ClusterSums sums(rows_.study(), part.clusters->by_label());
  const Statistic statistic = sums.statistic();
  Result made =
      Road(sums.view(), std::span<const Statistic>(&statistic, 1), by_row(options())).run();
  Plan plan = made.plan();
  plan.columns = plan_.columns;
  plan.weights = plan_.weights;
  plan.rows = plan_.rows;
  plan.draws = plan_.rows;
  plan.scheme = text::concat("cluster, ", text::grouped(clusters), " clusters");
  plan.reason = text::concat("sums of ", text::grouped(clusters), " clusters: ", plan.reason);
  plan.fingerprint = plan_.fingerprint;
  std::vector<double> estimates;
  for (std::size_t k = 0; k < made.outputs(); ++k) estimates.push_back(made.estimate(k));
  return {std::move(plan), options().seed, std::move(estimates), std::move(made).take_replicates()};
}

}  // namespace bootfold
