#include "planning/cluster_sums.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "resample/numbering.h"
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
  const ClusterAdder adder(study);
  ClusterAdder::Sums sums = adder.none(groups.count());
  adder.add(problem_->data, labels, resample::Numbering(labels), sums, execution.stop);
  columns_ = adder.columns(sums);
}

ClusterSums::ClusterSums(const study::Study& study, const ClusterAdder::Sums& sums)
    : problem_(std::make_shared<const study::Problem>(only_sums(study.problem()))),
      columns_(ClusterAdder(study).columns(sums)) {}

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
    std::vector<double> scratch;
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
