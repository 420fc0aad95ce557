// cli/compare_report.h: a comparison, for a person or for a program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bootfold/compare.h"

namespace bootfold::cli {

/// A finished comparison and what is worth telling about it.
struct CompareRun {
  const Comparison& found;
  std::vector<std::string> columns;  ///< names of the columns
  std::string by;                    ///< name of the column that holds the groups
  std::size_t omitted = 0;           ///< rows left out because of NaN
  std::size_t filtered = 0;          ///< rows that --where left out
  double read_seconds = 0;
  double seconds = 0;
  std::size_t peak_memory = 0;
  bool resumed = false;  ///< some replicates come from a checkpoint
};

/// A table of the groups, one of their differences to the control, what must be known about them;
/// with a picture of the intervals and the story of the run unless `quiet`.
[[nodiscard]] std::string as_text(const CompareRun& run, bool quiet);

/// One JSON object. Lifts are shares here, 0.05 where the text says 5%.
[[nodiscard]] std::string as_json(const CompareRun& run);

}  // namespace bootfold::cli
