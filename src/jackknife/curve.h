// The values of a statistic along a line, from few evaluations: what the ABC interval reads.
#pragma once

#include <functional>

#include "bootfold/influence.h"

namespace bootfold::jackknife {

/// Fills `smooth`, `known` and `values` of a curve from its value at any place. It is undefined
/// beyond the first place, on either side of 0, where `value` is not finite.
void sample(AbcCurve& curve, const std::function<double(double place)>& value);

}  // namespace bootfold::jackknife
