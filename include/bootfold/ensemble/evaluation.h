// bootfold/ensemble/evaluation.h: scores of predictions against the truth.
//
//     auto prediction = ensemble.predict(table.view());
//     auto codes = ensemble::class_codes(ensemble.frame(), truth);
//     auto scores = ensemble::evaluate_classes(prediction, codes);
//     scores.accuracy; scores.calibration_error;
//
// Rows that no member predicts (an out-of-bag prediction may have some) are left out and counted.
// Sums run from the first row to the last. With weights, all means, shares and sums are weighted;
// the numbers of rows are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"
#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// The rows whose highest probability lies in (low, high]. Confidence and accuracy are NaN if there
/// are none or if all have weight 0.
struct ReliabilityBin {
  double low = 0;
  double high = 1;
  std::uint64_t rows = 0;
  double confidence = Member::kUnknown;  ///< mean of the highest probability
  double accuracy = Member::kUnknown;    ///< share of the rows whose predicted class is true
};

/// Scores of class probabilities.
struct ClassScores {
  /// Bins of equal width from 0 to 1, for the reliability table and the calibration error.
  static constexpr std::size_t kBins = 15;

  std::uint64_t rows = 0;     ///< rows that were evaluated
  std::uint64_t unknown = 0;  ///< rows without a prediction, left out
  double accuracy = Member::kUnknown;
  /// Mean of -log(probability of the true class); probabilities below 1e-38 count as 1e-38.
  double negative_log_likelihood = Member::kUnknown;
  /// Mean squared distance to the truth, summed over the classes: from 0 to 2.
  double brier_score = Member::kUnknown;
  /// Expected calibration error: mean over rows of |confidence - accuracy| of their bin.
  double calibration_error = Member::kUnknown;
  std::vector<ReliabilityBin> reliability = {};
};

/// Scores of a predicted quantile.
struct QuantileScore {
  double quantile = 0;
  /// Mean of max(q e, (q - 1) e), where e is the target minus the prediction.
  double pinball_loss = Member::kUnknown;
  double below = Member::kUnknown;  ///< share of the targets that are at most the prediction
};

/// Scores of the predictions of one target. Scores that its loss does not have are NaN: quantiles
/// have pinball losses and coverage, targets of 0 and 1 have log loss, Brier score and accuracy.
struct TargetScores {
  Loss loss = Loss::squared_error;  ///< of the target
  std::uint64_t rows = 0;
  std::uint64_t unknown = 0;
  double root_mean_squared_error = Member::kUnknown;
  /// Coefficient of determination: 1 - sum of squared errors / sum of squares about the mean.
  double r_squared = Member::kUnknown;
  /// Mean, for normal distributions with the predicted mean and total standard deviation; infinite
  /// if a standard deviation is 0.
  double negative_log_likelihood = Member::kUnknown;
  double confidence = 0.95;  ///< of the intervals
  /// Method of the intervals; empty for targets without any and for the quantiles themselves.
  std::optional<IntervalMethod> interval = {};
  double coverage = Member::kUnknown;      ///< share of the rows inside their interval
  double mean_width = Member::kUnknown;    ///< of the intervals
  double pinball_loss = Member::kUnknown;  ///< mean over the quantiles
  std::vector<QuantileScore> quantiles = {};
  /// Mean of 2 (y log(y / rate) - y + rate), of rates.
  double poisson_deviance = Member::kUnknown;
  double log_loss = Member::kUnknown;     ///< of targets of 0 and 1; as of classes
  double brier_score = Member::kUnknown;  ///< mean of (y - probability)^2
  double accuracy = Member::kUnknown;     ///< of the more probable of 0 and 1
};

struct Limits {
  double low = Member::kUnknown;
  double high = Member::kUnknown;
};

/// Whether normal_intervals() of this ensemble tell where new targets lie. Members that are trained
/// on all rows leave none to estimate the noise from (leaves_rows_out()), so their deviations are
/// too small.
[[nodiscard]] BOOTFOLD_API bool has_normal_intervals(const Ensemble::Frame& frame) noexcept;

/// Prediction intervals for normally distributed targets, [row][target]: mean -+ z total.
[[nodiscard]] BOOTFOLD_API std::vector<Limits> normal_intervals(const Prediction& prediction,
                                                                double confidence = 0.95);

/// Prediction intervals of each target, [row][target]: normal_intervals(), on the transformed scale
/// if the target is transformed, so that limits are transformed back; of rates the quantiles of a
/// negative binomial distribution with the predicted mean and variance. NaN for targets of 0 and 1
/// and for quantiles, which are limits themselves.
[[nodiscard]] BOOTFOLD_API std::vector<Limits> prediction_intervals(const Ensemble::Frame& frame,
                                                                    const Prediction& prediction,
                                                                    double confidence = 0.95);

/// The classes of rows, numbered as in the ensemble. Throws DataError for a class that the ensemble
/// does not have.
[[nodiscard]] BOOTFOLD_API std::vector<std::uint32_t> class_codes(const Ensemble::Frame& frame,
                                                                  const data::Labels& classes);

/// Scores class probabilities. Throws InvalidArgument if the numbers of rows or classes differ, and
/// DataError for a weight that is negative or not finite.
[[nodiscard]] BOOTFOLD_API ClassScores
evaluate_classes(const Prediction& prediction, std::span<const std::uint32_t> truth,
                 const std::optional<ColumnView>& weights = std::nullopt);

/// Scores each target; the columns of `truth` are in the order of the targets. Throws as
/// evaluate_classes() does.
[[nodiscard]] BOOTFOLD_API std::vector<TargetScores> evaluate_targets(
    const Prediction& prediction, const DataView& truth, double confidence = 0.95,
    const std::optional<ColumnView>& weights = std::nullopt);

/// The same with the scores of each target's loss. Coverage is that of default_intervals()
/// (conformal.h). Without conformal scores that of quantiles is of the lowest and highest, whose
/// difference is then `confidence`. Throws DataError for a target that its loss cannot have.
[[nodiscard]] BOOTFOLD_API std::vector<TargetScores> evaluate_targets(
    const Ensemble::Frame& frame, const Prediction& prediction, const DataView& truth,
    double confidence = 0.95, const std::optional<ColumnView>& weights = std::nullopt);

}  // namespace bootfold::ensemble
