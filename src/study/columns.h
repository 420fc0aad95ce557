// What a pass over the columns tells: range, centre, and that every value is a number.
#pragma once

#include <vector>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "bootfold/statistic.h"

namespace bootfold::study {

struct ColumnSummary {
  double min = 0;
  double max = 0;
  statistic::Scale scale;  // centre near the median, |x - centre| * 2^-exponent <= 1
};

/// One pass over the data. Throws DataError with the position of the first NaN or infinity, and, if
/// the columns are to be scaled, for a range that no double holds.
[[nodiscard]] std::vector<ColumnSummary> summarize_columns(const DataView& data, bool scaled,
                                                           const Execution& execution);

}  // namespace bootfold::study
