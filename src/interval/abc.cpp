// ABC: the limits that BCa approaches, from derivatives in place of replicates (DiCiccio and Efron
// 1992; Efron and Tibshirani 1993, chapter 22).
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "interval/limits.h"
#include "numeric/normal.h"
#include "text/concat.h"

namespace bootfold::interval {

namespace {

/// The curve at `place` standard errors: the polynomial through the six nearest values. NaN beyond
/// its ends.
double at(const AbcCurve& curve, double place) {
  constexpr int kPoints = 6;
  constexpr int kBefore = kPoints / 2 - 1;
  const double x = place * AbcCurve::kPerUnit + AbcCurve::kReach;
  const double first = std::floor(x) - kBefore;
  if (!(first >= 0 && first + kPoints <= static_cast<double>(curve.values.size())))
    return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (int i = 0; i < kPoints; ++i) {
    double weight = 1;
    for (int j = 0; j < kPoints; ++j)
      if (j != i) weight *= (x - first - j) / (i - j);
    sum += weight * curve.values[static_cast<std::size_t>(first) + static_cast<std::size_t>(i)];
  }
  return sum;
}

}  // namespace

Found abc_limits(const Context& context) {
  const AbcCurve& curve = context.result.companions().abc_curves[context.output];
  if (!curve.problem.empty()) return {.trouble = curve.problem};
  // The two agree to second order; Efron's is the first, R boot's the other.
  const double z0 = context.options.convention == Convention::numpy
                        ? normal::quantile(2 * normal::probability(curve.acceleration) *
                                           normal::probability(-curve.curvature))
                        : curve.acceleration - curve.curvature;
  if (!std::isfinite(z0)) return {.trouble = "bias and curvature leave no finite z0"};
  std::string trouble;
  Found found = both(context, [&](double p) {
    const double shifted = z0 + normal::quantile(p);
    const double stretch = 1 - curve.acceleration * shifted;
    const double value = at(curve, shifted / (stretch * stretch));
    if (!(stretch > 0) || !std::isfinite(value))
      trouble = text::concat(
          "at this confidence the weights leave the range where the statistic is "
          "defined (acceleration ",
          curve.acceleration, ")");
    return Limit{value, 0, false};
  });
  found.trouble = trouble;
  return found;
}

}  // namespace bootfold::interval
