// A bootstrap of whole clusters whose rows are elsewhere: the sums of clusters are added up where
// the rows lie and merged, and are then rows of an ordinary bootstrap.
#pragma once

#include <memory>
#include <span>

#include "bootfold/bootstrap.h"
#include "bootfold/labels.h"
#include "bootstrap/road.h"
#include "planning/cluster_totals.h"
#include "planning/partial_sums.h"
#include "study/absent_rows.h"

namespace bootfold {

class ClusterRoad {
 public:
  /// From a look at all rows, and a hash of the labels of all rows. Throws InvalidArgument unless
  /// all statistics are functions of sums.
  ClusterRoad(const std::shared_ptr<const study::AbsentRows>& rows, study::ColumnsLook look,
              std::uint64_t labels, std::span<const Statistic> statistics, const Options& options);

  /// What is known before the clusters are.
  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const Options& options() const noexcept { return rows_.options(); }

  /// Sums of no row yet.
  [[nodiscard]] planning::PartialSums empty_part() const;
  /// Adds rows first, first + 1, ... of the data, which have these labels. Throws InvalidArgument
  /// if the part has some of them, and Cancelled.
  void add(const DataView& piece, std::uint64_t first, const data::Labels& labels,
           planning::PartialSums& part, const Execution& execution) const;
  /// The result, from a part that has all rows. Throws InvalidArgument if the sums of the clusters
  /// exceed the memory limit.
  [[nodiscard]] Result finish(const planning::PartialSums& part) const;

 private:
  Road rows_;  // of the rows without clusters: statistics, columns, options
  planning::ClusterAdder adder_;
  Plan plan_;
};

}  // namespace bootfold
