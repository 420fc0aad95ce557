// Statistics of sorted rows that have weights.
#pragma once

#include "bootfold/statistic.h"

namespace bootfold::statistic {

/// The statistic of rows whose last column holds weights, at least 0: a row of weight w counts as w
/// rows do. The quantiles in mad are numeric::weighted_quantile(). NaN if all weights are 0.
[[nodiscard]] double weighted_value(const Ordered& ordered, const Resample& resample);

}  // namespace bootfold::statistic
