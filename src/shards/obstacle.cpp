// Which bootstraps can add up their rows in pieces.
#include <algorithm>
#include <variant>

#include "bootfold/shards.h"
#include "text/concat.h"

namespace bootfold::shards {
namespace {

template <class Family>
bool all_are(std::span<const Statistic> statistics) {
  return std::all_of(statistics.begin(), statistics.end(), [](const Statistic& statistic) {
    return std::holds_alternative<Family>(statistic.bind(statistic.fewest_columns()).body);
  });
}

}  // namespace

std::string obstacle(std::span<const Statistic> statistics, std::size_t columns,
                     const Options& options) {
  if (!std::holds_alternative<scheme::Iid>(options.scheme) &&
      !std::holds_alternative<scheme::Poisson>(options.scheme))
    return text::concat("scheme ", name(options.scheme), " needs all rows in one place");
  if (options.influence) return "BCa and ABC intervals need all rows in one place";
  if (options.standard_errors) return "studentized intervals need all rows in one place";
  if (!all_are<statistic::Sums>(statistics) &&
      !(all_are<statistic::Order>(statistics) && columns <= 1))
    return "only functions of sums, or quantiles of one column, are added up in pieces";
  return {};
}

}  // namespace bootfold::shards
