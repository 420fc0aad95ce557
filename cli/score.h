// cli/score.h: how good predicted probabilities are.
#pragma once

#include "bootfold/data.h"
#include "bootfold/ensemble.h"

namespace bootfold::cli {

/// Rows of which no member spoke are left out.
struct Score {
  double accuracy = 0;
  double log_loss = 0;  ///< mean negative log-likelihood of the true classes
  double brier = 0;     ///< mean squared distance from the true classes, summed over classes
  /// How far confidence is from accuracy: mean over 15 bins of equal width of the likeliest class's
  /// probability, weighted by their rows.
  double calibration_error = 0;
};

[[nodiscard]] Score score(const ensemble::Prediction& said, const data::Labels& truth);

}  // namespace bootfold::cli
