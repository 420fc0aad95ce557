// bootfold/covariate.h: means adjusted for a covariate, for experiments (CUPED).
//
//     // revenue during the experiment, adjusted for the revenue before it
//     Adjusted revenue = adjust(table.view().column(0), table.view().column(1), table.labels());
//     auto found = compare(revenue.values, table.labels(), statistic::mean(), {.control = "A"});
//
// What was known of a unit before the experiment cannot depend on its group. Regression on it
// removes the variance that it explains from the difference of means, and leaves the expectation of
// the difference as it is (Deng, Xu, Kohavi and Walker, 2013).
#pragma once

#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"
#include "bootfold/labels.h"

namespace bootfold {

/// Values adjusted for a covariate.
struct Adjusted {
  std::vector<double> values;  ///< y - theta (x - mean of x over all rows)
  double theta = 0;            ///< covariance / variance of x, both within groups
  double explained = 0;        ///< share of the variance of y within groups that it explains
};

/// Adjusts values for a covariate, both with one entry per row. Theta is pooled over the groups:
/// deviations are from the means of the groups, so an effect of the groups does not enter it. It is
/// one number for all rows, also in resamples, so that groups stay independent; that it is
/// estimated changes the variance of a difference by a share of about 1 / rows. The standard error
/// of a difference of means becomes sqrt(1 - explained) times as large.
///
/// The covariate must not be affected by the groups: measure it before the experiment. Throws
/// InvalidArgument if numbers of rows differ, if the covariate is constant within every group or
/// has the numbers of the values, and for values that are not finite.
[[nodiscard]] BOOTFOLD_API Adjusted adjust(const ColumnView& values, const ColumnView& covariate,
                                           const data::Labels& groups);

}  // namespace bootfold
