// Values of a training that its options leave open, chosen by the number of rows.
#pragma once

#include <cstddef>

#include "bootfold/ensemble/training.h"

namespace bootfold::ensemble {

/// The training with learning rates, schedules, batch sizes and patience filled in. What follows
/// from these for each of the settings, step_count() and validation_steps() (training_context.h)
/// compute. Depends on the options and the number of rows alone, so that all workers of a cluster
/// choose alike.
[[nodiscard]] Training with_defaults(Training training, std::size_t rows);

}  // namespace bootfold::ensemble
