// Influence of rows, estimated from the replicates of a bootstrap.
#pragma once

#include <span>
#include <vector>

#include "bootfold/influence.h"
#include "ensemble/training/training_context.h"

namespace bootfold::ensemble {

/// The influence of each row on each output, from the covariance of the row's count in a resample
/// with the replicate (the infinitesimal jackknife of Efron 2014). Replicate k is that of member
/// training.first_member + k with the first settings; replicates that are not finite are left out.
/// The second moment is corrected for Monte Carlo noise. If the noise would move a limit of a BCa
/// interval by more than a tenth of a standard error, the influence is not usable, and its problem
/// names the number of members that would suffice.
[[nodiscard]] std::vector<Influence> count_influences(const TrainingContext& context,
                                                      std::span<const double> estimates,
                                                      std::span<const double> replicates);

}  // namespace bootfold::ensemble
