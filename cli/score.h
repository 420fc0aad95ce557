// cli/score.h: how good predicted probabilities are.
#pragma once

#include "bootfold/data.h"
#include "bootfold/ensemble.h"

namespace bootfold::cli {

/// Rows of which no member spoke are left out.
struct Score {
  double accuracy = 0;
  double negative_log_likelihood = 0;  ///< mean, of the true classes
  double brier_score = 0;  ///< mean squared distance from the true classes, summed over classes
  /// How far confidence is from accuracy: mean over 15 bins (low, high] of equal width of the likeliest class's
  /// probability, weighted by their rows.
  double calibration_error = 0;
};

[[nodiscard]] Score score(const ensemble::Prediction& said, const data::Labels& truth);

}  // namespace bootfold::cli
