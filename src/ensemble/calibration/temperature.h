// How sure what was said of classes is to sound.
#pragma once

#include <cstddef>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Throws InvalidArgument unless it is above 0 and finite.
void check_temperature(double temperature);

/// Raises the probabilities of a row to 1 / temperature; uncertainties follow. A row of which
/// nobody spoke stays as it is.
void temper(Prediction& said, std::size_t row, double temperature);

}  // namespace bootfold::ensemble
