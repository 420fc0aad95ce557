// Sums of clusters: a bootstrap of whole clusters is an iid bootstrap of their sums.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "bootfold/statistic.h"
#include "planning/cluster_adder.h"
#include "resample/groups.h"
#include "study/study.h"

namespace bootfold::planning {

class ClusterSums {
 public:
  /// Of the statistics that are functions of sums; the study looked at the columns. One read of the
  /// rows. Throws Cancelled.
  ClusterSums(const study::Study& study, std::span<const std::uint32_t> labels,
              const resample::Groups& clusters, const Execution& execution);

  /// From sums that were added up elsewhere, of the clusters in the order of their labels.
  ClusterSums(const study::Study& study, const ClusterAdder::Sums& sums);

  /// A row for each cluster: the sums of its rows' features, and the number of its rows.
  [[nodiscard]] DataView view() const;

  /// Those statistics, all together, as a function of sums over such rows.
  [[nodiscard]] Statistic statistic() const;

  [[nodiscard]] std::size_t clusters() const noexcept { return columns_.back().size(); }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return columns_.size() * clusters() * sizeof(double);
  }

  /// Throws InvalidArgument unless the sums fit half of the memory. Another path would draw other
  /// clusters, and memory must not change a result.
  static void check_memory(const study::Problem& problem, std::size_t clusters, std::size_t memory);

 private:
  std::shared_ptr<const study::Problem> problem_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace bootfold::planning
