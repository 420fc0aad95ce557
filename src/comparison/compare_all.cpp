// Several statistics and values: one comparison for each.
#include <utility>

#include "bootfold/compare.h"
#include "bootfold/error.h"
#include "comparison/rows.h"
#include "text/concat.h"

namespace bootfold {

namespace {

/// A statistic and the columns that it sees.
struct Comparand {
  const Statistic* statistic;
  DataView values;
};

std::vector<Comparand> comparands(const DataView& values, std::span<const Statistic> statistics) {
  std::vector<Comparand> all;
  for (const Statistic& statistic : statistics) {
    const std::size_t weights = statistic.weighted() ? 1 : 0;
    const bool named = !statistic.columns().empty();  // compare() finds the columns
    if (named || !statistic.of_each_column() || values.columns() <= 1 + weights) {
      all.push_back({&statistic, values});
      continue;
    }
    for (std::size_t c = 0; c + weights < values.columns(); ++c) {
      std::vector<std::size_t> own = {c};
      if (statistic.weighted()) own.push_back(values.columns() - 1);
      all.push_back({&statistic, comparison::columns_of(values, own)});
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
