// bootfold/influence.h: what one row does to a statistic.
//
//     auto found = influence(prices, statistic::variance());
//     found[0].acceleration();    // for BCa intervals
//     found[0].standard_error();  // the jackknife's
//
// The value without row i is found for all n rows in O(n) wherever that can be: functions of sums
// by taking the row out of the means, quantiles in closed form (they take few different values).
// Functions of the resample itself are evaluated anew for every row, or, beyond 10,000 rows,
// without one of 1,000 random groups of rows at a time.
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

/// What the delete-one values of one output say, for one sample. With n deleted units and t_i the
/// value without unit i: U_i = (n - 1) (mean of t - t_i).
struct BOOTFOLD_API Influence {
  /// What is left out at a time.
  enum class Unit { row, group, cluster };

  std::string method;  ///< "downdated sums", "order statistics", "delete-one", ...
  Unit unit = Unit::row;
  double rows = 0;              ///< n: deleted units
  double second = 0;            ///< sum of U_i^2; by scheme: n^2 times the variance to first order
  double third = 0;             ///< sum of U_i^3; by scheme: n^3 times the third cumulant
  double mean = 0;              ///< of the delete-one values
  double estimate = 0;          ///< the value on all rows
  double shift = 0;             ///< mean - estimate, to more digits than the two numbers have
  bool deleted = true;          ///< false: by infinitesimal(), or under a scheme of other units
  std::uint64_t undefined = 0;  ///< delete-one values that are not finite numbers
  std::string problem;          ///< why there is no acceleration; empty: there is one

  [[nodiscard]] bool usable() const noexcept { return problem.empty(); }

  /// third / (6 second^1.5); NaN unless usable().
  [[nodiscard]] double acceleration() const;
  /// Jackknife: sqrt(second / (n (n - 1))); of derivatives: sqrt(second) / n. NaN where some values
  /// are undefined.
  [[nodiscard]] double standard_error() const;
  /// Jackknife: (n - 1) (mean - estimate).
  [[nodiscard]] double bias() const;
};

/// One for each value of the statistics, in the order of Plan::outputs. The same to the bit for any
/// number of threads. Uses `scheme`, `execution`, `memory` of the options. Throws InvalidArgument,
/// DataError, Cancelled, and what a user's own statistic throws.
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

/// The infinitesimal jackknife: U_i is the derivative of the value as weight moves to row i. For
/// functions of sums; throws InvalidArgument for others.
[[nodiscard]] BOOTFOLD_API std::vector<Influence> infinitesimal(
    const DataView& data, std::span<const Statistic> statistics, const Options& options = {});
[[nodiscard]] BOOTFOLD_API std::vector<Influence> infinitesimal(const DataView& data,
                                                                const Statistic& statistic,
                                                                const Options& options = {});

/// What ABC intervals need of one output: four numbers, and the value along the direction in which
/// weights change it most.
struct AbcCurve {
  static constexpr int kReach = 64;      ///< values for -kReach .. kReach
  static constexpr double kPerUnit = 8;  ///< of them in a standard error
  double estimate = 0;
  double deviation = 0;     ///< infinitesimal jackknife's standard error
  double acceleration = 0;  ///< of the infinitesimal jackknife
  double curvature = 0;     ///< bias / deviation - quadratic coefficient
  std::vector<double> values = {};
  std::string problem = {};  ///< why there is no curve; empty: there is one
};

/// One for each value of the statistics: functions of sums have one, others say why not.
[[nodiscard]] BOOTFOLD_API std::vector<AbcCurve> abc_curves(const DataView& data,
                                                            std::span<const Statistic> statistics,
                                                            const Options& options = {});

/// A sample's part in a number that is made of several independent samples.
struct InfluenceTerm {
  const Influence& influence;
  double coefficient = 1;  ///< derivative of the number by this sample's value
};

/// What the rows of several independent samples do to a number made of them: to a difference of
/// means, say,
///
///     combined_influence({{treatment, 1}, {control, -1}}).acceleration();
///
/// A result of such a number with this influence has BCa intervals like any other. Not usable
/// unless every part is, or if nothing varies.
[[nodiscard]] BOOTFOLD_API Influence combined_influence(std::span<const InfluenceTerm> terms);
[[nodiscard]] inline Influence combined_influence(std::initializer_list<InfluenceTerm> terms) {
  return combined_influence(std::span<const InfluenceTerm>(terms.begin(), terms.size()));
}

}  // namespace bootfold
