// The characteristic function of a sum at the nodes where it matters.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/execution.h"
#include "exact/cover.h"
#include "exact/rows.h"
#include "exact/spread.h"

namespace bootfold::exact {

struct Node {
  std::uint64_t number = 0;     // k
  std::complex<double> value;   // E exp(i u_k (v_1 + ... + v_n))
  double error = 0;             // bound on what rounding did to it
};

/// The nodes of `ranges`, u_k = 2 pi k / period. One pass over the rows for 4096 nodes.
[[nodiscard]] std::vector<Node> compute_nodes(const Rows& rows, const Spread& spread,
                                              double period, std::span<const NodeRange> ranges,
                                              const Execution& execution);

}  // namespace bootfold::exact
