#include "paths/entry.h"

#include <algorithm>

#include "resample/overloaded.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::paths {

std::string no_way_for(const resample::Design& design) {
  return text::concat("it does not support scheme '", design.name(), "'");
}

bool of_counts(const study::Problem& problem) {
  return std::all_of(problem.parts.begin(), problem.parts.end(), [](const study::Part& part) {
    return std::visit(overloaded{
                          [](const statistic::Sums&) { return true; },
                          [](const statistic::Order&) { return true; },
                          [](const statistic::Fold&) { return false; },
                          [](const statistic::Call& call) { return call.trimmed.has_value(); },
                      },
                      part.bound.body);
  });
}

std::string rows_and_features(const Question& question, std::size_t features) {
  if (features == 0) return text::concat(text::grouped(question.rows), " rows: ");
  return text::concat(text::grouped(question.rows), " rows, ", features,
                      features == 1 ? " feature: " : " features: ");
}

void describe_arithmetic(const study::FixedSums& sums, Estimate& estimate) {
  if (sums.features() == 0) return;
  const std::size_t fewest = sums.fewest_digits();
  const std::size_t most = sums.most_digits();
  estimate.digits = static_cast<int>(most);
  estimate.sum_error = sums.error();
  estimate.arithmetic =
      fewest == most
          ? text::concat("fixed point, ", most, most == 1 ? " digit" : " digits", " base 256")
          : text::concat("fixed point, ", fewest, " to ", most, " digits base 256");
}

Size size_of(const Question& question) {
  Size size;
  size.rows = static_cast<double>(question.rows);
  size.draws = static_cast<double>(question.draws);
  size.columns = static_cast<double>(question.problem().data.columns());
  size.features = static_cast<double>(question.problem().features.count());
  size.planes = 4 * size.features;  // until it is known
  return size;
}

}  // namespace bootfold::paths
