// Points that every member of a run is asked about as soon as it is trained.
#pragma once

#include <vector>

#include "ensemble/training/out_of_bag.h"

namespace bootfold::ensemble {

class Asked {
 public:
  /// Throws InvalidArgument unless there are points with the columns of the frame.
  Asked(const Ensemble::Frame& frame, const DataView& points, execution::Level level);

  /// Adds what a member says to sums.
  void add(const Settings& settings, const std::vector<float>& parameters, Folds& sums) const;

  /// What a member says: probabilities, or targets in their units, to out[point][answer].
  void tell(const Settings& settings, const std::vector<float>& parameters, double* out) const;

 private:
  const Ensemble::Frame& frame_;
  const simd::Kernels& kernels_;
  Points points_;
};

}  // namespace bootfold::ensemble
