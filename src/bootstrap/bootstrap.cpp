// The public calls: both walk the same roads.
#include "bootfold/bootstrap.h"

#include "bootstrap/assembly.h"

namespace bootfold {

Plan plan(const DataView& data, std::span<const Statistic> statistics, const Options& options) {
  return Assembly(data, statistics, options).plan();
}

Plan plan(const DataView& data, const Statistic& statistic, const Options& options) {
  return plan(data, std::span<const Statistic>(&statistic, 1), options);
}

Result bootstrap(const DataView& data, std::span<const Statistic> statistics,
                 const Options& options) {
  return Assembly(data, statistics, options).run();
}

Result bootstrap(const DataView& data, const Statistic& statistic, const Options& options) {
  return bootstrap(data, std::span<const Statistic>(&statistic, 1), options);
}

}  // namespace bootfold
