// A statistic of each group of rows, and its differences from the control, as one statistic: what
// a comparison computes where rows are drawn once for all groups.
#pragma once

#include <cstddef>
#include <vector>

#include "bootfold/compare.h"
#include "bootfold/statistic.h"

namespace bootfold::comparison {

/// Of data whose last column is the number of each row's group, from 0, the control; the others are
/// the columns of `statistic`, which has one value. `scales`: scales_of() the rows of every group.
/// The values are those of the groups 0, 1, ..., then the differences of the groups 1, 2, ... from
/// the control. NaN for a group without rows.
[[nodiscard]] Statistic by_group(const Statistic& statistic,
                                 const std::vector<std::vector<statistic::Scale>>& scales,
                                 Difference kind);

}  // namespace bootfold::comparison
