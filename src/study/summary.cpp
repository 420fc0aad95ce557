#include "study/summary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "bootfold/error.h"
#include "study/fixed_point.h"
#include "text/concat.h"

namespace bootfold::study {

namespace {

using Weights = std::span<const std::uint64_t>;

/// Of about a thousand rows: robust, the same every time, and one of the values.
double rough_median(std::span<const double> sample, Weights weights) {
  std::vector<std::size_t> order(sample.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return sample[a] < sample[b]; });
  const std::uint64_t all = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  std::uint64_t below = 0;
  for (const std::size_t i : order) {
    below += weights[i];
    if (2 * below > all) return sample[i];
  }
  return 0;
}

statistic::Scale scale_of(const ValuesLook& column) {
  if (column.min == column.max) return {column.min, 0};
  // A value of the column: subtracting it keeps integers and other multiples of a unit exact.
  const ValueSample::Values sample = column.sample.values();
  const double centre = rough_median(sample.values, sample.weights);
  const double farthest = std::max(column.max - centre, centre - column.min);
  if (!std::isfinite(farthest))
    throw DataError(text::concat("values from ", column.min, " to ", column.max,
                                 " differ by more than a double can hold; scale the column down"));
  return {centre, std::ilogb(farthest) + 1};
}

/// Sizes counted by the exponents of their doubles. Zeros and denormals tell nothing of a size.
using Exponents = std::array<std::uint64_t, 2048>;

/// The power of two below the median of the sizes counted; 0 if there are none.
template <class Counts>
double typical_size(const Counts& exponents) {
  std::uint64_t seen = 0;
  for (std::size_t e = 1; e < exponents.size(); ++e) seen += exponents[e];
  std::uint64_t below = 0;
  for (std::size_t e = 1; e < exponents.size() && seen > 0; ++e) {
    below += exponents[e];
    if (2 * below >= seen) return std::ldexp(1.0, static_cast<int>(e) - 1023);
  }
  return 0;
}

/// What a sample tells of the sizes of values.
struct Sizes {
  double typical = 1;    // see FeatureSummary
  double deviation = 0;  // standard deviation
  double square = 1;     // mean square
};

Sizes sizes_of(std::span<const double> sample, Weights weights, double median) {
  Exponents exponents{};
  double rows = 0;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto weight = static_cast<double>(weights[i]);
    const double off = sample[i] - median;
    exponents[std::bit_cast<std::uint64_t>(off) >> 52 & 2047U] += weights[i];
    rows += weight;
    sum += weight * off;
    squares += weight * (off * off);
  }
  const double mean = sum / rows;
  const double square = squares / rows;
  return {typical_size(exponents), std::sqrt(std::max(0.0, square - mean * mean)), square};
}

/// Of a product. Columns are sampled one by one, so that the digits of a product depend on its own
/// columns alone; the sizes of products of several columns are the products of their sizes.
Sizes product_sizes(const Features& features, std::size_t feature, const ColumnsLook& look) {
  Sizes all;
  std::size_t columns = 0;
  for (const auto& [column, times] : features.powers(feature)) {
    ValueSample::Values sample = look.columns()[column].sample.values();
    const statistic::Scale& scale = features.scales()[column];
    const int half = -scale.exponent / 2;
    const double first = std::ldexp(1.0, half);
    const double second = std::ldexp(1.0, -scale.exponent - half);
    for (double& x : sample.values) {
      const double u = (x - scale.centre) * first * second;
      x = u;
      for (std::size_t i = 1; i < times; ++i) x *= u;
    }
    const Sizes sizes = sizes_of(sample.values, sample.weights, 0);
    all.typical *= sizes.typical;
    all.square *= sizes.square;
    all.deviation = ++columns == 1 ? sizes.deviation : std::sqrt(all.square);
  }
  return all;
}

