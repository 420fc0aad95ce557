// Statistics by name: "quantile:0.9".
#include <charconv>
#include <functional>
#include <optional>

#include "bootfold/error.h"
#include "bootfold/statistic.h"
#include "text/concat.h"
#include "text/nearest.h"

namespace bootfold::statistic {

namespace {

/// A name that parse() knows; `make` gets the number behind the colon, or nothing.
struct Entry {
  std::string name;
  std::string parameter;  // what the number is; empty: takes none
  bool required = false;
  std::string columns;
  std::string meaning;
  std::function<Statistic(std::optional<double>)> make;
};

int ddof(std::optional<double> value) {
  if (value && *value != 0 && *value != 1)
    throw InvalidArgument(
        text::concat("ddof is ", *value, " but must be 0 (divide by n) or 1 (by n - 1)"));
  return static_cast<int>(value.value_or(1));
}

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
      {"difference", "", false, "2", "mean of the first - mean of the second column, paired",
       [](Number) { return difference(); }},
      {"ratio", "", false, "2", "mean of the first / mean of the second column",
       [](Number) { return ratio(); }},
      {"covariance", "DDOF", false, "2", "divisor n - DDOF, 1 unless given",
       [](Number n) { return covariance(ddof(n)); }},
      {"correlation", "", false, "2", "Pearson's", [](Number) { return correlation(); }},
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

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string usage(const Entry& entry) {
  if (entry.parameter.empty()) return entry.name;
  return entry.required ? entry.name + ":" + entry.parameter
                        : entry.name + "[:" + entry.parameter + "]";
}

[[noreturn]] void throw_unknown(std::string_view name) {
  std::vector<std::string> names;
  std::string list;
  for (const Entry& entry : entries()) {
    names.push_back(entry.name);
    list += (list.empty() ? "" : ", ") + usage(entry);
  }
  const std::string close = text::nearest(name, names);
  throw InvalidArgument(text::concat("unknown statistic '", name, "'",
                                     close.empty() ? "" : "; did you mean '" + close + "'?",
                                     " (there are: ", list, ")"));
}

}  // namespace

Statistic parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const Entry& entry : entries()) {
    if (entry.name != name) continue;
    if (colon == std::string_view::npos) {
      if (entry.required)
        throw InvalidArgument(text::concat("statistic '", name, "' needs a number: ", usage(entry),
                                           ", such as ", name, ":0.1"));
      return entry.make(std::nullopt);
    }
    if (entry.parameter.empty())
      throw InvalidArgument(
          text::concat("statistic '", text, "' takes no number: write '", name, "'"));
    const std::optional<double> value = number(text.substr(colon + 1));
    if (!value)
      throw InvalidArgument(text::concat("statistic '", text, "': '", text.substr(colon + 1),
                                         "' is not a number; write ", usage(entry)));
    return entry.make(value);
  }
  throw_unknown(name);
}

const std::vector<Listing>& listings() {
  static const std::vector<Listing> list = [] {
    std::vector<Listing> rows;
    for (const Entry& entry : entries())
      rows.push_back({usage(entry), entry.columns, entry.meaning});
    return rows;
  }();
  return list;
}

}  // namespace bootfold::statistic
