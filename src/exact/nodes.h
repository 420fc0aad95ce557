// The characteristic function of a sum at the nodes where it matters.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/execution.h"
#include "exact/moments.h"
#include "exact/rows.h"
#include "exact/tail_bound.h"

namespace bootfold::exact {

struct Node {
  std::uint64_t number = 0;    // k
  std::complex<double> value;  // E exp(i u_k (v_1 + ... + v_n))
};

struct Computed {
  std::vector<Node> nodes;  // without those that turned out negligible
  double harmonic = 0;      // sum of bounds on |error of node k| / k, of all, what was left out too
  double plain = 0;         // sum of bounds on |node|
};

/// The nodes of `ranges`, u_k = 2 pi k / period; what is below worth * k is left out. One pass over
/// the rows for 2048 nodes.
[[nodiscard]] Computed compute_nodes(const Rows& rows, const Spread& spread, double period,
                                     std::span<const NodeRange> ranges, double worth,
                                     const Execution& execution);

}  // namespace bootfold::exact
