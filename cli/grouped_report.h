// cli/grouped_report.h: intervals of groups, for a person or for a program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bootfold/groups.h"
#include "bootfold/write.h"
#include "forest_plot.h"

namespace bootfold::cli {

/// A finished bootstrap of groups and what is worth telling about it.
struct GroupedRun {
  const GroupedResult& found;
  interval::Method method = interval::Method::percentile;
  double confidence = 0.95;
  std::size_t omitted = 0;   ///< rows left out because of NaN
  std::size_t filtered = 0;  ///< rows that --where left out
  double read_seconds = 0;
  double seconds = 0;
  std::size_t peak_memory = 0;
  std::string weights = {};  ///< their column, if rows have any
};

/// A line about groups of one row, which are left out; empty if there are none.
[[nodiscard]] std::string skipped_as_text(const std::vector<std::string>& groups);

/// A table of the groups for every value, with a picture of the intervals and the story of the run
/// unless `quiet`.
[[nodiscard]] std::string as_text(const GroupedRun& run, bool quiet);

/// One JSON object.
[[nodiscard]] std::string as_json(const GroupedRun& run);

/// A tidy table, one line for each group and value: the columns of the groups, statistic, value,
/// rows, estimate, standard_error, low, high.
[[nodiscard]] std::vector<data::NamedColumn> tidy_columns(const GroupedResult& found);

/// "mean of dep_delay by carrier".
[[nodiscard]] std::string title_of(const GroupedResult& found, std::size_t output);

/// The intervals of all groups, for a forest plot.
[[nodiscard]] std::vector<IntervalLine> lines_of(const GroupedResult& found, std::size_t output);

}  // namespace bootfold::cli
