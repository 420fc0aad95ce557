// Rows that judge every member of a run, whatever it learned from.
#pragma once

#include <vector>

#include "ensemble/training/out_of_bag.h"
#include "ensemble/training/work_schedule.h"

namespace bootfold::ensemble {

/// Such rows as the kernels read them, with classes in the ensemble's numbers. Throws
/// InvalidArgument and DataError for what does not fit the frame.
[[nodiscard]] Table validation_table(const Examples& validation, const Ensemble::Frame& frame);

/// Asks members about the validation rows of a run.
class Validation {
 public:
  explicit Validation(const Run& run);

  /// The loss of a member.
  [[nodiscard]] double loss(const Job& job, const std::vector<float>& parameters) const;

 private:
  const Run& run_;
  Points points_;
};

}  // namespace bootfold::ensemble
