// compare/rows.h: the rows of each group, side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stop_token>
#include <vector>

#include "bootfold/data.h"

namespace bootfold::comparison {

/// Views of the rows of chosen groups, in the order in which they stand in the data. Where the rows
/// of every group are neighbours already, nothing is copied; else the values are copied once, in
/// the smallest of float32 and float64 that holds them exactly.
class GroupedRows {
 public:
  static constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();

  /// `places[code]` is the group of a label, 0 to groups - 1, or kLeftOut; `counts` the rows of each
  /// group. `values` must outlive this. Throws Cancelled.
  GroupedRows(const DataView& values, const data::Labels& labels,
              const std::vector<std::uint32_t>& places, const std::vector<std::uint64_t>& counts,
              const std::stop_token& stop);

  [[nodiscard]] const DataView& view(std::size_t group) const { return views_[group]; }

 private:
  std::vector<std::unique_ptr<std::byte[]>> copies_;  // of each column
  std::vector<DataView> views_;
};

}  // namespace bootfold::comparison
