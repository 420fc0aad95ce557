// numeric/unit.h: the power of two in which numbers are measured so that sums do not overflow.
#pragma once

#include <algorithm>
#include <cmath>

namespace bootfold::numeric {

/// Brings the largest of some numbers, which is not negative, near 1 from below: exact for numbers
/// of any size, those close to the largest double and those below the smallest normal one too.
[[nodiscard]] inline double unit_of(double largest) {
  return largest > 0 ? std::ldexp(1.0, std::clamp(-(std::ilogb(largest) + 1), -1022, 1023)) : 1;
}

}  // namespace bootfold::numeric
