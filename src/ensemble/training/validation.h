// Validation of members on rows that are set aside for it.
#pragma once

#include <vector>

#include "ensemble/selection/held_out_record.h"
#include "ensemble/training/training_context.h"
#include "ensemble/training/work_schedule.h"

namespace bootfold::ensemble {

/// The validation rows, with classes numbered as in the ensemble. Throws InvalidArgument and
/// DataError for rows that do not fit the frame.
[[nodiscard]] TrainingMatrix validation_matrix(const Examples& validation,
                                               const Ensemble::Frame& frame);

/// Computes the loss of members on the validation rows of a training.
class Validation {
 public:
  explicit Validation(const TrainingContext& context) : context_(context) {}

  /// Adds what the member predicts to `recorder` if there is one.
  [[nodiscard]] double loss(const Job& job, const std::vector<float>& parameters,
                            HeldOutRecorder* recorder = nullptr) const;

 private:
  const TrainingContext& context_;
};

}  // namespace bootfold::ensemble
