// Sums of every group in every cluster: a bootstrap of whole clusters that groups share is an iid
// bootstrap of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "bootfold/statistic.h"
#include "comparison/group_sums.h"
#include "resample/numbering.h"

namespace bootfold::comparison {

/// The rows of a group, the cluster of each, and the scales of their columns.
struct ClusteredRows {
  const DataView& rows;
  std::span<const std::uint32_t> clusters;
  std::vector<statistic::Scale> scales;
};

class JointSums {
 public:
  /// Of a statistic that is a function of sums. One read of the rows. Throws InvalidArgument unless
  /// the sums fit half of the memory, and Cancelled.
  JointSums(std::span<const ClusteredRows> groups, const resample::Numbering& number,
            const Statistic& statistic, Difference kind, std::size_t memory,
            const Execution& execution);

  /// A row for each cluster: the number of rows of a group in it and the sums of their features,
  /// group by group.
  [[nodiscard]] DataView view() const;

  /// The values of all groups, then the differences, as a function of sums over such rows.
  [[nodiscard]] Statistic statistic() const;

  [[nodiscard]] std::size_t bytes() const noexcept {
    return columns_.size() * clusters_ * sizeof(double);
  }

 private:
  std::shared_ptr<const GroupSums> sums_;
  std::size_t clusters_;
  std::vector<std::vector<double>> columns_;  // [group][feature], of each cluster
};

}  // namespace bootfold::comparison
