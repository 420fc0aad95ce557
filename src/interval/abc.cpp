// ABC: the limits that BCa approaches, from derivatives in place of replicates (DiCiccio and Efron
// 1992; Efron and Tibshirani 1993, chapter 22).
#include <cmath>

#include "bootfold/error.h"
#include "interval/limits.h"
#include "numeric/normal.h"
#include "text/concat.h"

namespace bootfold::interval {

Found abc_limits(const Context& context) {
  const AbcCurve& curve = context.result.companions().abc_curves[context.output];
  if (!curve.problem.empty()) return {.trouble = curve.problem};
  // The two agree to second order; Efron's is the first, R boot's the other.
  const double z0 = context.options.convention == Convention::numpy
                        ? normal::quantile(2 * normal::probability(curve.acceleration) *
                                           normal::probability(-curve.curvature))
                        : curve.acceleration - curve.curvature;
  if (!std::isfinite(z0)) return {.trouble = "bias and curvature leave no finite z0"};
  // The curve is that of the rows drawn; Plan::rescale makes its deviations those of all rows.
  const double rescale = context.result.plan().rescale;
  std::string trouble;
  Found found = both(context, [&](double p) {
    const double shifted = z0 + normal::quantile(p);
    const double stretch = 1 - curve.acceleration * shifted;
    const double drawn = curve.at(shifted / (stretch * stretch));
    const double value =
        rescale == 1 ? drawn : context.estimate + rescale * (drawn - context.estimate);
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
