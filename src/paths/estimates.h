// The statistics on the data as they are.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/execution.h"
#include "resample/design.h"
#include "study/study.h"

namespace bootfold::paths {

/// All values, under the probabilities that the design gives the rows. Means come from the look at
/// the rows. Throws Cancelled, and what a user's statistic throws.
[[nodiscard]] std::vector<double> estimates(const study::Study& study,
                                            const resample::Design& design,
                                            const Execution& execution);

/// The values around which the replicates lie, where those are not the estimates: the statistics
/// with Design::expected_counts() as weights. Where a statistic takes whole rows only, is a minimum
/// or a maximum, or is undefined with these weights: the estimate. Empty if the design draws all
/// rows equally often.
[[nodiscard]] std::vector<double> centres(const study::Study& study, const resample::Design& design,
                                          std::span<const double> estimates,
                                          const Execution& execution);

// A function of rows, or of counts, takes whole numbers only. Its value under the weights of a
// scheme is the mean of its values on kWholeResamples resamples, which a systematic sample of the
// rows makes: a single one is off by about a standard error, the mean of all by about a hundredth.

inline constexpr std::size_t kWholeResamples = 32;

/// How often each row is in one of these resamples, number 0 to kWholeResamples - 1. The counts add
/// up to the number of rows and are less than 1 away from rows * (share of the weight); their mean
/// over all of the resamples is less than 1 / kWholeResamples away.
[[nodiscard]] std::vector<std::uint32_t> repetitions(std::span<const double> weights,
                                                     std::size_t resample);

/// The same as row numbers, in order.
[[nodiscard]] std::vector<std::uint32_t> repeated_rows(std::span<const double> weights,
                                                       std::size_t resample);

/// The mean of what `evaluate(resample, values)` writes. Values that are NaN are left out, as they
/// are among replicates. Throws Cancelled.
template <class Evaluate>
void mean_of_resamples(const Execution& execution, std::span<double> values,
                       const Evaluate& evaluate) {
  std::vector<double> one(values.size());
  std::vector<double> sums(values.size());
  std::vector<double> defined(values.size());
  for (std::size_t resample = 0; resample < kWholeResamples; ++resample) {
    if (execution.stop.stop_requested()) throw Cancelled();
    evaluate(resample, std::span<double>(one));
    for (std::size_t k = 0; k < one.size(); ++k)
      if (!std::isnan(one[k])) {
        sums[k] += one[k];
        ++defined[k];
      }
  }
  for (std::size_t k = 0; k < one.size(); ++k) values[k] = sums[k] / defined[k];
}

}  // namespace bootfold::paths
