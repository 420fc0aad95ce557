// Where the characteristic function of a sum is surely negligible, and where it must be computed.
//
// phi(u) = mean of exp(i u v) over the rows; the sum of n draws has phi(u)^n. Two bounds on it,
// both from the data (docs/exact.md):
//   moments  for rows near the middle, 1 - |phi|^2 >= u^2 m2 - u^4 (m4 + 3 m2^2) / 12;
//   pairs    any disjoint pairs of rows at distances d give n (1 - |phi|) >= sum of
//            2 (1 - |cos(u d / 2)|), which one evaluation bounds on a whole cell of u.
// So |phi|^n <= exp(-B) with B from the better of them. The first settles low frequencies, the
// second all others, whatever their number: pairs are chosen at a distance that suits the
// frequency.
#pragma once

#include <cstdint>
#include <vector>

#include "bootfold/execution.h"
#include "exact/moments.h"
#include "exact/rows.h"

namespace bootfold::exact {

/// Frequencies u_k = k * base, k = 1 .. last.
struct Frequencies {
  double base = 0;
  double last = 0;
  double near = 0;  // up to here nodes may be computed
};

/// Node numbers first .. last - 1.
struct NodeRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

struct Cover {
  std::vector<NodeRange> nodes;  // to be computed; disjoint, rising
  double harmonic = 0;           // sum of the bounds on |phi_k|^n / k over all other k
  double plain = 0;              // sum of the bounds on |phi_k|^n over all other k
  double beyond = 0;             // 1 / (number of frequencies + 1) where there are more
};

/// The differences of disjoint pairs of rows, for every scale.
class Pairs {
 public:
  explicit Pairs(const Rows& rows);

  /// Pairs for frequencies from `u` on: about as far apart as serves, few hundred at most.
  [[nodiscard]] std::vector<double> at(double u) const;

  /// Pair evaluations that all frequencies from u to 2 u take.
  [[nodiscard]] double work(double u) const;

 private:
  std::vector<std::vector<double>> lags_;  // sorted differences, one list for each lag
};

/// `sampled_runs`: 0, or a forecast that looks at so many runs of cells in each sixteenth of an
/// octave; its nodes are some of those to be computed.
[[nodiscard]] Cover cover(const Spread& spread, const Pairs& pairs, const Frequencies& frequencies,
                          std::uint64_t sampled_runs, const Execution& execution);

}  // namespace bootfold::exact
