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

/// Intervals on a common axis with a line at zero. Those that leave zero out are dark. Limits may
/// be infinite; `unit` is put behind the numbers of the axis.
[[nodiscard]] Drawing draw_forest(const std::string& title, const std::string& note,
                                  std::span<const IntervalLine> intervals, const std::string& unit);

}  // namespace bootfold::cli
