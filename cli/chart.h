// cli/chart.h: histograms of replicates and forest plots, as drawings.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "drawing.h"
#include "forest_plot.h"
#include "histogram.h"

namespace bootfold::cli {

/// The replicates of one statistic.
struct HistogramPanel {
  std::string title;
  std::string note;  ///< a line below the title
  Bins bins;
  Marks marks;
};

/// One below the other. Bars inside the interval are dark, the estimate is a line, and the interval
/// lies below the bars.
[[nodiscard]] Drawing draw_histograms(std::span<const HistogramPanel> panels);

/// Intervals on a common axis. Limits may be infinite.
struct ForestPanel {
  std::string title;
  std::string note;  ///< a line below the title
  std::vector<IntervalLine> intervals;
  std::string unit;  ///< behind the numbers of the axis
  bool zero = true;  ///< a line at zero; intervals that contain it are grey
};

/// Forest plots, one below the other.
[[nodiscard]] Drawing draw_forests(std::span<const ForestPanel> panels);

}  // namespace bootfold::cli
