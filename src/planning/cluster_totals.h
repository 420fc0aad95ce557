// The sums of clusters that some rows have, by the names of the clusters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bootfold/labels.h"
#include "planning/cluster_adder.h"

namespace bootfold::planning {

/// Totals of different rows merge in any order; a cluster may have rows in both.
struct ClusterTotals {
  std::vector<std::string> names = {};  ///< rising, by bytes
  ClusterAdder::Sums sums = {};         ///< in the order of the names

  /// Adds rows with their labels. Throws Cancelled.
  void add(const ClusterAdder& adder, const DataView& rows, const data::Labels& labels,
           const std::stop_token& stop);
  void merge(const ClusterTotals& other);
  /// The sums in the order that data::labels() gives the names.
  [[nodiscard]] ClusterAdder::Sums by_label() const;

  /// Whether they are of so many rows and features.
  [[nodiscard]] bool suits(std::uint64_t rows, std::size_t features) const;

  template <class Archive>
  void visit(Archive& archive) {
    archive(names, sums.sums, sums.rows);
    if constexpr (Archive::kReads) {
      bool possible = sums.rows.size() == names.size() &&
                      (names.empty() ? sums.sums.empty() : sums.sums.size() % names.size() == 0);
      for (std::size_t i = 0; i < names.size(); ++i)
        possible = possible && sums.rows[i] > 0 && (i == 0 || names[i - 1] < names[i]);
      if (!possible) archive.refuse();
    }
  }
};

}  // namespace bootfold::planning
