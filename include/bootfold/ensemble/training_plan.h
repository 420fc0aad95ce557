// bootfold/ensemble/training_plan.h: what a training will do, before it starts.
//
//     const TrainingPlan plan = ensemble::plan(examples, training);
//     plan.settings[0].steps;   // of every member, without early stopping
//     plan.explain();           // "20,000 rows, 8 inputs (56 encoded); 100 networks 56-32-2 ..."
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/training.h"

namespace bootfold::ensemble {

/// What a training will do. Automatic options have the values that the rows give them.
struct BOOTFOLD_API TrainingPlan {
  /// What members with the same settings do.
  struct Networks {
    Settings settings;                ///< without automatic values
    std::vector<std::size_t> layers;  ///< units: inputs, hidden layers, outputs
    std::size_t parameters = 0;       ///< of one member
    std::size_t batch_rows = 0;
    std::uint64_t steps = 0;        ///< of one member, without early stopping
    std::uint64_t validations = 0;  ///< of one member, at most; 0: no early stopping
    bool alone = false;             ///< whether a member is trained by itself, as large ones are
  };
  std::size_t rows = 0;
  std::size_t inputs = 0;   ///< input columns
  std::size_t encoded = 0;  ///< inputs of the networks
  std::size_t members = 0;  ///< with each of the settings
  std::size_t share = 0;    ///< members of a group that shares weights; 0: independent members
  std::vector<Networks> settings = {};
  std::size_t patience = 0;  ///< of early stopping; 0: none
  /// Estimated time without early stopping, in seconds. Rough: the speed of the processor is not
  /// measured.
  double seconds = 0;

  /// One line for people.
  [[nodiscard]] std::string explain() const;
};

/// The plan of train(examples, training). Reads no inputs. Throws what train() throws for invalid
/// options.
[[nodiscard]] BOOTFOLD_API TrainingPlan plan(const Examples& examples, const Training& training);

}  // namespace bootfold::ensemble
