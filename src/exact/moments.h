// What one pass tells of the values: moments of those near the centre, for every size of "near".
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bootfold/execution.h"
#include "exact/rows.h"
#include "numeric/compensated.h"

namespace bootfold::exact {

/// Number and moments of the rows within some radius of the middle.
struct Core {
  double rows = 0;
  double variance = 0;
  double fourth = 0;  // fourth central moment
};

struct Spread {
  double min = 0;
  double max = 0;
  double mean = 0;
  double variance = 0;      // divisor n
  double absolute = 0;      // mean |v|
  std::vector<Core> cores;  // the smallest first, all rows last
};

/// One pass, deterministic.
[[nodiscard]] Spread spread_of(const Rows& rows, const Execution& execution);

}  // namespace bootfold::exact
