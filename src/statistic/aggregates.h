// statistic/aggregates.h: the functions over all rows that expressions know.
#pragma once

#include "expression/parser.h"

namespace bootfold::statistic {

[[nodiscard]] const expression::Aggregates& aggregates();

}  // namespace bootfold::statistic
