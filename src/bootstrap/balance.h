// What a balanced run fixes, and no seed changes.
//
// A Monte Carlo estimate from R replicates is the mean of some value psi(i) over them, up to
// constants: the bias of t*, a quantile of its slope times (t* <= q). If replicates are independent
// its variance is var psi / R. In a balanced run the mean of the linear parts L is 0, so that the
// part of psi that L explains does not vary: var psi - cov(psi, L)^2 / var L is left.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "bootfold/bootstrap.h"

namespace bootfold {

class Balance {
 public:
  /// Of one output. Nothing is known if the run is not balanced, or has no linear parts.
  Balance(const Result& result, std::size_t output);

  [[nodiscard]] bool known() const noexcept { return !parts_.empty(); }

  /// The linear part of replicate i, standardised; 0 where the replicate is undefined.
  [[nodiscard]] double part(std::size_t i) const { return parts_[i]; }

  /// Covariance of value(i) with part(i), over all replicates i that are defined. 0 if nothing is
  /// known.
  template <class Value>
  [[nodiscard]] double covariance(Value&& value) const {
    double sum = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i] != 0) sum += parts_[i] * static_cast<double>(value(i));
    return parts_.empty() ? 0 : sum / defined_;
  }

  /// The error of a number with this variance of psi, if it is right for independent replicates.
  [[nodiscard]] static double reduced(double error, double variance, double covariance) {
    if (covariance == 0 || !(variance > 0)) return error;
    return error * std::sqrt(std::max(0.0, 1 - covariance * covariance / variance));
  }

 private:
  std::vector<double> parts_;
  double defined_ = 0;
};

}  // namespace bootfold
