// cli/forest_plot.h: a forest plot in text: intervals on a common axis, one line each.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "histogram.h"

namespace bootfold::cli {

/// One interval and the point it belongs to. Limits may be infinite.
struct IntervalLine {
  std::string name;
  double low = 0;
  double estimate = 0;
  double high = 0;
};

/// A number of an axis.
struct Tick {
  double value;
  std::string text;
};

/// Multiples of 1, 2 or 5 times a power of ten from `low` to `high`, at most `most` steps.
[[nodiscard]] std::vector<Tick> ticks(double low, double high, double most);

/// Draws them from top to bottom in `style.width` columns, with the line of zero through all and
/// an axis below; `unit` is put behind the numbers of the axis. Intervals that leave zero out are
/// drawn heavy. With `zero` false there is no such line, and the axis begins where the intervals
/// do. Empty when there is nothing to see: no length, or a point that is not a number.
///
///     B                          |         |==*==|
///     C           |------*-------:--|
///           ------+--------------+--------------+
///                -2              0              2
[[nodiscard]] std::string forest_plot(std::span<const IntervalLine> intervals,
                                      const PlotStyle& style, const std::string& unit = "",
                                      bool zero = true);

}  // namespace bootfold::cli
