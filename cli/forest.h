// cli/forest.h: intervals on a common axis, a line for each: a forest plot in text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "histogram.h"

namespace bootfold::cli {

/// One interval and the point it belongs to. Limits may be infinite.
struct Branch {
  std::string name;
  double low = 0;
  double estimate = 0;
  double high = 0;
};

/// Draws them from top to bottom in `canvas.width` columns, with the line of zero through all and
/// an axis below; `unit` is put behind the numbers of the axis. Intervals that leave zero out are
/// drawn heavy. Empty when there is nothing to see: no length, or a point that is not a number.
///
///     B                          |         |==*==|
///     C           |------*-------:--|
///           ------+--------------+--------------+
///                -2              0              2
[[nodiscard]] std::string forest(std::span<const Branch> branches, const Canvas& canvas,
                                 const std::string& unit = "");

}  // namespace bootfold::cli
