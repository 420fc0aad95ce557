#include "statistic/named.h"

#include <array>
#include <charconv>
#include <utility>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::statistic {

namespace {

int ddof(std::optional<double> value) {
  if (value && *value != 0 && *value != 1)
    throw InvalidArgument(
        text::concat("ddof is ", *value, " but must be 0 (divide by n) or 1 (by n - 1)"));
  return static_cast<int>(value.value_or(1));
}

/// Other words for a name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 21> kAliases = {{
    {"avg", "mean"},
    {"average", "mean"},
    {"total", "sum"},
    {"var", "variance"},
    {"std", "standard_deviation"},
    {"sd", "standard_deviation"},
    {"stdev", "standard_deviation"},
    {"stddev", "standard_deviation"},
    {"skew", "skewness"},
    {"kurt", "kurtosis"},
    {"prop", "proportion"},
    {"iqr", "interquartile_range"},
    {"minimum", "min"},
    {"maximum", "max"},
    {"trim_mean", "trimmed_mean"},
    {"gmean", "geometric_mean"},
    {"cov", "covariance"},
    {"cor", "correlation"},
    {"corr", "correlation"},
    {"auc", "roc_auc"},
    {"sharpe", "sharpe_ratio"},
}};

const Entry* find_entry(std::string_view name) {
  for (const Entry& entry : entries())
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace

const std::vector<Entry>& entries() {
  using Number = std::optional<double>;
  static const std::vector<Entry> list = {
      {"mean", "", false, "1", "arithmetic mean", [](Number) { return mean(); }},
      {"sum", "", false, "1", "sum of the rows", [](Number) { return sum(); }},
      {"variance", "DDOF", false, "1", "divisor n - DDOF, 1 unless given",
       [](Number n) { return variance(ddof(n)); }},
      {"standard_deviation", "DDOF", false, "1", "square root of the variance",
       [](Number n) { return standard_deviation(ddof(n)); }},
      {"skewness", "", false, "1", "third standardised moment", [](Number) { return skewness(); }},
      {"kurtosis", "", false, "1", "fourth standardised moment - 3",
       [](Number) { return kurtosis(); }},
      {"geometric_mean", "", false, "1", "exp of the mean of the logarithms",
       [](Number) { return geometric_mean(); }},
      {"proportion", "T", false, "1", "share of rows above T, 0 unless given",
       [](Number n) { return proportion(n.value_or(0)); }},
      {"sharpe_ratio", "PERIODS", false, "1",
       "mean / standard deviation, times sqrt(PERIODS) if given",
       [](Number n) { return sharpe_ratio(n.value_or(1)); }},
      {"quantile", "Q", true, "1", "quantile Q in [0, 1], type 7 as NumPy",
       [](Number n) { return quantile(*n); }},
      {"median", "", false, "1", "quantile:0.5", [](Number) { return median(); }},
      {"interquartile_range", "", false, "1", "quantile:0.75 - quantile:0.25",
       [](Number) { return interquartile_range(); }},
      {"min", "", false, "1", "smallest row", [](Number) { return min(); }},
      {"max", "", false, "1", "largest row", [](Number) { return max(); }},
      {"trimmed_mean", "CUT", true, "1", "mean without the share CUT of rows at each end",
       [](Number n) { return trimmed_mean(*n); }},
      {"mad", "", false, "1", "median of the absolute deviations from the median",
       [](Number) { return mad(); }},
      {"gini", "", false, "1", "Gini coefficient of values that are not negative",
       [](Number) { return gini(); }},
      {"top_share", "Q", true, "1", "share of the sum that the share Q of largest rows has",
       [](Number n) { return top_share(*n); }},
      {"difference", "", false, "2", "mean of the first - mean of the second column, paired",
       [](Number) { return difference(); }},
      {"ratio", "", false, "2", "mean of the first / mean of the second column",
       [](Number) { return ratio(); }},
      {"covariance", "DDOF", false, "2", "divisor n - DDOF, 1 unless given",
       [](Number n) { return covariance(ddof(n)); }},
      {"correlation", "", false, "2", "Pearson's", [](Number) { return correlation(); }},
      {"spearman", "", false, "2", "Spearman's rank correlation",
       [](Number) { return spearman(); }},
      {"slope", "", false, "2", "least-squares slope of the first on the second column",
       [](Number) { return slope(); }},
      {"regression", "", false, "2 or more",
       "least squares of the first column on the others: intercept and slopes",
       [](Number) { return regression(); }},
      {"roc_auc", "", false, "2 or more",
       "area under the ROC curve of classes 0 and 1 (first column) by scores (others)",
       [](Number) { return roc_auc(); }},
      {"average_precision", "", false, "2 or more",
       "average precision of classes 0 and 1 (first column) by scores (others)",
       [](Number) { return average_precision(); }},
  };
  return list;
}

std::string usage(const Entry& entry) {
  if (entry.parameter.empty()) return entry.name;
  return entry.required ? entry.name + ":" + entry.parameter
                        : entry.name + "[:" + entry.parameter + "]";
}

double share_of_percent(double percent) {
  // 99.9 / 100 is 0.9990000000000001, which names would show.
  return text::parse_real(text::shortest(percent) + "e-2").value_or(percent / 100);
}

Named find_named(std::string_view name) {
  if (const Entry* entry = find_entry(name)) return {entry};
  for (const auto& [alias, meant] : kAliases)
    if (alias == name) return {find_entry(meant)};
  if (name == "percentile") return {find_entry("quantile"), std::nullopt, true};
  if (name.size() < 2 || name[0] != 'p') return {};
  double percent = 0;  // p90, p99.9
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + 1, end, percent);
  if (error != std::errc() || stop != end || !(percent >= 0 && percent <= 100)) return {};
  return {find_entry("quantile"), share_of_percent(percent)};
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) names.push_back(entry.name);
  for (const auto& [alias, meant] : kAliases) names.emplace_back(alias);
  names.emplace_back("percentile");
  return names;
}

}  // namespace bootfold::statistic
