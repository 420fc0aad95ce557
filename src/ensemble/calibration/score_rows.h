// Conformal scores of predictions whose truth is known.
#pragma once

#include <cstdint>
#include <vector>

#include "bootfold/ensemble/conformal.h"
#include "ensemble/heads.h"

namespace bootfold::ensemble {

/// The scale on which intervals of a target are symmetric: that of the target, or that of its
/// transform where the inverse reaches all targets (log, and yeo_johnson).
class IntervalScale {
 public:
  /// The head must outlive it.
  explicit IntervalScale(const Head& head);

  [[nodiscard]] double center(const Prediction& prediction, std::size_t at) const;
  [[nodiscard]] double deviation(const Prediction& prediction, std::size_t at) const;
  /// The distance of a target from the center; infinite if no limits would reach it.
  [[nodiscard]] double residual(double target, double center) const;
  /// All targets whose residual is at most `half`.
  [[nodiscard]] Limits limits(double center, double half) const;

 private:
  const Head& head_;
  bool transformed_;
  bool positive_;  // it has no negative values, so limits need none either
};

/// Collects the scores of examples, part by part.
class ScoreCollector {
 public:
  /// The arguments must outlive it. Throws DataError for a class that the ensemble does not have,
  /// InvalidArgument for examples that lack classes or targets.
  ScoreCollector(const Ensemble::Frame& frame, const Examples& examples);

  /// Predictions of the examples from `first` on. Rows that no member predicts are left out, which
  /// depends on draws alone, and so are rows of weight 0.
  void add(const Prediction& prediction, std::size_t first);
  [[nodiscard]] ConformalScores finish(ScoreRows rows);

 private:
  void add_class(const Prediction& prediction, std::size_t row, std::uint32_t truth);
  void add_target(const Prediction& prediction, std::size_t row, std::size_t target, double truth);

  const Examples& examples_;
  Heads heads_;
  std::vector<std::uint32_t> codes_;            // classes as in the ensemble
  std::vector<std::vector<double>> residuals_;  // [target]
  std::vector<std::vector<double>> scaled_;
};

/// Throws InvalidArgument unless these can be the scores of an ensemble: an order of equally many
/// rows for each target that has such scores.
void check_scores(const Ensemble::Frame& frame, const ConformalScores& scores);

/// [class]: the probability of the classes that are at least as probable; among equals the first
/// class comes first.
[[nodiscard]] std::vector<double> cumulated(const double* probabilities, std::size_t classes);

}  // namespace bootfold::ensemble
