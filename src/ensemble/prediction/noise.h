// The noise of the targets of a regression.
#pragma once

#include <vector>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Total standard deviation from the deviation between members and the variance of the noise.
[[nodiscard]] double total_deviation(double epistemic, double noise) noexcept;

/// Noise variance of each target: the mean squared out-of-bag residual, less the variance of the
/// mean of the members.
[[nodiscard]] std::vector<double> noise_of(const Prediction& out_of_bag, const DataView& targets);

/// Estimates the noise, stores it in the frame and adds it to the out-of-bag prediction. Does
/// nothing if the networks predict a variance themselves, or for classes.
void estimate_noise(Ensemble::Frame& frame, const DataView& targets, Prediction& out_of_bag);

}  // namespace bootfold::ensemble
