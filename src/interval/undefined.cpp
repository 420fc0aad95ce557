#include "bootfold/undefined.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "statistic/partial.h"
#include "text/concat.h"

namespace bootfold {
namespace {

/// The value of an expression of aggregates on these rows; none of what has no aggregate.
std::optional<double> value_on(const DataView& rows, const std::string& expression) {
  double number = 0;
  const char* end = expression.data() + expression.size();
  if (std::from_chars(expression.data(), end, number).ptr == end) return number;
  try {
    return bootstrap(rows, statistic::expression(expression), {.replicates = 1}).estimate();
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

}  // namespace

std::string why_undefined(const DataView& rows, std::string_view expression) {
  using Rule = statistic::Partial::Rule;
  for (const statistic::Partial& each : statistic::partial_operations(expression)) {
    const std::optional<double> value = value_on(rows, each.value);
    if (!value) continue;
    switch (each.rule) {
      case Rule::aggregate:
        if (std::isnan(*value)) return text::concat(each.value, " is undefined on these rows");
        break;
      case Rule::not_zero:
        if (*value == 0)
          return each.value == "0" ? std::string(each.operation)
                                   : text::concat(each.operation, ": ", each.value, " is 0");
        break;
      case Rule::not_negative:
        if (*value < 0) return text::concat(each.operation, ": ", each.value, " is ", *value);
        break;
    }
  }
  return {};
}

}  // namespace bootfold
