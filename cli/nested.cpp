#include "nested.h"

#include <fmt/format.h>

#include <algorithm>

#include "bootfold/bootstrap.h"
#include "console.h"
#include "text.h"
#include "timer.h"

namespace bootfold::cli {

bool is_nested(std::span<const Statistic> statistics, const Options& options) {
  const bool formulas_hold = facts(options.scheme).formula;
  return options.standard_errors &&
         std::any_of(statistics.begin(), statistics.end(), [&](const Statistic& statistic) {
           return !formulas_hold || statistic.standard_error() == nullptr;
         });
}

double measure_nested(const DataView& data, std::span<const Statistic> statistics,
                      Options options) {
  constexpr double kLongEnough = 0.1;
  const std::uint64_t all = options.replicates;
  options.influence = false;
  options.execution.progress = {};
  for (std::uint64_t tried = 2 * execution::thread_count(options.execution);; tried *= 4) {
    options.replicates = std::min(tried, all);
    const Timer timer;
    static_cast<void>(bootstrap(data, statistics, options));
    const double seconds = timer.seconds();
    if (seconds >= kLongEnough || options.replicates == all)
      return seconds * static_cast<double>(all) / static_cast<double>(options.replicates);
  }
}

void announce_nested(double seconds, std::uint64_t nested_replicates) {
  constexpr double kWorthSaying = 2;
  if (seconds < kWorthSaying) return;
  complain(fmt::format(
      "studentized: every resample is bootstrapped {} times, which takes about {} (measured on a "
      "few)",
      nested_replicates, duration(seconds)));
}

}  // namespace bootfold::cli
