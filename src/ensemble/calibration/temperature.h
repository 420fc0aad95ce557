// Temperature scaling of class probabilities.
#pragma once

#include <cstddef>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Throws InvalidArgument unless the temperature is positive and finite.
void check_temperature(double temperature);

/// Raises the probabilities of a row to the power 1 / temperature and normalizes them; the
/// uncertainties follow. A row that no member predicts is not changed.
void apply_temperature(Prediction& prediction, std::size_t row, double temperature);

}  // namespace bootfold::ensemble
