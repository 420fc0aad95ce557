// bootfold/influence.h: influence of single rows on a statistic (jackknife).
//
//     auto found = influence(prices, statistic::variance());
//     found[0].acceleration();    // for BCa intervals
//     found[0].standard_error();  // jackknife standard error
//
// The delete-one values of all n rows are computed in O(n) where possible: for functions of sums by
// subtracting the row from the means, for quantiles in closed form. Functions of the resample are
// evaluated once per deleted row or, beyond 10,000 rows, once for each of 1,000 deleted random
// groups of rows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"
#include "bootfold/plan.h"
#include "bootfold/statistic.h"

namespace bootfold {

/// Summary of the delete-one values of one output, for one sample. With n units and t_i the value
/// without unit i, U_i = (n - 1) (mean of t - t_i).
struct BOOTFOLD_API Influence {
  /// The unit that is deleted.
  enum class Unit { row, group, cluster };

  std::string method;  ///< "downdated sums", "order statistics", "delete-one", ...
  Unit unit = Unit::row;
  double rows = 0;      ///< n, the number of units
  double second = 0;    ///< sum of U_i^2; by scheme: n^2 times the first-order variance
  double third = 0;     ///< sum of U_i^3; by scheme: n^3 times the third cumulant
  double mean = 0;      ///< mean of the delete-one values
  double estimate = 0;  ///< the value on all rows
  double shift = 0;     ///< mean - estimate, more precise than the difference of the two members
  bool deleted = true;  ///< false for infinitesimal(), and for schemes with units other than rows
  std::uint64_t undefined = 0;  ///< number of delete-one values that are not finite
  std::string problem;          ///< why there is no acceleration; empty if there is one

  [[nodiscard]] bool usable() const noexcept { return problem.empty(); }

  /// third / (6 second^1.5); NaN unless usable().
  [[nodiscard]] double acceleration() const;
  /// Jackknife standard error: sqrt(second / (n (n - 1))); infinitesimal jackknife: sqrt(second) /
  /// n. NaN if some values are undefined.
  [[nodiscard]] double standard_error() const;
  /// Jackknife estimate of bias: (n - 1) (mean - estimate).
  [[nodiscard]] double bias() const;
};

/// Computes one Influence for each value of the statistics, in the order of Plan::outputs. The
/// result has the same bits for any number of threads. Of the options, `scheme`, `execution` and
/// `memory` are used. Throws InvalidArgument, DataError, Cancelled, and what a user-defined
/// statistic throws.
[[nodiscard]] BOOTFOLD_API std::vector<Influence> influence(const DataView& data,
                                                            std::span<const Statistic> statistics,
                                                            const Options& options = {});
[[nodiscard]] BOOTFOLD_API std::vector<Influence> influence(const DataView& data,
                                                            const Statistic& statistic,
                                                            const Options& options = {});
[[nodiscard]] inline std::vector<Influence> influence(const DataView& data,
                                                      std::initializer_list<Statistic> statistics,
                                                      const Options& options = {}) {
  return influence(data, std::span<const Statistic>(statistics.begin(), statistics.size()),
                   options);
}

/// The infinitesimal jackknife: U_i is the derivative of the value in the direction in which weight
/// is shifted to row i. Only for functions of sums; throws InvalidArgument for other statistics.
[[nodiscard]] BOOTFOLD_API std::vector<Influence> infinitesimal(
    const DataView& data, std::span<const Statistic> statistics, const Options& options = {});
[[nodiscard]] BOOTFOLD_API std::vector<Influence> infinitesimal(const DataView& data,
                                                                const Statistic& statistic,
                                                                const Options& options = {});

/// Input of the ABC interval of one output: four numbers, and the values of the statistic along the
/// least favourable direction, in which the row weights change it most.
struct BOOTFOLD_API AbcCurve {
  /// Where the curve is known, in standard errors from the estimate, at most kReach. It is smooth
  /// in the inner range. In the rest it is constant: the statistic is at an end of its own range
  /// there, as a correlation at 1.
  struct Range {
    double from = 0;
    double to = 0;
  };
  static constexpr double kReach = 8;
  static constexpr std::size_t kValues = 1120;  ///< how many values describe the smooth part

  double estimate = 0;
  double deviation = 0;     ///< standard error of the infinitesimal jackknife
  double acceleration = 0;  ///< acceleration of the infinitesimal jackknife
  double curvature = 0;     ///< bias / deviation - quadratic coefficient
  Range smooth = {};
  Range known = {};
  std::vector<double> values = {};
  std::string problem = {};  ///< why there is no curve; empty if there is one

  /// The value `place` standard errors along the curve, right to about 1e-10 standard errors; NaN
  /// outside `known`.
  [[nodiscard]] double at(double place) const;
};

/// Computes one curve for each value of the statistics. Only functions of sums have curves; for
/// other statistics AbcCurve::problem gives the reason.
[[nodiscard]] BOOTFOLD_API std::vector<AbcCurve> abc_curves(const DataView& data,
                                                            std::span<const Statistic> statistics,
                                                            const Options& options = {});

/// One sample in a function of several independent samples.
struct InfluenceTerm {
  const Influence& influence;
  double coefficient = 1;  ///< derivative of the function with respect to the value of this sample
};

/// Influence of the rows of several independent samples on a function of their values, such as a
/// difference of means:
///
///     combined_influence({{treatment, 1}, {control, -1}}).acceleration();
///
/// A Result with this influence has BCa intervals. The combined influence is not usable if one of
/// the terms is not usable or if nothing varies.
[[nodiscard]] BOOTFOLD_API Influence combined_influence(std::span<const InfluenceTerm> terms);
[[nodiscard]] inline Influence combined_influence(std::initializer_list<InfluenceTerm> terms) {
  return combined_influence(std::span<const InfluenceTerm>(terms.begin(), terms.size()));
}

}  // namespace bootfold
