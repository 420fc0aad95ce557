#include "plan/problem.h"

#include "bootfold/error.h"

namespace bootfold::planning {

namespace {

/// "slope({2})" with the second column's name in place of {2}.
std::string label(std::string text, const DataView& data, std::span<const std::uint32_t> columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string mark = "{" + std::to_string(i + 1) + "}";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
      // A single unnamed column needs no mention.
      if (data.columns() == 1 && text == text.substr(0, at - 1) + "(" + mark + ")")
        return text.substr(0, at - 1);
      text.replace(at, mark.size(), data.name(columns[i]));
    }
  }
  return text;
}

std::string column_rule(const Statistic& statistic) {
  if (statistic.most_columns() == Statistic::kAnyNumber)
    return concat("at least ", statistic.fewest_columns());
  return concat("exactly ", statistic.fewest_columns());
}

}  // namespace

Problem::Problem(const DataView& view, std::span<const Statistic> statistics) : data(view) {
  if (statistics.empty())
    throw InvalidArgument("there is no statistic to compute; give at least one, such as mean");
  if (data.rows() == 0)
    throw InvalidArgument("the data have no rows; a bootstrap needs at least one");
  for (const Statistic& statistic : statistics) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t c = 0; c < data.columns(); ++c) all.push_back(c);
    if (statistic.most_columns() == 1) {
      for (const std::uint32_t c : all) parts.push_back({statistic.bind(1), statistic.name(), {c}});
      continue;
    }
    if (all.size() < statistic.fewest_columns() || all.size() > statistic.most_columns())
      throw InvalidArgument(concat("statistic '", statistic.name(), "' needs ",
                                   column_rule(statistic), " columns but the data have ",
                                   all.size()));
    parts.push_back({statistic.bind(all.size()), statistic.name(), all});
  }
  for (Part& part : parts) {
    part.first_output = outputs.size();
    for (const std::string& output : part.bound.outputs)
      outputs.push_back(label(output, data, part.columns));
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

void Problem::look(const Execution& execution) {
  columns = summarize_columns(data, execution);
  std::vector<statistic::Scale> scales;
  for (const ColumnSummary& column : columns) scales.push_back(column.scale);
  for (Part& part : parts) {
    part.scales.clear();
    for (const std::uint32_t c : part.columns) part.scales.push_back(scales[c]);
  }
  features.set_scales(std::move(scales));
}

void Problem::unscale() {
  std::vector<statistic::Scale> scales = features.scales();
  for (statistic::Scale& scale : scales) scale.exponent = 0;
  for (Part& part : parts)
    for (statistic::Scale& scale : part.scales) scale.exponent = 0;
  features.set_scales(std::move(scales));
}

void Problem::finish_sums(std::span<const double> means, double resolution,
                          std::span<double> values, std::span<double> scratch) const {
  for (const Part& part : parts) {
    const auto* sums = std::get_if<statistic::Sums>(&part.bound.body);
    if (sums == nullptr) continue;
    for (std::size_t f = 0; f < part.features.size(); ++f) scratch[f] = means[part.features[f]];
    sums->finish({scratch.first(part.features.size()), static_cast<double>(data.rows()),
                  part.scales, resolution},
                 values.subspan(part.first_output, part.outputs()));
  }
}

}  // namespace bootfold::planning
