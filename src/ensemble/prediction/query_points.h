// Points at which every member predicts as soon as it is trained.
#pragma once

#include <vector>

#include "ensemble/prediction/point_blocks.h"
#include "ensemble/prediction/prediction_sums.h"

namespace bootfold::ensemble {

class QueryPoints {
 public:
  /// Throws InvalidArgument unless there are points with the columns of the frame.
  QueryPoints(const Ensemble::Frame& frame, const DataView& points, execution::Level level);

  /// Adds the predictions of a member to sums.
  void add(const Settings& settings, const std::vector<float>& parameters,
           PredictionSums& sums) const;

  /// Writes the predictions of a member to out[point][output]: probabilities, or targets in their
  /// own units.
  void predict_into(const Settings& settings, const std::vector<float>& parameters,
                    double* out) const;

 private:
  const Ensemble::Frame& frame_;
  Heads heads_;
  const simd::Kernels& kernels_;
  PointBlocks points_;
};

}  // namespace bootfold::ensemble
