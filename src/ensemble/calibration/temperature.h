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

/// The same of one column, a probability of 1.
void apply_binary_temperature(Prediction& prediction, std::size_t row, std::size_t column,
                              double temperature);

/// The entropy of a probability and of that of the opposite, in nats.
[[nodiscard]] double binary_entropy(double probability);

}  // namespace bootfold::ensemble
