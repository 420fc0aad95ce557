// Transforms of targets, fitted to the training rows.
#pragma once

#include <span>
#include <vector>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Fits a transform to the values of a target.
[[nodiscard]] FittedTransform fit_transform(TargetTransform kind, std::span<const double> values);

/// The targets of a view after their transforms, one column after the other.
[[nodiscard]] std::vector<std::vector<double>> transformed_targets(
    const DataView& targets, const std::vector<FittedTransform>& transforms);

/// Throws DataError for a target that its loss or transform cannot take: 0 and 1 for binary, not
/// negative for poisson, positive for log. The message names row, value and remedy.
void check_target_values(const DataView& targets, std::size_t target, Loss loss,
                         TargetTransform transform);

}  // namespace bootfold::ensemble
