// Cumulants that several schemes share.
#pragma once

#include <span>

#include "resample/design.h"

namespace bootfold::resample {

/// Of `draws` independent draws, row i with probability weights[i] / sum of the weights; empty:
/// all rows alike.
[[nodiscard]] Cumulants cumulants_of_draws(std::span<const double> changes,
                                           std::span<const double> weights, double draws);

}  // namespace bootfold::resample
