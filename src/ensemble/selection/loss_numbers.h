// The loss of an ensemble at a row, as a function of means over its members.
#pragma once

#include <cstddef>

#include "ensemble/prediction/prediction_sums.h"

namespace bootfold::ensemble {

/// What a member predicts of a row in as few numbers as the loss of an ensemble needs, which is a
/// function of their mean over the members: the probability of the true class (or of the true one
/// of 0 and 1); rates; mean and second moment (gaussian); otherwise the outputs of the network.
/// Targets are scaled and transformed, as in training.
class LossNumbers {
 public:
  /// The heads must outlive it.
  explicit LossNumbers(const Heads& heads);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Writes the numbers of the member whose prediction is the last in `sums`, at a point.
  /// `targets` are those of the row; of classes the number of the class.
  void write(const BlockSums& sums, std::size_t point, const float* targets, float* out) const;

  /// The loss of an ensemble whose means are these: that of the targets, averaged over them.
  [[nodiscard]] double loss(const double* means, const float* targets) const;

 private:
  const Heads& heads_;
  std::size_t size_;
};

}  // namespace bootfold::ensemble
