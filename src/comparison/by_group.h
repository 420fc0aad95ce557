// A statistic of each group of rows, and its differences from the control, as one statistic: what
// a comparison computes where the groups share clusters, which are drawn once for all of them.
#pragma once

#include <cstddef>

#include "bootfold/compare.h"
#include "bootfold/data.h"
#include "bootfold/statistic.h"

namespace bootfold::comparison {

/// (group - control), or that over |control|; NaN where there is none: the control is 0, or one of
/// the two is not a number.
[[nodiscard]] double difference_of(double group, double control, Difference kind);

/// The last column of `data` is the number of each row's group, from 0, the control; the others are
/// the columns of `statistic`, which has one value. The values are those of the groups 0, 1, ...,
/// then the differences of the groups 1, 2, ... from the control. NaN for a group without rows.
[[nodiscard]] Statistic by_group(const Statistic& statistic, const DataView& data,
                                 std::size_t groups, Difference kind);

}  // namespace bootfold::comparison
