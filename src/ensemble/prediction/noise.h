// The noise of the targets of a regression.
#pragma once

#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/heads.h"

namespace bootfold::ensemble {

/// Total standard deviation from the deviation between members and the variance of the noise.
[[nodiscard]] double total_deviation(double epistemic, double noise) noexcept;

/// Sets the aleatoric and total deviations of a prediction, given the variance of the noise. That
/// of a transformed target is on the transformed scale, where the deviation of the members is
/// known: the aleatoric deviation is then half the distance between the targets one standard
/// deviation below and above the mean.
void set_noise(const Head& head, std::size_t at, double noise, Prediction& prediction);

/// Noise variance of each target with loss squared_error or huber, 0 for others: the mean squared
/// out-of-bag residual, less the variance of the mean of the members. On the transformed scale for
/// transformed targets.
[[nodiscard]] std::vector<double> noise_of(const Heads& heads, const Prediction& out_of_bag,
                                           const DataView& targets);

/// Estimates the noise, stores it in the frame and adds it to the out-of-bag prediction. Does
/// nothing if no target has such a loss.
void estimate_noise(Ensemble::Frame& frame, const DataView& targets, Prediction& out_of_bag);

}  // namespace bootfold::ensemble
