// bootfold/ensemble/scores.h: conformal scores that an ensemble keeps, to make intervals and sets
// with stated coverage without the rows that they come from.
//
//     auto model = ensemble::train(examples, training);
//     model.frame().conformal.residuals[0].limit(0.9);   // 90 % of new residuals are at most this
//
// A score tells how far the truth is from a prediction, for a row that the predicting members were
// not trained on. Of n scores only their order matters, so that a few thousand of them are enough
// (docs/ensemble-intervals.md).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bootfold/api.h"

namespace bootfold::ensemble {

/// The rows that scores come from.
enum class ScoreRows {
  none,        ///< there are no scores
  out_of_bag,  ///< training rows, each predicted by the members that were not trained on it
  held_out,    ///< validation rows, predicted by all members
};

/// Methods of prediction intervals. The first two are conformal.
enum class IntervalMethod {
  conformal,  ///< mean -+ a quantile of residuals
  scaled,     ///< mean -+ a quantile of residuals divided by the total deviation, times it
  normal,     ///< mean -+ z total, of normal noise
};

/// Methods of prediction sets.
enum class SetMethod {
  threshold,  ///< the classes whose probability is high enough
  adaptive,   ///< the most probable classes, up to a sum
};

/// The order statistics of n scores: all of them up to kAll, and above that those at kept_ranks().
struct BOOTFOLD_API ScoreOrder {
  static constexpr std::uint64_t kAll = 4096;

  std::uint64_t rows = 0;           ///< n
  std::vector<double> values = {};  ///< ascending; infinite for rows that cannot be judged

  /// NaN counts as infinite.
  [[nodiscard]] static ScoreOrder of(std::vector<double> scores);

  /// The ceil(confidence (n + 1))-th smallest score; infinite if there are fewer scores. If it is
  /// not kept, the next larger one that is, which covers up to (1 - confidence) / 256 more. Throws
  /// InvalidArgument for a confidence that is not above 0 and below 1.
  [[nodiscard]] double limit(double confidence) const;

  bool operator==(const ScoreOrder&) const = default;
};

/// Ascending ranks, from 1 to rows. Of more than ScoreOrder::kAll rows the largest 256, and below
/// these ranks whose distances to rows + 1 grow by at most a 256th: about 256 log(rows / 53).
[[nodiscard]] BOOTFOLD_API std::vector<std::uint64_t> kept_ranks(std::uint64_t rows);

/// Scores of all targets, or of the class.
struct ConformalScores {
  ScoreRows rows = ScoreRows::none;
  /// Of each target: |target - mean|; how far it is outside of the lowest and highest quantile,
  /// negative inside (pinball); 1 - probability of the true value (binary). For classes one entry:
  /// 1 - probability of the true class. Residuals of targets with transform log or yeo_johnson are
  /// on the transformed scale.
  std::vector<ScoreOrder> residuals = {};
  /// Of each target: the residual over the total standard deviation; without rows for pinball and
  /// binary. For classes one entry: the probability of the classes that are at least as probable.
  std::vector<ScoreOrder> scaled = {};

  bool operator==(const ConformalScores&) const = default;
};

/// The name as users write it: "conformal", "scaled", "normal"; "threshold", "adaptive";
/// "out_of_bag", ...
[[nodiscard]] BOOTFOLD_API std::string_view name(IntervalMethod method) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(SetMethod method) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(ScoreRows rows) noexcept;

/// The value of a name. Throws InvalidArgument, which lists the names.
[[nodiscard]] BOOTFOLD_API IntervalMethod parse_interval_method(std::string_view name);
[[nodiscard]] BOOTFOLD_API SetMethod parse_set_method(std::string_view name);
[[nodiscard]] BOOTFOLD_API ScoreRows parse_score_rows(std::string_view name);

}  // namespace bootfold::ensemble
