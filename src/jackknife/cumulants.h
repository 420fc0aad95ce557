// How much a statistic varies as rows are drawn, by what each row does to it.
//
// To first order a replicate is t + the mean of U over the rows drawn, which is sum c_i U_i / n if
// row i was drawn c_i times. What BCa needs of a scheme are the second and third
// cumulant of that sum. docs/intervals.md derives them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "numeric/moments.h"
#include "resample/design.h"

namespace bootfold::jackknife {

/// Cumulants of n times the linear part of a replicate, in units of 2^exponent.
struct Spread {
  double second = 0;
  double third = 0;
  double noise = 0;  // the largest that rounding could make of `second` if nothing varied
  int exponent = 0;
  double undefined = 0;  // U that are not finite

  Spread() = default;
  explicit Spread(const numeric::Moments& moments);
};

/// Under a design of which nothing is left open. `changes` are U in the order of the rows; they
/// need not be centred, and are overwritten. Exact, O(rows), and in one order. Nothing: the design
/// does not know its cumulants.
[[nodiscard]] std::optional<Spread> spread(const resample::Design& design,
                                           std::span<double> changes);

}  // namespace bootfold::jackknife
