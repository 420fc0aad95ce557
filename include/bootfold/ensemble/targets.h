// bootfold/ensemble/targets.h: transforms of targets, and what is predicted for each target.
//
//     Training training{.loss = Loss::pinball, .quantiles = {0.05, 0.5, 0.95}};
//     training.target_transforms = {TargetTransform::log};
//     auto model = ensemble::train(examples, training);
//     auto prediction = model.predict(new_rows);
//     prediction.mean[3 * 3 + 1];   // the median of row 3, in the units of the target
//
// A transform is fitted to the training rows, stored with the ensemble and inverted in predictions:
// each member's prediction is transformed back before the mean over members is taken.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/api.h"

namespace bootfold::ensemble {

enum class Loss;  // training.h

/// A transform of a target before it is standardized.
enum class TargetTransform {
  none,
  log,          ///< the natural logarithm, of positive targets
  yeo_johnson,  ///< the power transform of Yeo and Johnson, for targets of any sign
  quantile,     ///< to a normal distribution, by the quantiles of the training rows
};

/// A transform that was fitted to the training rows. It is strictly increasing between `least` and
/// `most`, so quantiles and limits of intervals transform back by applying inverse().
struct BOOTFOLD_API FittedTransform {
  /// Knots of a quantile transform: the quantiles at 1000 probabilities, the minimum and maximum;
  /// or all values if there are fewer.
  static constexpr std::size_t kMostKnots = 1002;

  TargetTransform kind = TargetTransform::none;
  double lambda = 1;              ///< yeo_johnson: the power, with the highest likelihood
  double least = 0;               ///< smallest target of the training rows
  double most = 0;                ///< largest target of the training rows
  std::vector<double> from = {};  ///< quantile: knots, ascending values of the target
  std::vector<double> to = {};    ///< quantile: the normal scores of the knots, ascending

  /// The transformed target. NaN for a value that cannot be transformed (log of 0 or less).
  [[nodiscard]] double operator()(double target) const noexcept;
  /// The target of a transformed value. Results of quantile lie within the training targets;
  /// those of yeo_johnson exceed them by at most their range, because the inverse is not defined
  /// everywhere.
  [[nodiscard]] double inverse(double transformed) const noexcept;
  /// The logarithm of the derivative at a target, for densities; NaN for quantile, whose density
  /// the knots do not tell.
  [[nodiscard]] double log_slope(double target) const noexcept;

  bool operator==(const FittedTransform&) const = default;
};

/// The columns of Prediction::mean that belong to a target.
struct TargetColumns {
  Loss loss;          ///< of the target
  std::size_t first;  ///< column
  std::size_t count;  ///< 1, or the number of quantiles
};

/// The name as users write it: "none", "log", "yeo-johnson", "quantile", and its value; throws
/// InvalidArgument, which lists the names.
[[nodiscard]] BOOTFOLD_API std::string_view name(TargetTransform transform) noexcept;
[[nodiscard]] BOOTFOLD_API TargetTransform parse_target_transform(std::string_view name);

}  // namespace bootfold::ensemble
