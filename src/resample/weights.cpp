#include "resample/weights.h"

#include <algorithm>

#include "random/counter.h"

namespace bootfold::resample {

namespace {

/// Rows whose weights come from one lane stream; part of the definition of a weight.
constexpr std::uint64_t kLaneRows = 65536;

}  // namespace

void BayesianWeights::next(std::size_t rows, std::uint32_t* weights) {
  while (rows > 0) {
    if (row_ % kLaneRows == 0)
      kernels_->seed(
          random::lane_counter({seed_, replicate_, random::Purpose::dirichlet}, row_ / kLaneRows),
          lanes_);
    const auto some =
        static_cast<std::size_t>(std::min<std::uint64_t>(rows, kLaneRows - row_ % kLaneRows));
    kernels_->weights(lanes_, some, weights);
    row_ += some;
    weights += some;
    rows -= some;
  }
}

}  // namespace bootfold::resample
