// compare/max_t.h: how far the farthest of all differences strays, replicate by replicate.
//
// In each replicate every difference lies so many of its standard errors from its estimate. The
// largest of these is at most c in a share `confidence` of the replicates; so all the intervals
// estimate +- c standard errors hold together with about that confidence, whatever the dependence
// between the differences (they share the control). 16 bytes a replicate, whatever the groups.
//
// The standard errors come from the same replicates, and another seed changes them too. If
// replicate b alone counted, the standard error of difference g would change by the share V_gb =
// (z_gb^2 - 1) / 2, z_gb being its distance from the mean. Distances shrink as standard errors
// grow, so c changes by the mean of V over the differences that may be the farthest; these are
// taken as equally often the farthest, and as equally dependent on that mean, W_b. Then c standard
// errors have the variance of c and c^2 (var V_g - var W) / R: with one difference standard errors
// cancel.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootfold/interval.h"
#include "comparison/contrast.h"

namespace bootfold::comparison {

class MaxT {
 public:
  /// One-sided, distances count to the side on which they could hide that there is no difference.
  explicit MaxT(std::uint64_t replicates,
                interval::Alternative alternative = interval::Alternative::two_sided)
      : alternative_(alternative),
        largest_(replicates, alternative == interval::Alternative::two_sided
                                 ? 0.0
                                 : -std::numeric_limits<double>::infinity()),
        scale_(replicates) {}

  /// One more difference. One that never varies adds nothing; a replicate in which one is undefined
  /// is left out for all.
  void add(const Result& differences);

  /// Call it once all are added.
  void finish();

  /// Replicates in which all differences are defined.
  [[nodiscard]] std::uint64_t defined() const noexcept { return largest_.size(); }

  /// What one of the differences is.
  struct Difference {
    double estimate = 0;
    double standard_error = 0;
    double standard_error_error = 0;  // Monte Carlo error of the standard error
  };

  [[nodiscard]] Interval interval(const Difference& difference, double confidence) const;

  /// The share of replicates in which the farthest strays as far as the estimate lies from 0.
  [[nodiscard]] PValue p_value(const Difference& difference) const;

 private:
  /// A distance as it counts.
  [[nodiscard]] double counted(double distance) const;
  /// Monte Carlo error of a standard error beside those of all differences, as a share of it.
  [[nodiscard]] double own_doubt(const Difference& difference) const;
  /// Share of the replicates with a distance of at least `distance`, with one more in both numbers.
  [[nodiscard]] double share_beyond(double distance) const;

  interval::Alternative alternative_;
  std::vector<double> largest_;  // of each replicate; sorted by finish()
  std::vector<double> scale_;    // sum of V_gb over the differences; until finish()
  double varying_ = 0;           // differences in that sum
  double common_ = 0;            // variance of the mean of V, W
  double width_ = 0;             // distances that differ by no more are equal but for rounding
};

}  // namespace bootfold::comparison
