// Several statistics and values: one comparison for each.
#include <utility>

#include "bootfold/compare.h"
#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold {

namespace {

/// A statistic and the columns that it sees.
struct Comparand {
  const Statistic* statistic;
  DataView values;
};

DataView columns_of(const DataView& values, const std::vector<std::size_t>& numbers) {
  std::vector<ColumnView> columns;
  std::vector<std::string> names;
  for (const std::size_t c : numbers) {
    columns.push_back(values.column(c));
    names.push_back(values.name(c));
  }
  return DataView(std::move(columns), std::move(names));
}

/// The columns that a statistic names, in its order, and that of the weights. Of names that are not
/// there the bootstrap complains.
DataView named_columns(const DataView& values, const Statistic& statistic) {
  std::vector<std::size_t> own;
  for (const std::string& name : statistic.columns())
    if (const auto c = values.find(name, values.columns() - (statistic.weighted() ? 1 : 0)))
      own.push_back(*c);
  if (own.size() < statistic.columns().size()) return values;
  if (statistic.weighted()) own.push_back(values.columns() - 1);
  return columns_of(values, own);
}

std::vector<Comparand> comparands(const DataView& values, std::span<const Statistic> statistics) {
  std::vector<Comparand> all;
  for (const Statistic& statistic : statistics) {
    const std::size_t weights = statistic.weighted() ? 1 : 0;
    if (!statistic.columns().empty()) {
      all.push_back({&statistic, named_columns(values, statistic)});
      continue;
    }
    if (!statistic.of_each_column() || values.columns() <= 1 + weights) {
      all.push_back({&statistic, values});
      continue;
    }
    for (std::size_t c = 0; c + weights < values.columns(); ++c) {
      std::vector<std::size_t> own = {c};
      if (statistic.weighted()) own.push_back(values.columns() - 1);
      all.push_back({&statistic, columns_of(values, own)});
    }
  }
  return all;
}

}  // namespace

std::vector<Comparison> compare_all(const DataView& values, const data::Labels& groups,
                                    std::span<const Statistic> statistics,
                                    const comparison::Options& options) {
  if (statistics.empty())
    throw InvalidArgument("there is no statistic to compare; give at least one, such as mean");
  const std::vector<Comparand> all = comparands(values, statistics);
  if (!options.checkpoint.empty() && all.size() > 1)
    throw InvalidArgument(
        text::concat("checkpoint is given but there are ", all.size(),
                     " comparisons (statistics and columns), and it holds one; omit checkpoint, or "
                     "compare one statistic of one column at a time"));
  std::vector<Comparison> found;
  for (const Comparand& each : all) {
    comparison::Options own = options;
    if (options.execution.progress)
      own.execution.progress = [&](execution::Progress progress) {
        const auto before = static_cast<double>(found.size());
        const double share = progress.total > 0 ? progress.done / progress.total : 0;
        options.execution.progress(
            {progress.total * (before + share), progress.total * static_cast<double>(all.size())});
      };
    found.push_back(compare(each.values, groups, *each.statistic, own));
  }
  return found;
}

}  // namespace bootfold
