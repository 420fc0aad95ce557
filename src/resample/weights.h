// Exponential weights of rows: the Bayesian bootstrap.
//
// Independent exponential weights over their sum are a draw of the flat Dirichlet distribution. A
// weight is an odd integer (random/simd/kernels.h), so that sums of weights are exact.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bootfold/execution.h"
#include "random/simd/kernels.h"

namespace bootfold::resample {

/// The weights of one replicate, in the order of the rows.
class BayesianWeights {
 public:
  BayesianWeights(execution::Level level, std::uint64_t seed, std::uint64_t replicate)
      : kernels_(&random::simd::kernels(level)), seed_(seed), replicate_(replicate) {}

  /// The weights of the next rows: a multiple of 16, or all that are left. Those behind them up to
  /// the next multiple of 16 are set to 0.
  void next(std::size_t rows, std::uint32_t* weights);

 private:
  const random::simd::Kernels* kernels_;
  std::uint64_t seed_;
  std::uint64_t replicate_;
  std::uint64_t row_ = 0;
  random::simd::LaneState lanes_;
};

}  // namespace bootfold::resample
