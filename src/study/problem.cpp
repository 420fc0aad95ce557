#include "study/problem.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::study {

namespace {

/// "slope({2})" with the second column's name in place of {2}. "mean({1})" of the only column is
/// plain "mean".
std::string label(const std::string& text, const DataView& data,
                  std::span<const std::uint32_t> columns) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + at + 1, end, number);
    const bool mark = text[at] == '{' && error == std::errc() && stop != end && *stop == '}';
    if (mark && number >= 1 && number <= columns.size()) {
      result += data.name(columns[number - 1]);
      at = static_cast<std::size_t>(stop - text.data());
    } else {
      result += text[at];
    }
  }
  return result;
}

std::string output_name(const std::string& text, const DataView& data,
                        std::span<const std::uint32_t> columns, bool weighted) {
  constexpr std::string_view kOnly = "({1})";
  if (data.columns() == (weighted ? 2 : 1) && text.ends_with(kOnly))
    return text.substr(0, text.size() - kOnly.size());
  return label(text, data, columns);
}

std::string column_rule(const Statistic& statistic) {
  return text::concat(statistic.most_columns() == Statistic::kAnyNumber ? "at least " : "exactly ",
                      statistic.fewest_columns(), " columns",
                      statistic.weighted() ? ", the last of them weights," : "");
}

std::string list_of_names(const DataView& data) {
  constexpr std::size_t kListed = 20;
  std::string list;
  for (std::size_t c = 0; c < std::min(kListed, data.columns()); ++c)
    list += text::concat(c == 0 ? "'" : ", '", data.name(c), "'");
  return data.columns() > kListed ? list + ", ..." : list;
}

/// The columns that a statistic names, and then that of the weights.
std::vector<std::uint32_t> named_columns(const DataView& data, const Statistic& statistic) {
  std::vector<std::uint32_t> found;
  for (const std::string& name : statistic.columns()) {
    const auto c = data.find(name, data.columns() - (statistic.weighted() ? 1 : 0));
    if (!c)
      throw UnknownColumn(text::concat("statistic '", statistic.name(), "' uses column '", name,
                                       "', but the data have ", list_of_names(data)),
                          name);
    found.push_back(static_cast<std::uint32_t>(*c));
  }
  if (statistic.weighted()) found.push_back(static_cast<std::uint32_t>(data.columns() - 1));
  return found;
}

/// Throws DataError unless a column can hold weights.
void check_weights(const ColumnSummary& weights, const std::string& name, std::uint64_t rows) {
  if (weights.min < 0)
    throw DataError(text::concat("column ", name, " holds weights, but one of them is ",
                                 weights.min, "; weights must not be negative"));
  if (weights.max > std::numeric_limits<double>::max() / 2 / static_cast<double>(rows))
    throw DataError(text::concat("column ", name, " holds weights up to ", weights.max,
                                 ", whose sum may exceed 1.8e308; scale them down"));
  if (weights.max == 0)
    throw DataError(text::concat("column ", name,
                                 " holds weights, but all are 0; at least one must be positive"));
}

}  // namespace

bool Part::has_own_name() const {
  const std::string& output = bound.outputs[0];
  const bool plain = output.find_first_of("({") == output.npos;
  return names_columns && plain && name != output && name != "weighted_" + output;
}

Problem::Problem(const DataView& view, std::span<const Statistic> statistics) : data(view) {
  if (statistics.empty())
    throw InvalidArgument("there is no statistic to compute; give at least one, such as mean");
  if (data.rows() == 0)
    throw InvalidArgument("the data have no rows; a bootstrap needs at least one");
  const auto add = [&](const Statistic& statistic, const std::vector<std::uint32_t>& own) {
    parts.push_back({statistic.bind(own.size()), statistic.name(), own});
    parts.back().parameters = statistic.parameters();
    parts.back().weighted = statistic.weighted();
    parts.back().names_columns = !statistic.columns().empty();
  };
  for (const Statistic& statistic : statistics) {
    if (!statistic.columns().empty()) {
      add(statistic, named_columns(data, statistic));
      continue;
    }
    std::vector<std::uint32_t> all;
    for (std::uint32_t c = 0; c < data.columns(); ++c) all.push_back(c);
    if (statistic.of_each_column() && all.size() >= statistic.fewest_columns()) {
      const std::uint32_t last = all.back();
      if (statistic.weighted()) {
        for (const std::uint32_t c : all)
          if (c != last) add(statistic, {c, last});
      } else {
        for (const std::uint32_t c : all) add(statistic, {c});
      }
      continue;
    }
    if (all.size() < statistic.fewest_columns() || all.size() > statistic.most_columns())
      throw InvalidArgument(text::concat("statistic '", statistic.name(), "' needs ",
                                         column_rule(statistic), " but the data have ",
                                         all.size()));
    add(statistic, all);
  }
  for (Part& part : parts) {
    part.first_output = outputs.size();
    for (const std::string& output : part.bound.outputs)
      outputs.push_back(output_name(output, data, part.columns, part.weighted));
    if (const auto* sums = std::get_if<statistic::Sums>(&part.bound.body)) {
      for (statistic::Product product : sums->products) {
        for (std::uint32_t& c : product) c = part.columns[c];
        part.features.push_back(features.add_product(product));
      }
      if (sums->filled > 0) {
        const std::uint32_t first = features.add_filled(*sums, part.columns);
        for (std::uint32_t f = 0; f < sums->filled; ++f) part.features.push_back(first + f);
      }
    }
  }
}