/// Why the value of an expression may not be a number: a function that it has.
std::string cause_of(const std::string& name) {
  static constexpr std::pair<std::string_view, const char*> kCauses[] = {
      {"log(", "log of 0 or of a negative number"},
      {"log2(", "log2 of 0 or of a negative number"},
      {"log10(", "log10 of 0 or of a negative number"},
      {"log1p(", "log1p of -1 or of a smaller number"},
      {"sqrt(", "sqrt of a negative number"},
      {" / ", "a division by 0"},
  };
  std::string causes;
  for (const auto& [sign, cause] : kCauses)
    if (name.find(sign) != name.npos)
      causes += (causes.empty() ? " (" : ", or ") + std::string(cause);
  return causes.empty() ? causes : causes + "?)";
}

[[noreturn]] void refuse_features() {
  throw DataError(
      "a feature of the statistic is not a finite number on some row; check for overflow, "
      "logarithms of negative numbers and division by 0");
}

}  // namespace

std::vector<ColumnSummary> summarize(const ColumnsLook& look, const DataView& data,
                                     const Features& features) {
  if (const auto& bad = look.bad()) {
    const std::string name = data.name(bad->column);
    const std::string cause = cause_of(name);
    // Of an expression a NaN may also be a missing value of a column that it uses.
    const char* const found = !std::isnan(bad->value) ? (bad->value > 0 ? "inf" : "-inf")
                              : cause.empty()         ? "nan"
                                                      : "missing or undefined";
    throw DataError(text::concat(
        "column ", name, ", row ", bad->row + 1, " is ", found, cause,
        " but every value must be a finite number; ",
        std::isnan(bad->value) ? "nan=omit leaves such rows out" : "leave such rows out"));
  }
  std::vector<ColumnSummary> summaries;
  for (const ValuesLook& column : look.columns()) summaries.push_back({column.min, column.max, {}});
  for (const std::uint32_t c : features.product_columns())
    summaries[c].scale = scale_of(look.columns()[c]);
  return summaries;
}

std::vector<FeatureSummary> rough_summaries(const Features& features, const ColumnsLook& look) {
  if (!look.filled_finite()) refuse_features();
  std::vector<FeatureSummary> summaries;
  std::size_t filled = 0;
  for (std::size_t f = 0; f < features.count(); ++f) {
    const bool product = features.is_product(f);
    const ValuesLook found =
        product ? features.product_look(f, look.columns()) : look.filled()[filled++];
    FeatureSummary summary;
    summary.min = found.min;
    summary.max = found.max;
    Sizes sizes;
    if (product) {
      sizes = product_sizes(features, f, look);
    } else {
      const ValueSample::Values sample = found.sample.values();
      summary.median = rough_median(sample.values, sample.weights);
      sizes = sizes_of(sample.values, sample.weights, summary.median);
    }
    summary.typical = sizes.typical;
    summary.deviation = sizes.deviation;
    // Squares may overflow where values do not.
    if (!std::isfinite(summary.deviation) || summary.deviation == 0)
      summary.deviation = summary.typical;
    summary.lowest_bit = found.lowest_bit;
    const double reach =
        std::max(std::abs(found.max - summary.median), std::abs(summary.median - found.min));
    if (reach == 0) {
      summary.lowest_bit = ValuesLook::kNoBits;
    } else if (found.lowest_bit != ValuesLook::kNotWhole &&
               (!std::isfinite(reach) || found.lowest_bit < unit_of(reach, kLimbDigits) ||
                std::ldexp(reach, -found.lowest_bit) >= 0x1p53)) {
      summary.lowest_bit = ValuesLook::kNotWhole;
    }
    summaries.push_back(summary);
  }
  return summaries;
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
    if (feature.sum.not_finite() > 0 || !std::isfinite(summary.mean)) refuse_features();
    const double shift = summary.mean - summary.median;
    summary.deviation = std::sqrt(std::max(0.0, feature.squares.value() / n - shift * shift));
    summary.typical = typical_size(feature.exponents);
    // Squares may overflow where values do not.
    if (feature.squares.not_finite() > 0 || !std::isfinite(summary.deviation) ||
        summary.deviation == 0)
      summary.deviation = summary.typical;
    summaries.push_back(summary);
  }
  return summaries;
}

}  // namespace bootfold::study
