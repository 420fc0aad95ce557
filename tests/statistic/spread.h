// Whether the error that is claimed for a number is what another seed changes in it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

namespace bootfold::laws {

/// One number from K seeds, each with the error that its run claims.
///
/// The deviation of K values with kurtosis k is off by sqrt((k - 1) / (4 K)) of itself, the mean of
/// the claims by their own deviation over sqrt(K). Both are estimated from what was added, k as
/// at least 3, so that luck cannot make the test stricter than normal values would.
class Spread {
 public:
  void add(double value, double error) {
    values_.push_back(value);
    errors_.push_back(error);
  }

  /// Fails with probability `alarm` if the claims are right.
  [[nodiscard]] testing::AssertionResult honest(double alarm) const {
    const auto count = static_cast<double>(values_.size());
    const Moments value = moments(values_);
    const Moments error = moments(errors_);
    const double ratio = value.deviation / error.mean;
    const double relative = error.deviation / error.mean;
    const double deviation = std::sqrt(
        ((std::max(value.kurtosis, 3.0) - 1) / 4 + relative * relative * ratio * ratio) / count);
    const double z = quantile(complement(boost::math::normal(), alarm / 2));
    if (std::abs(ratio - 1) <= z * deviation) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << "the spread is " << ratio << " of what is claimed, at most " << z * deviation
           << " from 1 is chance";
  }

 private:
  struct Moments {
    double mean = 0;
    double deviation = 0;
    double kurtosis = 0;
  };

  [[nodiscard]] static Moments moments(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    Moments found;
    double squares = 0;
    double fourth = 0;
    for (const double value : values) found.mean += value / count;
    for (const double value : values) squares += std::pow(value - found.mean, 2);
    for (const double value : values) fourth += std::pow(value - found.mean, 4);
    found.deviation = std::sqrt(squares / (count - 1));
    if (squares > 0) found.kurtosis = count * fourth / (squares * squares);
    return found;
  }

  std::vector<double> values_;
  std::vector<double> errors_;
};

}  // namespace bootfold::laws
