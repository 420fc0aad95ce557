// Functions of the resample as functions of rows with weights.
#pragma once

#include <optional>

#include "bootfold/statistic.h"

namespace bootfold::statistic {

/// The same statistic of rows whose last column holds weights. None: it is a function of the user's
/// own, which does not take weights.
[[nodiscard]] std::optional<Call> weighted_call(const Call& call);

}  // namespace bootfold::statistic
