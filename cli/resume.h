// cli/resume.h: a training that goes on from the members of a model file.
#pragma once

#include <string>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/training_plan.h"

namespace bootfold::cli {

/// The ensemble of a model file from which `training` goes on. Throws InvalidArgument with what
/// differs if inputs, targets, rows, seed, resampling, loss or settings are others than those of
/// the file, or if the file has not the first members with each of the settings.
[[nodiscard]] ensemble::Ensemble load_members(const std::string& path,
                                              const ensemble::Examples& examples,
                                              const ensemble::Training& training,
                                              const ensemble::TrainingPlan& plan);

/// Trains the first member with each of the settings again. Throws InvalidArgument unless the file
/// has the same to the bit: so nothing differs that a model file does not store, such as targets,
/// weights and the length of the training.
void check_first_members(const std::string& path, const ensemble::Ensemble& earlier,
                         const ensemble::Examples& examples, ensemble::Training training);

}  // namespace bootfold::cli
