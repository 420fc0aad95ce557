// Linear parts of replicates: the mean change U over the rows drawn (jackknife/cumulants.h).
//
// A balanced run draws every row equally often, so that the mean of the linear parts over the run
// is the mean of U, 0, for every seed. What another seed changes is only the rest.
//
// Leaving a row out gives U to first order. Replicates also tell how a row changes them: if e is
// what U leaves of them and c_i counts row i, n cov(e, c_i) is what U_i lacks. Its noise adds N =
// (n
// - 1) var e / R to the variance S of the linear part that is found so. The share 1 - sqrt(N / S)
// of it is added to U: what is left of the variance of e is then var e - (S - N), as it is on
// average without noise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/execution.h"
#include "resample/design.h"

namespace bootfold::jackknife {

/// A run whose linear parts are asked for.
struct BalancedRun {
  const resample::Design& design;
  std::uint64_t rows = 0;
  std::uint64_t seed = 0;
  std::uint64_t replicates = 0;
};

/// Whether the changes take little memory: 32 MiB, or one output. A fixed number, because the
/// memory limit never changes a result.
[[nodiscard]] bool serves_linear_parts(std::uint64_t rows, std::uint64_t outputs);

/// How often linear_parts() draws the rows of the run again, at most: twice, or once if there are
/// so many rows that replicates tell little beside noise, or take much memory.
[[nodiscard]] unsigned linear_passes(std::uint64_t rows, std::uint64_t outputs,
                                     std::uint64_t replicates);

/// The linear parts of `values` [replicate][output], in the same order, from `changes`
/// [output][row]. The bits do not depend on threads.
[[nodiscard]] std::vector<double> linear_parts(const BalancedRun& run,
                                               std::span<const double> values,
                                               std::vector<double> changes,
                                               const Execution& execution);

}  // namespace bootfold::jackknife
