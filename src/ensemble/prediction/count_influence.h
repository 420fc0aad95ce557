// What single rows do to replicates, told from the replicates themselves.
#pragma once

#include <span>
#include <vector>

#include "bootfold/influence.h"
#include "ensemble/training/pack_trainer.h"

namespace bootfold::ensemble {

/// The influence of each row on each output: its count in a resample and the replicate go together
/// as far as the row moves the value (the infinitesimal jackknife of Efron 2014). Replicate k is
/// that of member training.first_member + k, with the first settings; those that are not numbers
/// are left out. What Monte Carlo noise adds to the second moment is taken off again. Where the
/// noise would move the limits of a BCa interval by more than a tenth of a standard error, the
/// influence is not usable and says how many members would do.
[[nodiscard]] std::vector<Influence> count_influences(const Run& run,
                                                      std::span<const double> estimates,
                                                      std::span<const double> replicates);

}  // namespace bootfold::ensemble
