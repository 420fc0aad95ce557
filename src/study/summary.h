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
  statistic::Scale scale;  // centre near the median, |x - centre| * 2^-exponent <= 1
};

struct FeatureSummary {
  double min = 0;
  double max = 0;
  double mean = 0;       // exact sum of the feature as it is in doubles, rounded, / rows
  double deviation = 0;  // standard deviation; under weights, if replicates draw by weight
  double median = 0;     // roughly, and a value of the feature; 0 for products
  double typical = 0;    // a power of two near the median of |f - its median|; 0: constant
  int lowest_bit = FeatureLook::kNotWhole;  // see FeatureLook
  bool even = true;                         // see Drawing in study/study.h
};

/// Throws DataError with the position of the first value that is not a finite number and, if the
/// columns are to be scaled, for a range that no double holds. `data` has the names of the columns.
[[nodiscard]] std::vector<ColumnSummary> summarize(const ColumnsLook& look, const DataView& data,
                                                   bool scaled);

/// Throws DataError if a feature is not a finite number on some row.
[[nodiscard]] std::vector<FeatureSummary> summarize(const FeaturesLook& look, std::uint64_t rows);

/// Rough medians of features that a statistic fills, from the sampled rows; 0 for products, which
/// are centred already.
[[nodiscard]] std::vector<double> rough_medians(const Features& features, const ColumnsLook& look);

}  // namespace bootfold::study