void Problem::set_columns(std::vector<ColumnSummary> summaries) {
  columns = std::move(summaries);
  for (const Part& part : parts) {
    if (part.weighted)
      check_weights(columns[part.columns.back()], data.name(part.columns.back()), data.rows());
    const auto* sums = std::get_if<statistic::Sums>(&part.bound.body);
    if (sums == nullptr || !sums->weights) continue;
    ColumnSummary& weights = columns[part.columns[*sums->weights]];
    if (weights.scale.centre != 0) weights.scale = {0, std::ilogb(weights.max) + 1};
  }
  std::vector<statistic::Scale> scales;
  for (const ColumnSummary& column : columns) scales.push_back(column.scale);
  for (Part& part : parts) {
    part.scales.clear();
    for (const std::uint32_t c : part.columns) part.scales.push_back(scales[c]);
  }
  features.set_scales(std::move(scales));
}

Problem Problem::rescaled(std::span<const FeatureSummary> summaries) const {
  std::vector<ColumnSummary> scaled = columns;
  std::size_t order = 1;
  for (std::size_t f = 0; f < features.count(); ++f) order = std::max(order, features.order(f));
  const int least = -1000 / static_cast<int>(order);  // so that products of the largest stay finite
  for (std::uint32_t c = 0; c < scaled.size(); ++c) {
    const auto single = features.find({c});
    if (single && summaries[*single].typical > 0)
      scaled[c].scale.exponent += std::max(least, std::ilogb(summaries[*single].typical));
  }
  Problem other = *this;
  other.set_columns(std::move(scaled));
  return other;
}

std::uint64_t Problem::deletions() const {
  for (const Part& part : parts)
    if (std::holds_alternative<statistic::Fold>(part.bound.body) ||
        std::holds_alternative<statistic::Call>(part.bound.body))
      return data.rows() <= kMostDeletedRows ? data.rows() : kDeletedGroups;
  return 0;
}

void Problem::finish_sums(std::span<const double> means, double draws,
                          std::optional<double> resolution, std::span<double> values,
                          std::vector<double>& scratch, bool relative) const {
  for (const Part& part : parts) {
    const auto* sums = std::get_if<statistic::Sums>(&part.bound.body);
    if (sums == nullptr) continue;
    // A statistic that is composed of others may have a feature several times.
    const std::size_t count = part.features.size();
    if (scratch.size() < count) scratch.resize(count);
    for (std::size_t f = 0; f < count; ++f) scratch[f] = means[part.features[f]];
    sums->finish({std::span(scratch).first(count), draws, part.scales,
                  resolution.value_or(part.resolution), relative},
                 values.subspan(part.first_output, part.outputs()));
  }
}

bool Problem::is_mean() const {
  if (parts.size() != 1) return false;
  const auto* sums = std::get_if<statistic::Sums>(&parts[0].bound.body);
  return sums != nullptr && sums->is_mean && std::abs(parts[0].scales[0].exponent) < 1000;
}

void Problem::finish_means(std::span<const double> means, std::span<double> values) const {
  const statistic::Scale scale = parts[0].scales[0];
  const double factor = std::ldexp(1.0, scale.exponent);
  for (std::size_t i = 0; i < means.size(); ++i) values[i] = scale.centre + means[i] * factor;
}

}  // namespace bootfold::study
