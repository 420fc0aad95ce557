// cli/compare_report.h: a comparison, for a person or for a program.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bootfold/compare.h"
#include "bootfold/write.h"
#include "forest_plot.h"

namespace bootfold::cli {

/// What the means were adjusted for.
struct Covariate {
  std::string column;  ///< empty: nothing
  double theta = 0;
  double explained = 0;  ///< share of the variance within groups
};

/// A finished comparison and what is worth telling about it.
struct CompareRun {
  const Comparison& found;
  std::vector<std::string> columns;        ///< names of the columns
  std::string by;                          ///< name of the column that holds the groups
  std::vector<std::string> left_out = {};  ///< groups of one row
  std::size_t omitted = 0;                 ///< rows left out because of NaN
  std::size_t filtered = 0;                ///< rows that --where left out
  double read_seconds = 0;
  double seconds = 0;
  std::size_t peak_memory = 0;
  bool resumed = false;  ///< some replicates come from a checkpoint
  Covariate covariate = {};
};

/// For each comparison a table of the groups, one of their differences to the control, what must be
/// known about them; with pictures of the intervals and the story of the run unless `quiet`.
[[nodiscard]] std::string as_text(std::span<const CompareRun> runs, bool quiet);

/// One JSON object; of several comparisons, a list of them under "comparisons". Lifts are shares
/// here, 0.05 where the text says 5%.
[[nodiscard]] std::string as_json(std::span<const CompareRun> runs);

/// One row for each difference of each comparison.
[[nodiscard]] std::vector<data::NamedColumn> tidy_columns(std::span<const CompareRun> runs);

/// The statistic with its column, where the name does not say it: "mean of revenue".
[[nodiscard]] std::string title_of(const CompareRun& run);
/// The intervals of the differences, of lifts in percent.
[[nodiscard]] std::vector<IntervalLine> lines_of(const Comparison& found);

}  // namespace bootfold::cli
