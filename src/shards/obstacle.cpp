// Which bootstraps can add up their rows in pieces.
#include <algorithm>
#include <variant>

#include "bootfold/shards.h"
#include "text/concat.h"

namespace bootfold::shards {
namespace {

bool adds_up(const Statistic& statistic) {
  const auto body = statistic.bind(statistic.fewest_columns()).body;
  if (std::holds_alternative<statistic::Sums>(body)) return true;
  return std::holds_alternative<statistic::Order>(body);
}

}  // namespace

std::string obstacle(std::span<const Statistic> statistics, const Options& options) {
  if (!std::holds_alternative<scheme::Iid>(options.scheme) &&
      !std::holds_alternative<scheme::Poisson>(options.scheme))
    return text::concat("scheme ", name(options.scheme), " needs all rows in one place");
  if (options.influence) return "BCa and ABC intervals need all rows in one place";
  if (options.standard_errors) return "studentized intervals need all rows in one place";
  if (!std::ranges::all_of(statistics, adds_up))
    return "only functions of sums and quantiles are added up in pieces";
  return {};
}

}  // namespace bootfold::shards
