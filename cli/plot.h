// cli/plot.h: the picture that --plot names.
#pragma once

#include <span>
#include <string>

#include "compare_report.h"
#include "drawing.h"
#include "grouped_report.h"
#include "report.h"

namespace bootfold::cli {

/// A histogram of the replicates of every statistic, with its interval.
[[nodiscard]] Drawing plot_of(const Run& run);

/// A forest plot of the differences of every comparison.
[[nodiscard]] Drawing plot_of(std::span<const CompareRun> runs);

/// A forest plot of the groups for every value.
[[nodiscard]] Drawing plot_of(const GroupedRun& run);

/// Throws DataError if `path` cannot be written, and Failure if it is a .png file and this program
/// cannot draw one; for checks before the work.
void check_plot_file(const std::string& path);

/// Writes a .svg or .png file.
void write_plot(const std::string& path, const Drawing& drawing);

}  // namespace bootfold::cli
