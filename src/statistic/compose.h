// statistic/compose.h: a statistic that is computed from the values of others.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bootfold/statistic.h"

namespace bootfold::statistic {

/// The statistic `finish` of the values of all terms. If all terms are functions of sums, or all
/// are functions of quantiles of one column, it is a statistic of the same family; otherwise it is
/// a function of the resample that has a formula (Statistic::formula()).
///
/// `columns` is the number of columns that terms refer to. `output` names the value.
[[nodiscard]] Statistic compose(std::string name, std::string output, std::size_t columns,
                                std::shared_ptr<const Formula> formula);

}  // namespace bootfold::statistic
