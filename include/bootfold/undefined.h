// bootfold/undefined.h: why a statistic that is an expression has no value.
//
//     auto result = bootstrap(rows, statistic::expression("mean(a) / (mean(b) - 1)"), options);
//     if (std::isnan(result.estimate())) why_undefined(rows, "mean(a) / (mean(b) - 1)");
//
// This is "a division by 0: mean(b) - 1 is 0".
#pragma once

#include <string>
#include <string_view>

#include "bootfold/api.h"
#include "bootfold/data.h"

namespace bootfold {

/// The first operation of an expression that is undefined on these rows, in words; empty if there
/// is none. `rows` have the columns of the expression (Statistic::columns()). Takes as long as the
/// values of its parts. Throws InvalidArgument for what is no expression.
[[nodiscard]] BOOTFOLD_API std::string why_undefined(const DataView& rows,
                                                     std::string_view expression);

}  // namespace bootfold
