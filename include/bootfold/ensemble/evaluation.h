// bootfold/ensemble/evaluation.h: how right an ensemble is, and how right it is about being right.
//
//     auto said = ensemble.predict(table.view());
//     auto scores = ensemble::evaluate_classes(said, ensemble::codes_of(ensemble.frame(), truth));
//     scores.accuracy; scores.calibration_error;
//
// Rows of which no member speaks (some may be in the bag of all) are left out and counted. All sums
// go from the first row to the last. Rows may have weights: then means, shares and sums are
// weighted, and only the numbers of rows are not.
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

/// Rows whose largest probability lies in (low, high], and how often the class was right. Without
/// rows, or where all have weight 0, confidence and accuracy are NaN.
struct ReliabilityBin {
  double low = 0;
  double high = 1;
  std::uint64_t rows = 0;
  double confidence = Member::kUnknown;  ///< mean of the largest probability
  double accuracy = Member::kUnknown;    ///< share of the rows where that class is true
};

/// Of probabilities against true classes.
struct ClassScores {
  /// Bins of equal width from 0 to 1 in the reliability table and the calibration error.
  static constexpr std::size_t kBins = 15;

  std::uint64_t rows = 0;     ///< judged
  std::uint64_t unknown = 0;  ///< left out
  double accuracy = Member::kUnknown;
  /// Mean of -log(probability of the true class), at least 1e-38 each.
  double negative_log_likelihood = Member::kUnknown;
  /// Mean of the squared distance to the truth, summed over all classes: from 0 to 2.
  double brier_score = Member::kUnknown;
  /// ECE: mean over rows of |confidence - accuracy| of their bin.
  double calibration_error = Member::kUnknown;
  std::vector<ReliabilityBin> reliability = {};
};

/// Of one target's means and standard deviations against true numbers.
struct TargetScores {
  std::uint64_t rows = 0;
  std::uint64_t unknown = 0;
  double root_mean_squared_error = Member::kUnknown;
  /// 1 - squared errors / squared distances of the truth from its own mean.
  double r_squared = Member::kUnknown;
  /// Mean of that of a normal law with the predicted mean and total standard deviation; infinite
  /// where a deviation is 0.
  double negative_log_likelihood = Member::kUnknown;
  double confidence = 0.95;              ///< asked for
  double coverage = Member::kUnknown;    ///< share of the rows inside their interval
  double mean_width = Member::kUnknown;  ///< of the intervals
};

struct Limits {
  double low = Member::kUnknown;
  double high = Member::kUnknown;
};

/// Where new values of a target lie with probability `confidence`, were they normal: mean -+ z
/// total, for [row][target].
[[nodiscard]] BOOTFOLD_API std::vector<Limits> normal_intervals(const Prediction& prediction,
                                                                double confidence = 0.95);

/// The classes of rows, numbered as the ensemble numbers them. Throws DataError for one that it has
/// not learned.
[[nodiscard]] BOOTFOLD_API std::vector<std::uint32_t> codes_of(const Ensemble::Frame& frame,
                                                               const data::Labels& classes);

/// Throws InvalidArgument where the numbers of rows or classes do not fit, and DataError for a
/// weight that is negative or no number.
[[nodiscard]] BOOTFOLD_API ClassScores
evaluate_classes(const Prediction& prediction, std::span<const std::uint32_t> truth,
                 const std::optional<ColumnView>& weights = std::nullopt);

/// One for each target; those of the truth in the same order.
[[nodiscard]] BOOTFOLD_API std::vector<TargetScores> evaluate_targets(
    const Prediction& prediction, const DataView& truth, double confidence = 0.95,
    const std::optional<ColumnView>& weights = std::nullopt);

}  // namespace bootfold::ensemble
