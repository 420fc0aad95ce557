// compare/contrast.h: what the replicates of one difference say.
#pragma once

#include <span>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootfold/compare.h"
#include "bootfold/interval.h"

namespace bootfold::comparison {

/// Group against control as a result of one value, with what BCa and studentized intervals need if
/// both have it: a difference is NaN where the control is 0 in a lift, or one of the two is NaN.
[[nodiscard]] Result subtract(const Result& group, const Result& control, Difference kind);

/// What rounding of the two leaves open of their difference: Result::resolution() of it.
[[nodiscard]] double difference_resolution(const Result& group, const Result& control,
                                           Difference kind);

/// A p-value and its Monte Carlo error.
struct PValue {
  double value = 1;
  double error = 0;
};

/// The error 1 - confidence at which the interval of `method` just reaches 0, with (r + 1) / (R +
/// 1) in place of r / R, so that it is never 0. `differences` has what the method needs.
[[nodiscard]] PValue p_value(const Result& differences, interval::Method method,
                             interval::Alternative alternative = interval::Alternative::two_sided);

/// Bonferroni's: times their number. Holm's: the smallest times their number m, the next times
/// m - 1, ..., none below its predecessor. All at most 1.
[[nodiscard]] std::vector<PValue> bonferroni(std::span<const PValue> values);
[[nodiscard]] std::vector<PValue> holm(std::span<const PValue> values);

}  // namespace bootfold::comparison
