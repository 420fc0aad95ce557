// Clusters as the rows that path `stream` walks over, for quantiles: how many rows of a cluster lie
// below a window is an integer feature of the cluster, and a slot counts as its cluster does.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "paths/digits.h"
#include "paths/quantile_windows.h"
#include "resample/groups.h"
#include "study/fixed_sums.h"
#include "study/simd/kernels.h"

namespace bootfold::paths {

/// What is known of clusters before any row is read.
struct ClusterSize {
  explicit ClusterSize(const resample::Groups& groups);

  std::size_t clusters;
  std::size_t count_digits;  ///< of a number of rows of a cluster
};

class ClusterUnits {
 public:
  /// What path stream handles for each cluster in place of a row.
  [[nodiscard]] static Digits::Size size(const study::FixedSums& sums, const ClusterSize& clusters,
                                         const QuantileWindows::Size& windows);

  /// `sums`: of the features of clusters, maybe none. `windows`: of the rows of the problem,
  /// cluster by cluster; the units of its trimmed means become those of clusters. Throws Cancelled.
  ClusterUnits(const study::FixedSums& sums, const study::Problem& problem,
               std::shared_ptr<const resample::Groups> groups, QuantileWindows& windows,
               const study::simd::Kernels& kernels, const std::stop_token& stop);

  /// The features of clusters: those given, the number of rows, the planes of the windows, and the
  /// sums between the windows of trimmed means.
  [[nodiscard]] const study::FixedSums& sums() const noexcept { return sums_; }

  /// The slots of clusters first .. first + clusters - 1, all of one tile, whose rows these are.
  [[nodiscard]] std::span<const WindowRow> slots(std::uint64_t first, std::size_t clusters) const {
    return std::span(slots_).subspan(first_slot_[first],
                                     first_slot_[first + clusters] - first_slot_[first]);
  }

  /// The rows of the data that a cluster has.
  [[nodiscard]] std::span<const std::uint32_t> rows(std::size_t cluster) const {
    return groups_->rows(cluster);
  }

 private:
  void add_column(std::vector<double> values);
  void add_between(const study::Problem& problem, QuantileWindows& windows,
                   const study::simd::Kernels& kernels, const std::stop_token& stop);

  study::FixedSums sums_;
  std::shared_ptr<const resample::Groups> groups_;
  std::vector<std::vector<double>> columns_;
  std::vector<WindowRow> slots_;           // by clusters
  std::vector<std::uint32_t> first_slot_;  // of each cluster, and the end
};

}  // namespace bootfold::paths
