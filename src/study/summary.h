// What the looks say about columns and features, in the numbers that arithmetic needs.
#pragma once

#include <cstdint>
#include <vector>

#include "study/column_look.h"
#include "study/feature_look.h"

namespace bootfold::study {

struct ColumnSummary {
  double min = 0;
  double max = 0;
  /// Of a column that products multiply: centre near the median, |x - centre| * 2^-exponent <= 1.
  statistic::Scale scale;
};

struct FeatureSummary {
  double min = 0;
  double max = 0;
  double mean = 0;       // exact sum of the feature as it is in doubles, rounded, / rows
  double deviation = 0;  // standard deviation; under weights, if replicates draw by weight
  double median = 0;     // roughly, and a value of the feature; 0 for products
  double typical = 0;    // a power of two near the median of |f - its median|; 0: constant
  /// All f - median are whole multiples of 2^lowest_bit, without rounding; kNoBits: all are 0.
  int lowest_bit = ValuesLook::kNotWhole;
  bool even = true;  // see Drawing in study/study.h
};

/// Throws DataError with the position of the first value that is not a finite number and, for a
/// column that products multiply, if its range is one that no double holds. `data` has the names of
/// the columns.
[[nodiscard]] std::vector<ColumnSummary> summarize(const ColumnsLook& look, const DataView& data,
                                                   const Features& features);

/// What the first look tells of the features: `min` and `max` may lie beyond the values of
/// products, `mean` is not known, and `typical` and `deviation` are those of a sample. From this
/// alone the digits of sums are chosen. Throws DataError if a feature is not a finite number on
/// some row.
[[nodiscard]] std::vector<FeatureSummary> rough_summaries(const Features& features,
                                                          const ColumnsLook& look);

/// What the second look tells, with numbers of all rows. Throws DataError as above.
[[nodiscard]] std::vector<FeatureSummary> summarize(const FeaturesLook& look, std::uint64_t rows);

}  // namespace bootfold::study
