// compare/max_t.h: how far the farthest of all differences strays, replicate by replicate.
//
// In each replicate every difference lies so many of its standard errors from its estimate. The
// largest of these is at most c in a share `confidence` of the replicates; so all the intervals
// estimate +- c standard errors hold together with about that confidence, whatever the dependence
// between the differences (they share the control). 8 bytes a replicate, whatever the groups.
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
                                 : -std::numeric_limits<double>::infinity()) {}

  /// One more difference. One that never varies adds nothing; a replicate in which one is undefined
  /// is left out for all.
  void add(const Result& differences);

  /// Call it once all are added.
  void finish();

  /// Replicates in which all differences are defined.
  [[nodiscard]] std::uint64_t defined() const noexcept { return largest_.size(); }

  /// `doubt`: Monte Carlo error of the standard error.
  [[nodiscard]] Interval interval(double estimate, double standard_error, double doubt,
                                  double confidence) const;

  /// The share of replicates in which the farthest strays as far as `estimate` lies from 0.
  [[nodiscard]] PValue p_value(double estimate, double standard_error) const;

 private:
  /// A distance as it counts.
  [[nodiscard]] double counted(double distance) const;

  interval::Alternative alternative_;
  std::vector<double> largest_;  // of each replicate; sorted by finish()
  double width_ = 0;             // distances that differ by no more are equal but for rounding
};

}  // namespace bootfold::comparison
