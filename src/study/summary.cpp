#include "study/summary.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::study {

namespace {

/// Of about a thousand rows spread over the data: robust, and the same every time.
double rough_median(std::vector<double> sample) {
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
  std::nth_element(sample.begin(), middle, sample.end());
  return *middle;
}

statistic::Scale scale_of(const ColumnLook& column) {
  if (column.min == column.max) return {column.min, 0};
  // A value of the column: subtracting it keeps integers and other multiples of a unit exact.
  const double centre = rough_median(column.sample);
  const double farthest = std::max(column.max - centre, centre - column.min);
  if (!std::isfinite(farthest))
    throw DataError(text::concat("values from ", column.min, " to ", column.max,
                                 " differ by more than a double can hold; scale the column down"));
  return {centre, std::ilogb(farthest) + 1};
}

/// The power of two below the median of the sizes counted; 0 if all are 0.
double typical_size(const ExponentCounts& exponents) {
  std::uint64_t seen = 0;
  for (const std::uint32_t size : exponents) seen += size;
  seen -= exponents[0];  // zeros and denormals of the difference tell nothing of a size
  std::uint64_t below = 0;
  for (std::size_t e = 1; e < exponents.size() && seen > 0; ++e) {
    below += exponents[e];
    if (2 * below >= seen) return std::ldexp(1.0, static_cast<int>(e) - 1023);
  }
  return 0;
}

}  // namespace

std::vector<ColumnSummary> summarize(const ColumnsLook& look, const DataView& data, bool scaled) {
  if (const auto& bad = look.bad())
    throw DataError(text::concat(
        "column ", data.name(bad->column), ", row ", bad->row + 1, " is ", bad->value,
        " but every value must be a finite number; ",
        std::isnan(bad->value) ? "nan=omit leaves such rows out" : "leave such rows out"));
  std::vector<ColumnSummary> summaries;
  for (const ColumnLook& column : look.columns())
    summaries.push_back({column.min, column.max, scaled ? scale_of(column) : statistic::Scale{}});
  return summaries;
}

std::vector<double> rough_medians(const Features& features, const ColumnsLook& look) {
  std::vector<double> medians(features.count());
  bool any = false;
  for (std::size_t f = 0; f < features.count(); ++f) any = any || !features.is_product(f);
  if (!any) return medians;
  const std::size_t rows = sample_size(look.rows());
  std::vector<const double*> columns;
  for (const ColumnLook& column : look.columns()) columns.push_back(column.sample.data());
  std::vector<double> made(features.count() * rows);
  features.make({columns, rows}, made.data(), rows);
  for (std::size_t f = 0; f < features.count(); ++f) {
    if (features.is_product(f)) continue;
    const auto first = made.begin() + static_cast<std::ptrdiff_t>(f * rows);
    medians[f] = rough_median({first, first + static_cast<std::ptrdiff_t>(rows)});
  }
  return medians;
}

std::vector<FeatureSummary> summarize(const FeaturesLook& look, std::uint64_t rows) {
  const auto n = static_cast<double>(rows);
  std::vector<FeatureSummary> summaries;
  for (std::size_t f = 0; f < look.features().size(); ++f) {
    const FeatureLook& feature = look.features()[f];
    FeatureSummary summary;
    summary.min = feature.min;
    summary.max = feature.max;
    summary.mean = feature.sum.value() / n;
    summary.median = look.medians()[f];
    if (feature.sum.not_finite() > 0 || !std::isfinite(summary.mean))
      throw DataError(
          "a feature of the statistic is not a finite number on some row; check for overflow, "
          "logarithms of negative numbers and division by 0");
    const double shift = summary.mean - summary.median;
    summary.deviation = std::sqrt(std::max(0.0, feature.squares.value() / n - shift * shift));
    summary.typical = typical_size(feature.exponents);
    // Squares may overflow where values do not.
    if (feature.squares.not_finite() > 0 || !std::isfinite(summary.deviation) ||
        summary.deviation == 0)
      summary.deviation = summary.typical;
    summary.lowest_bit = feature.lowest_bit;
    summaries.push_back(summary);
  }
  return summaries;
}

}  // namespace bootfold::study
